import type { CommandNode } from '../../../src/cli/command-tree.js';
import { environmentRows, exitCodeRows, fileRows } from '../../../src/cli/help/topic-texts.js';
import { helpTopics } from '../../../src/cli/help/topics.js';
import { commandBlocks, flagBlocks, usageOf } from './parts.js';
import { type Block, blocksOf } from './roff.js';

/** Help topics that are sections of the page, with the titles of these sections. */
const topicSections = { requests: 'Requests', services: 'Services' } as const;

/** The manual of the program, except its daemon and the settings: venc(1). Each command has its flags and one paragraph. */
export async function vencBlocks(program: CommandNode): Promise<readonly Block[]> {
  const commands = program.commands.flatMap((one) =>
    one.commands.length > 0 ? [one, ...one.commands] : [one],
  );
  const topic = async (name: string) => blocksOf((await helpTopics[name]?.load()) ?? '');
  const sections = await Promise.all(
    Object.entries(topicSections).map(
      async ([name, title]): Promise<readonly Block[]> => [
        { kind: 'section', title },
        ...(await topic(name)),
      ],
    ),
  );
  return [
    { kind: 'section', title: 'Name' },
    { kind: 'text', text: 'venc - encode video on a service, on the local daemon, or in this process' },
    { kind: 'section', title: 'Synopsis' },
    { kind: 'text', text: 'venc [options] <command> [words]' },
    { kind: 'section', title: 'Description' },
    ...blocksOf(description),
    { kind: 'section', title: 'Options' },
    { kind: 'text', text: 'Every command accepts these options, before or after its name.' },
    ...flagBlocks(program.flags),
    { kind: 'term', term: '-h, --help', text: 'Show the help of the program or of a command.' },
    { kind: 'section', title: 'Commands' },
    {
      kind: 'text',
      text: 'venc help <command> shows the notes and examples of a command. Its settings are in venc-settings(5).',
    },
    ...commands.flatMap((one): readonly Block[] => [
      { kind: 'subsection', title: usageOf(one) },
      ...(one.path[0] === 'daemon' ? daemonText : commandBlocks(one, firstParagraph(one))),
    ]),
    { kind: 'subsection', title: 'venc help [subject]' },
    {
      kind: 'text',
      text: `Show the help of a command, or about a topic: ${Object.keys(helpTopics).join(', ')}.`,
    },
    ...sections.flat(),
    { kind: 'section', title: 'Environment' },
    ...terms(environmentRows),
    { kind: 'section', title: 'Files' },
    ...terms(fileRows),
    { kind: 'section', title: 'Exit status' },
    ...terms(exitCodeRows().map(([code, meaning]) => [String(code), meaning])),
    { kind: 'section', title: 'Examples' },
    ...(await topic('recipes')),
    { kind: 'section', title: 'See also' },
    { kind: 'text', text: 'venc-settings(5), venc-daemon(8), ffmpeg(1)' },
  ];
}

const description = `venc submits files and URLs to a service that encodes video, follows the jobs, and downloads the outputs. The service can be any
that supports Zencoder's API: a remote one, or the included daemon, see venc-daemon(8). venc run encodes without either.

Results go to stdout, messages and progress to stderr. Commands that read accept --json (one document), those that list also --jsonl
(one object per line), and --fields. Names and units in JSON are those of the service.`;

const daemonText: readonly Block[] = [
  { kind: 'text', text: 'Run the local encoding service, in the foreground: see venc-daemon(8).' },
];

/** The first paragraph below the flags in the help of a command. */
function firstParagraph({ details }: CommandNode): readonly Block[] {
  return blocksOf(details)
    .filter(({ kind }) => kind === 'text')
    .slice(0, 1);
}

function terms(rows: readonly (readonly [string, string])[]): readonly Block[] {
  return rows.map(([term, text]) => ({ kind: 'term', term, text }));
}
