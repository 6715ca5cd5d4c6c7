import type { CommandNode, FlagNode } from '../command-tree.js';
import { findRequestedCommand } from '../input/requested-command.js';
import type { Io } from '../terminal/io.js';
import { type CompletionItem, type CompletionOffer, formatOffer, readTypedWords, shells } from './shells.js';
import { argumentSource, type CompletionSource, flagSource, lookUp, shortHelp } from './sources.js';

/**
 * Answers a completion script: `venc __complete SHELL`. The words up to the cursor come from stdin, each ended by a NUL,
 * because arguments are visible to other users and may contain passwords. Prints nothing on errors and timeouts, because
 * an error in the middle of a command line would disturb the user.
 */
export async function complete([name]: readonly string[], io: Io): Promise<void> {
  const shell = shells.find((one) => one === name);
  if (shell === undefined) return;
  try {
    const words = (await io.readStdin()).split('\0').slice(0, -1);
    const typed = readTypedWords(shell, words);
    // After > and <, complete files. Zsh and fish do so themselves.
    const isRedirected = shell === 'bash' && /^[<>]/.test(words.at(-2) ?? '');
    const offer: CompletionOffer = isRedirected
      ? { how: 'files', prefix: '', items: [] }
      : await offerAt(await placeAt(typed.before, io), typed.current, io);
    await io.writeStdout(formatOffer(shell, typed, offer));
  } catch {
    // A pending DNS lookup would keep the process running.
    io.exit(0);
  }
}

/** What the finished words of a command line mean. */
interface Place {
  readonly command: CommandNode;
  readonly args: readonly string[];
  /** The flags that the command accepts. */
  readonly accepted: readonly FlagNode[];
  /** The flags typed so far, with their values. */
  readonly flags: ReadonlyMap<string, string>;
  /** The flag whose value is next; null if the next word is an argument or another flag. */
  readonly pending: FlagNode | null;
  /** Whether `--` was typed, after which there are no flags. */
  readonly isPlain: boolean;
}

async function placeAt(words: readonly string[], io: Io): Promise<Place> {
  const { commandNodes } = await import('./command-nodes.js');
  const program = await commandNodes(findRequestedCommand(words), io);
  const version = program.flags.filter(({ long }) => long === '--version');
  const globals = [...program.flags.filter((flag) => !version.includes(flag)), helpFlag];
  let command: CommandNode = program;
  const accepted = () => [...(command === program ? version : command.flags), ...globals];
  const args: string[] = [];
  const flags = new Map<string, string>();
  let pending: FlagNode | null = null;
  let isPlain = false;
  for (const word of words) {
    const [name, value] = splitFlag(word);
    const next: CommandNode | undefined =
      args.length === 0 ? command.commands.find(({ path }) => path.at(-1) === word) : undefined;
    const isValue = pending !== null && mayBeValue(pending, word);
    if (pending !== null && isValue) flags.set(pending.long, word);
    pending = null;
    if (isValue) continue;
    if (isPlain || (next === undefined && !/^-./.test(word))) args.push(word);
    else if (word === '--') isPlain = true;
    else if (next !== undefined) command = next;
    else {
      const flag: FlagNode | undefined = accepted().find(
        ({ long, short }) => long === name || short === name,
      );
      flags.set(flag?.long ?? name, value ?? '');
      if (flag !== undefined && flag.argument !== null && value === undefined) pending = flag;
    }
  }
  return { command, args, accepted: accepted(), flags, pending, isPlain };
}

/** Whether a word is the value of the flag before it, or the beginning of one. A flag with `auto` may have none. */
function mayBeValue({ argument, choices }: FlagNode, word: string): boolean {
  return argument !== '[auto]' || choices.some((choice) => choice.startsWith(word));
}

/** Splits `--name=value`. */
function splitFlag(word: string): readonly [string, string | undefined] {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  return name === undefined ? [word, undefined] : [name, value];
}

async function offerAt(place: Place, current: string, io: Io): Promise<CompletionOffer> {
  const { command, args, accepted, pending, isPlain } = place;
  const [name, value] = splitFlag(current);
  if (pending !== null && mayBeValue(pending, current))
    return offerFrom(flagSource(pending), '', current, place, io);
  if (!isPlain && value !== undefined) {
    const flag = accepted.find(({ long, argument }) => long === name && argument !== null);
    return offerFrom(flag === undefined ? [] : flagSource(flag), `${name}=`, value, place, io);
  }
  if (!isPlain && current.startsWith('-')) {
    const items = accepted.flatMap(({ long, short, help }) =>
      [long, short].flatMap((word) => (word === null ? [] : [{ word, about: shortHelp(help) }])),
    );
    return { how: 'words', prefix: '', items };
  }
  const isCommand = command.commands.length > 0 && args.length === 0;
  return offerFrom(isCommand ? itemsOf(command) : argumentSource(command, args), '', current, place, io);
}

async function offerFrom(
  source: CompletionSource,
  prefix: string,
  current: string,
  { flags }: Place,
  io: Io,
): Promise<CompletionOffer> {
  if (source === 'files' || source === 'folders') return { how: source, prefix, items: [] };
  if (source === 'settings') {
    // The last setting of `name=value,name=value`.
    const { settingWords } = await import('./setting-words.js');
    const [, before = '', name] = /^(.*,)?(?:([^,=]*)=)?/s.exec(current) ?? [];
    return {
      how: name === undefined ? 'open' : 'listed',
      prefix: `${prefix}${before}${name === undefined ? '' : `${name}=`}`,
      items: settingWords(name ?? null).map((word) => ({
        word: name === undefined ? `${word}=` : word,
        about: '',
      })),
    };
  }
  if (typeof source !== 'string') return { how: 'words', prefix, items: source };
  const [data, target] = [flags.get('--data'), flags.get('--target')];
  const globals = { ...(data === undefined ? {} : { data }), ...(target === undefined ? {} : { target }) };
  // Warnings about the configuration are dropped.
  const { createContext } = await import('../context.js');
  const context = createContext({ ...io, writeStderr: () => {} }, () => globals);
  return { how: 'ordered', prefix, items: await lookUp(source, flags, context) };
}

function itemsOf({ commands }: CommandNode): readonly CompletionItem[] {
  return commands.map(({ path, summary }) => ({ word: path.at(-1) ?? '', about: summary }));
}

const helpFlag: FlagNode = {
  ...{ long: '--help', short: '-h', help: 'show this help', argument: null, choices: [] },
  ...{ isRepeatable: false, isHidden: false, heading: null },
};
