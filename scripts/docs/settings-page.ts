import { containerOf, containers, type Extension } from '../../daemon/plan/containers.js';
import { chooseCodecs } from '../../daemon/plan/decide/choose-codecs.js';
import { supportedJobFields, supportedOutputSettings } from '../../daemon/plan/supported-settings.js';
import { defaultOutput, jobTable, outputTable } from '../../src/shared/settings/index.js';
import { crossRules, examples } from './examples.js';
import { block, code, settingsTables, table } from './settings-tables.js';

/**
 * Generates the settings reference, `docs/settings.md`: everything that a create request accepts (section 4.1), from
 * the tables that validate it.
 */
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

The fields of a job: the body of \`POST /v2/jobs\`, as JSON or XML, and the flags of \`venc submit\`, \`venc run\` and
\`venc plan\`. Section numbers refer to the service document.

- Numbers, \`true\` and \`false\` may be given as strings, and \`1\` and \`0\` mean \`true\` and \`false\`. \`null\` is the same as omitting
  a setting.
- A request with invalid values is rejected (422) with one sentence per validation error. Unknown fields are ignored.
- The column *here* describes the support in this version: *supported*; *no effect* if the setting is accepted and correctly changes
  nothing; **not supported** if requests with it are rejected. No setting is accepted and then ignored.
- A flag without a value has a negation that begins with \`--no-\`. Flags apply to every output. \`--output name=value,name=value\` can be
  repeated; each adds an output with its own settings, which override flags. Flags override a request file.
- A name with a dot is a nested setting: \`watermark.x\` is \`x\` of an entry of \`watermark\`.`;

const outputsText = `\`outputs\` (or \`output\`) is one object or an array of them. A request without outputs has one output:

${block('json', JSON.stringify(defaultOutput, null, 2))}

A given output, as in \`"outputs": [{}]\`, has the defaults below instead. With \`venc run\` and \`venc plan\`, a request without outputs
also has one output with the defaults below.`;

const containersText = `The extension of the file name (of \`url\`, otherwise of \`filename\`) selects the container, and the container selects the codecs
that are not given. Codecs that the container does not support are rejected. Without a file name the codecs select the
extension. \`venc doctor\` lists what the installed ffmpeg cannot encode.`;

function typed(word: string): string {
  return /^[\w:/.=,%-]+$/.test(word) ? word : `'${word}'`;
}

/** Generates the table of file name extensions and their codecs, the default ones first. */
function containersTable(): string {
  const extensions = Object.keys(containers) as readonly string[] as readonly Extension[];
  return table(
    ['file name', 'without other settings', 'video codecs (with audio codecs)', 'audio only'],
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
