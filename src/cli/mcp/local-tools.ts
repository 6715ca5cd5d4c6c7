import type { EncodeOptions } from '../../library/declarations.js';
import type { ArgumentsSchema, McpCall, McpTool } from '../../mcp/tool.js';
import { VencError } from '../../shared/errors.js';
import { listSettings } from '../../shared/settings/support.js';
import { isObject } from '../../shared/util/is-object.js';
import { readArguments, readFields, readFlag, readOptionalText, readText } from './arguments.js';
import { type Limits, requireSize } from './limits.js';
import { confineSettings, isRemote, type Root } from './root.js';

/** What the tools on this machine share. */
interface LocalContext {
  readonly root: Root;
  readonly limits: Limits;
}

type Fields = Readonly<Record<string, unknown>>;

const input = {
  type: 'string',
  description: 'The path of a media file below the root folder, or a public URL (https, s3, ftp, sftp ...)',
};
const settings = {
  type: 'object',
  description:
    'Settings of the output by the names of the service, such as {"width": 1280, "video_codec": "hevc", "quality": 4}; list_settings has all',
};
const output = {
  type: 'string',
  description:
    'The path of the file to write, below the root folder, or a URL; its extension is the container',
};
const outputs = {
  type: 'array',
  items: { type: 'object' },
  description:
    'For several outputs, instead of output and settings: [{"output": "a.mp4", "width": 1280}, {"output": "b.mp4", "width": 640}]',
};
const overwrite = { type: 'boolean', description: 'Whether an existing file is replaced. Default: false' };

/** The tools that need no service. */
export function localTools(context: LocalContext): readonly McpTool[] {
  return [
    {
      name: 'probe',
      title: 'Read what a media file is',
      description: 'Reads the container, length, size, codecs and tracks of a media file.',
      inputSchema: schemaOf({ input }, ['input']),
      ...{ isReadOnly: true, isLocal: false },
      run: async (args, call) => {
        readArguments(args, ['input']);
        const { probe } = await import('../../library/index.js');
        return probe(await readInput(args, context), {}, { signal: call.signal });
      },
    },
    {
      name: 'plan',
      title: 'Plan an encoding',
      description:
        'Shows what encode would do, without writing anything: the size of each output, the command lines of ffmpeg, warnings, and why an output cannot be made.',
      inputSchema: schemaOf({ input, output, settings, outputs }, ['input']),
      ...{ isReadOnly: true, isLocal: false },
      run: async (args, call) => {
        readArguments(args, ['input', 'output', 'settings', 'outputs']);
        const options = await readOptions(args, context);
        const { plan } = await import('../../library/index.js');
        return plan(await readInput(args, context), options, { signal: call.signal });
      },
    },
    {
      name: 'encode',
      title: 'Encode a media file',
      description:
        'Encodes a media file on this machine and returns the files that were written. It can take long. Call plan first, to see whether the settings do what is wanted.',
      inputSchema: schemaOf({ input, output, settings, outputs, overwrite }, ['input']),
      ...{ isReadOnly: false, isLocal: false },
      run: (args, call) => runEncode(args, call, context),
    },
    {
      name: 'list_settings',
      title: 'List the settings',
      description:
        'Lists the settings of outputs and jobs: name, value, default and meaning. Without search it lists only the names.',
      inputSchema: schemaOf(
        { search: { type: 'string', description: 'A word in the name or the meaning, such as audio' } },
        [],
      ),
      ...{ isReadOnly: true, isLocal: true },
      run: async (args) => {
        readArguments(args, ['search']);
        return foundSettings(readOptionalText(args, 'search'));
      },
    },
  ];
}

/** The schema of arguments. */
export function schemaOf(properties: Record<string, object>, required: string[]): ArgumentsSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The path or the URL of the input. A path is below the root, and its file is not too large. */
export async function readInput(args: Fields, { root, limits }: LocalContext): Promise<string> {
  const given = readText(args, 'input');
  if (isRemote(given)) return given;
  const path = await root.resolve(given, 'input');
  await requireSize(path, 'input', limits);
  return path;
}

async function runEncode(args: Fields, { signal, onProgress }: McpCall, context: LocalContext) {
  readArguments(args, ['input', 'output', 'settings', 'outputs', 'overwrite']);
  const options = { ...(await readOptions(args, context)), overwrite: readFlag(args, 'overwrite') };
  const path = await readInput(args, context);
  const { encode } = await import('../../library/index.js');
  // The library checks what a model has written.
  const job = encode(path, options as unknown as EncodeOptions, { signal });
  for await (const { progress, state } of job) onProgress(progress, state);
  const result = await job;
  onProgress(100, 'finished');
  return result;
}

/** The options of the library, with real paths. */
async function readOptions(args: Fields, context: LocalContext): Promise<Fields> {
  const given = args.outputs;
  if (given === undefined || given === null) {
    const fields = await readSettings(readFields(args, 'settings'), 'settings', context);
    const destination = readOptionalText(args, 'output');
    if (destination === undefined) return fields;
    return { ...fields, output: await readDestination(destination, 'output', context) };
  }
  if (!Array.isArray(given)) throw new VencError('UsageError', 'outputs must be a list of objects.');
  if (args.output !== undefined || args.settings !== undefined)
    throw new VencError('UsageError', 'outputs cannot be combined with output and settings.', {
      hint: 'put them into each of outputs',
    });
  const list = given.map(async (one: unknown, index) => {
    const field = `outputs[${index}]`;
    if (!isObject(one)) throw new VencError('UsageError', `${field} must be an object.`);
    const { output: place, ...others } = one;
    if (typeof place !== 'string' || place === '')
      throw new VencError('UsageError', `${field}.output must be a text that is not empty.`);
    const destination = await readDestination(place, `${field}.output`, context);
    return { ...(await readSettings(others, field, context)), output: destination };
  });
  return { outputs: await Promise.all(list) };
}

/** Options of the library that a model must not set. */
const ownOptions = ['output', 'outputs', 'overwrite', 'concurrency', 'allowprivatenetwork'];

async function readSettings(given: Fields, field: string, { root, limits }: LocalContext): Promise<Fields> {
  const own = Object.keys(given).find((name) =>
    ownOptions.includes(name.replaceAll(/[^a-z]/gi, '').toLowerCase()),
  );
  if (own !== undefined) throw new VencError('UsageError', `${field}.${own} is not a setting.`);
  const { settings: confined, files } = await confineSettings(given, root);
  for (const path of files.values()) await requireSize(path, field, limits);
  return confined;
}

async function readDestination(given: string, field: string, { root }: LocalContext): Promise<string> {
  return isRemote(given) ? given : root.resolve(given, field);
}

/** The settings with a word, or the names of all. */
function foundSettings(search: string | undefined): object {
  const all = listSettings().filter(({ support }) => support === 'supported');
  if (search === undefined) {
    const namesOf = (object: string) => all.filter((one) => one.object === object).map(({ name }) => name);
    return { settings_of_output: namesOf('output'), settings_of_job: namesOf('job') };
  }
  const words = search.toLowerCase().split(/\s+/);
  const found = all.filter(({ name, meaning, spellings }) => {
    const text = `${name} ${name.replaceAll('_', ' ')} ${spellings.join(' ')} ${meaning}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return {
    settings: found.map(({ name, object, value, default: fallback, meaning }) => ({
      ...{ name, object, value, default: fallback, meaning },
    })),
  };
}
