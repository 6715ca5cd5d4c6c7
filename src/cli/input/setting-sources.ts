import type { RequestFields } from '../../shared/settings/flag-values.js';
import { settingFlags } from '../../shared/settings/flags.js';
import { jobTable, outputTable } from '../../shared/settings/index.js';
import type { SettingsTable } from '../../shared/settings/setting.js';
import { isObject } from '../../shared/util/is-object.js';

/** Where the settings of a request were typed. */
export interface SettingSources {
  readonly jobFlags: RequestFields;
  /** Flags that hold for every output. */
  readonly outputFlags: RequestFields;
  /** One for each `--output`. */
  readonly outputs: readonly RequestFields[];
  /** The files of `-o`, as typed. */
  readonly files: readonly string[];
  /** What a request file is called in messages, e.g. `request.json`; null if there is none. */
  readonly request: string | null;
  /** What the preset is called in messages, e.g. `--preset web`; null if there is none. */
  readonly preset: string | null;
}

const outputPath = /outputs\[(\d+)\](?:\.([A-Za-z_]+))?((?:\[\d+\]|\.[\w-]+)*)(?![\w[.])/g;
const jobPath = /^([a-z_]+)((?:\[\d+\]|\.[\w-]+)*)(?= )/;

/**
 * A validation error in the words of the command line: `outputs[0].start_clip must be …` becomes `--start-clip must be …`,
 * `--output 2: start_clip must be …` or `request.json: outputs[0].start_clip must be …`, by where the value comes from. A text that
 * names no setting, and a setting that nobody typed, stay as they are. Pure.
 */
export function toTypedTerms(text: string, sources: SettingSources): string {
  const translated = /^outputs\[\d+\]/.test(text) ? text : withJobFlag(text, sources);
  const [first] = [...translated.matchAll(outputPath)];
  const named = translated.replace(
    outputPath,
    (path, digits: string, name: string | undefined, tail: string) =>
      name === undefined
        ? outputName(Number(digits), sources)
        : (settingName({ index: Number(digits), name, tail }, sources) ?? path),
  );
  const base = baseName(sources);
  const isFromBase = base !== null && first?.index === 0 && named.startsWith('outputs[');
  return isFromBase ? `${base}: ${named}` : withSettingFlags(named, sources, Number(first?.[1] ?? 0));
}

/** A setting of an output as a validation error names it. */
interface NamedSetting {
  readonly index: number;
  readonly name: string;
  /** What follows the name, e.g. `[1].url`. */
  readonly tail: string;
}

/** Where settings come from that are no flags: the request file, the preset, or both. */
function baseName({ request, preset }: SettingSources): string | null {
  return request !== null && preset !== null ? `${request} with ${preset}` : (request ?? preset);
}

function withJobFlag(text: string, sources: SettingSources): string {
  const { jobFlags, request } = sources;
  const [path = '', name = '', tail = ''] = jobPath.exec(text) ?? [];
  const flag = flagOf(jobTable, 'job', name);
  if (flag !== null && isSet(jobTable, jobFlags, name)) {
    return `${flag}${tailName(tail, jobFlags[name])}${text.slice(path.length)}`;
  }
  // No preset has an input.
  const base = name === 'input' ? request : baseName(sources);
  return base !== null && Object.hasOwn(jobTable, name) ? `${base}: ${text}` : text;
}

function settingName({ index, name, tail }: NamedSetting, sources: SettingSources): string | null {
  const { outputs, outputFlags, files } = sources;
  const own = outputs[index];
  if (own !== undefined && isSet(outputTable, own, name)) {
    return `${outputFlag(index, outputs.length)}: ${name}${tail}`;
  }
  const flag = flagOf(outputTable, 'output', name);
  if (flag !== null && isSet(outputTable, outputFlags, name)) {
    return `${flag}${tailName(tail, outputFlags[canonical(outputTable, name)])}`;
  }
  if (name !== 'url') return null;
  const file = files[index];
  // run and plan turn -o and the file name into a URL.
  if (file !== undefined) return `-o ${file}`;
  return settingName({ index, name: 'filename', tail }, sources);
}

/** An output as a whole: by its flag, its place in the request, or its number. */
function outputName(index: number, { outputs, request }: SettingSources): string {
  if (index < outputs.length) return outputFlag(index, outputs.length);
  return request === null ? (index === 0 ? 'the output' : `output ${index + 1}`) : `outputs[${index}]`;
}

function outputFlag(index: number, count: number): string {
  return count > 1 ? `--output ${index + 1}` : '--output';
}

/** The part of a path that follows the flag: `[1].url` of the second `--watermark` is ` 2: url`, and a plain number has none. */
function tailName(tail: string, value: unknown): string {
  if (tail === '') return '';
  const [, digits, field] = /^(?:\[(\d+)\])?(?:\.(.+))?$/.exec(tail) ?? [];
  const count = Array.isArray(value) ? value.length : 1;
  const number = digits === undefined || count < 2 ? '' : ` ${Number(digits) + 1}`;
  const isPlain = field === 'number' && isObject(value) && Object.keys(value).length === 1;
  return field === undefined || isPlain ? number : `${number}: ${field}`;
}

/** The rest of a sentence with settings by their flags, where these were typed: `must not be below --video-bitrate`. */
function withSettingFlags(text: string, { outputFlags, outputs }: SettingSources, index: number): string {
  return text.replace(/(?<=[ ])[a-z]+(?:_[a-z]+)+\b/g, (name) => {
    const isOwn = isSet(outputTable, outputs[index] ?? {}, name);
    const flag = flagOf(outputTable, 'output', name);
    return flag !== null && !isOwn && isSet(outputTable, outputFlags, name) ? flag : name;
  });
}

function flagOf(table: SettingsTable, path: 'job' | 'output', name: string): string | null {
  const known = canonical(table, name);
  return settingFlags().find((one) => one.path === path && one.name === known)?.flag ?? null;
}

function isSet(table: SettingsTable, layer: RequestFields, name: string): boolean {
  const known = canonical(table, name);
  const spellings = [known, ...(table[known]?.spellings ?? [])];
  return spellings.some((spelling) => Object.hasOwn(layer, spelling));
}

/** The name that the table has for a setting, whichever spelling is given. */
function canonical(table: SettingsTable, name: string): string {
  const found = Object.entries(table).find(([, { spellings = [] }]) => spellings.includes(name));
  return found?.[0] ?? name;
}
