import type { CommandNode } from '../../../src/cli/command-tree.js';
import { settingsIntroduction } from '../../../src/cli/help/settings-topic.js';
import { flagBlocks } from './parts.js';
import { type Block, blocksOf } from './roff.js';

/** The manual of the settings of a job and its outputs: venc-settings(5). */
export function settingsBlocks(program: CommandNode): readonly Block[] {
  const flags = program.commands.find(({ path }) => path[0] === 'submit')?.flags ?? [];
  const headings = [...new Set(flags.flatMap(({ heading }) => heading ?? []))];
  return [
    { kind: 'section', title: 'Name' },
    { kind: 'text', text: 'venc-settings - settings of jobs and outputs' },
    { kind: 'section', title: 'Description' },
    ...blocksOf(settingsIntroduction),
    ...headings.flatMap((heading): readonly Block[] => [
      { kind: 'section', title: heading.replace(/:$/, '') },
      ...flagBlocks(flags.filter((flag) => flag.heading === heading)),
    ]),
    { kind: 'section', title: 'See also' },
    { kind: 'text', text: 'venc(1), venc-daemon(8)' },
  ];
}
