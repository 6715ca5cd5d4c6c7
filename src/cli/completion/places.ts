import { configKeys, configTable } from '../../config/config.js';
import type { CommandNode, FlagNode } from '../command-tree.js';
import { configSource, flagSource, type Source, wordSource } from './source.js';

/** A flag at a place of the command line. */
export interface PlaceFlag {
  readonly long: string;
  readonly short: string | null;
  readonly help: string;
  readonly isRepeatable: boolean;
  /** Where its value comes from; null where it takes none. */
  readonly source: Source | null;
}

/** What can be typed after the words that name a command. */
export interface Place {
  /** Those words, e.g. `accounts create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly help: string }[];
  readonly words: readonly { readonly help: string; readonly isVariadic: boolean; readonly source: Source }[];
  readonly flags: readonly PlaceFlag[];
}

/** Words that `venc help` takes. */
export interface HelpWord {
  readonly name: string;
  readonly help: string;
}

/**
 * The places of a tree of commands, the program first. Flags of the program stand at every place, as they are taken there.
 * `topics` are what `venc help` explains beside the commands.
 */
export function placesOf(tree: CommandNode, topics: readonly HelpWord[]): readonly Place[] {
  const everywhere = [...tree.flags.map(flagOf), helpFlag].filter(({ long }) => long !== '--version');
  const version = tree.flags.filter(({ long }) => long === '--version').map(flagOf);
  const help: HelpWord = { name: 'help', help: 'show the help of a command or about a topic' };
  const [program, ...commands] = below(tree, everywhere);
  if (program === undefined) return [];
  const subjects = [...program.commands, ...topics];
  return [
    { ...program, flags: [...everywhere, ...version], commands: [...program.commands, help] },
    ...commands.flatMap(withKeys),
    { path: 'help', commands: subjects, words: [], flags: everywhere },
  ];
}

function below(node: CommandNode, everywhere: readonly PlaceFlag[]): readonly Place[] {
  const isProgram = node.path.length === 0;
  const place: Place = {
    path: node.path.join(' '),
    commands: node.commands.map(({ path, summary }) => ({ name: path.at(-1) ?? '', help: summary })),
    words: node.words.map((word) => ({
      help: word.help,
      isVariadic: word.isVariadic,
      source: wordSource(node, word),
    })),
    flags: isProgram ? everywhere : [...node.flags.map(flagOf), ...everywhere],
  };
  return [place, ...node.commands.flatMap((one) => below(one, everywhere))];
}

/** Keys of the configuration are told of as commands are, and what follows one depends upon it. */
function withKeys(place: Place): readonly Place[] {
  if (place.path !== 'config get' && place.path !== 'config set') return [place];
  const commands = configKeys.map((name) => ({ name, help: firstWords(configTable[name].help) }));
  const values = configKeys.map((name): Place => {
    const value = { help: configTable[name].help, isVariadic: false, source: configSource(name) };
    return { ...place, path: `${place.path} ${name}`, words: [value] };
  });
  return [{ ...place, commands, words: [] }, ...(place.path === 'config set' ? values : [])];
}

const helpFlag: PlaceFlag = {
  long: '--help',
  short: '-h',
  help: 'show this help',
  isRepeatable: false,
  source: null,
};

function flagOf(flag: FlagNode): PlaceFlag {
  const { long, short, help, isRepeatable, argument } = flag;
  return {
    long,
    short,
    help: firstWords(help),
    isRepeatable,
    source: argument === null ? null : flagSource(flag),
  };
}

/**
 * Shells show a line of help beside each word: what it is, without ranges and defaults. In ASCII, as scripts are made for any locale.
 */
function firstWords(help: string): string {
  const short = help.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '');
  return short.length > 72 ? `${short.slice(0, 69).trimEnd()}...` : short;
}
