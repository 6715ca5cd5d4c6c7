import { chooseCodecs } from '../../daemon/plan/decide/choose-codecs.js';
import { containerOf, containers, type Extension } from '../../daemon/plan/formats.js';
import { supportedJobFields, supportedOutputSettings } from '../../daemon/plan/supported-settings.js';
import { defaultOutput, jobTable, outputTable } from '../../src/shared/settings/index.js';
import { crossRules, examples } from './examples.js';
import { block, code, settingsTables, table } from './settings-tables.js';

/** The settings reference, `docs/settings.md`: everything that a create takes (section 4.1), made of the tables that read it. */
export function settingsPage(): string {
  const parts = [
    introduction,
    '## Fields of the job',
    settingsTables(jobTable, supportedJobFields, 'job'),
    '## Settings of an output',
    outputsText,
    settingsTables(outputTable, supportedOutputSettings, 'output'),
    '## Between settings',
    crossRules.map(({ rule }) => `- ${rule}`).join('\n'),
    '## File names and codecs',
    containersText,
    containersTable(),
    '## Examples',
    ...examples.flatMap(({ title, request, words }) => [
      `### ${title}`,
      block('json', JSON.stringify(request, null, 2)),
      block('sh', `venc submit ${words.map(typed).join(' ')}`),
    ]),
  ];
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`;
}

const introduction = `<!-- Made by "npm run docs" of the tables in src/shared/settings and daemon/plan/supported-settings.ts: edit those. -->

# Settings

What a job may ask for: the body of \`POST /v2/jobs\`, as JSON or XML, and the flags of \`venc submit\`, \`venc run\` and
\`venc plan\`. Sections are those of the service document.

- Numbers, \`true\` and \`false\` may come as texts, and \`1\` and \`0\` stand for \`true\` and \`false\`. \`null\` is the same as leaving a
  setting out.
- A value that breaks a rule is refused (422) with a sentence for every complaint at once. Fields that nobody knows are passed over.
- The column *here* says what this version does with a setting: *supported*; *no effect* if it is accepted and rightly changes nothing;
  **declined** where it is refused, so that nothing is ever taken and then forgotten.
- A flag without a value has a contrary that begins with \`--no-\`. Flags hold for every output; \`--output name=value,name=value\`, which
  may be repeated, is an output with settings of its own, and wins over a flag, as a flag wins over a request file.
- A name with a dot is a setting inside of another: \`watermark.x\` is \`x\` of an entry of \`watermark\`.`;

const outputsText = `\`outputs\` (or \`output\`) is one object or an array of them. A request without any makes one output:

${block('json', JSON.stringify(defaultOutput, null, 2))}

An output that is there, as in \`"outputs": [{}]\`, has none of these, but the defaults below. With \`venc run\` and \`venc plan\`, outputs
that are left out are such an output too.`;

const containersText = `The extension of the file name (of \`url\`, else of \`filename\`) decides the container, and with it the codecs that are not
named. Codecs that are named and do not go into the container are refused. Without a name the codecs decide the
extension. \`venc doctor\` tells what the ffmpeg at hand cannot encode.`;

function typed(word: string): string {
  return /^[\w:/.=,%-]+$/.test(word) ? word : `'${word}'`;
}

/** The extensions of file names and the codecs that go with them, the default ones first. */
function containersTable(): string {
  const extensions = Object.keys(containers) as readonly string[] as readonly Extension[];
  return table(
    ['file name', 'without other settings', 'picture, with its sound', 'sound alone'],
    extensions.map((extension) => {
      const { codecPairs: pairs, audioOnlyCodecs: single } = containerOf(extension);
      const { video, audio } = chooseCodecs({}, extension);
      const images = Object.entries(pairs).map(
        ([codec, audioCodecs]) => `${codec} (${audioCodecs.join(', ')})`,
      );
      return [
        code(extension),
        [video, audio].filter((codec) => codec !== null).join(' + '),
        images.length === 0 ? '-' : images.join(', '),
        single.join(', '),
      ];
    }),
  );
}
