import type { ArgumentNode, CommandNode, FlagNode } from '../../../src/cli/command-tree.js';
import type { Block } from './roff.js';

/** The usage of a command, e.g. `venc accounts create <name>`. */
export function usageOf({ path, args: words, flags }: CommandNode): string {
  const hasFlags = flags.some(({ isHidden }) => !isHidden);
  return ['venc', ...path, ...(hasFlags ? ['[options]'] : []), ...words.map(wordText)].join(' ');
}

/**
 * The description of a command with its arguments, flags and details. Flags with their own heading are listed
 * elsewhere.
 */
export function commandBlocks(command: CommandNode, details: readonly Block[]): readonly Block[] {
  return [
    { kind: 'text', text: command.description },
    ...command.args.map((word): Block => ({ kind: 'term', term: wordText(word), text: word.help })),
    ...flagBlocks(command.flags.filter(({ heading }) => heading === null)),
    ...details,
  ];
}

/** The descriptions of flags, without those that help pages omit. */
export function flagBlocks(flags: readonly FlagNode[]): readonly Block[] {
  return flags
    .filter(({ isHidden }) => !isHidden)
    .map(({ long, short, argument, help }): Block => {
      const names = short === null ? long : `${short}, ${long}`;
      return { kind: 'term', term: argument === null ? names : `${names} ${argument}`, text: sentence(help) };
    });
}

function wordText({ name, isRequired, isVariadic }: ArgumentNode): string {
  const text = isVariadic ? `${name}...` : name;
  return isRequired ? `<${text}>` : `[${text}]`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
