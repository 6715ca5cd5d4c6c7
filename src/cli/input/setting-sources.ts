import { settingFlags } from '../../shared/settings/flags.js';
import { jobTable, outputTable } from '../../shared/settings/index.js';
import { outputListOf, setsOutput } from '../../shared/settings/presets.js';
import type { RequestFields, SettingsTable } from '../../shared/settings/setting.js';
import { canonicalName, spellingsOf } from '../../shared/settings/spellings.js';
import { isObject } from '../../shared/util/is-object.js';

/** Where the settings of a request come from. */
export interface SettingSources {
  readonly jobFlags: RequestFields;
  /** Flags that apply to every output. */
  readonly outputFlags: RequestFields;
  /** One for each `--output`. */
  readonly outputs: readonly RequestFields[];
  /** The files of `-o`, as typed. */
  readonly files: readonly string[];
  /**
   * The flag that names the folder of a ladder as a URL, with the URL in messages, e.g. `--hls s3://bucket/film`; null
   * if there is none.
   */
  readonly ladderPlace: string | null;
  /** The name of the request file in messages, e.g. `request.json`; null if there is none. */
  readonly request: string | null;
  /** The preset; null if there is none. */
  readonly preset: NamedPreset | null;
}

/** A preset that was named on the command line. */
interface NamedPreset {
  /** Its name in messages, e.g. `--preset web`. */
  readonly flag: string;
  readonly settings: RequestFields;
}

const outputPath = /outputs\[(\d+)\](?:\.([A-Za-z_][A-Za-z0-9_]*))?((?:\[\d+\]|\.[\w-]+)*)(?![\w[.])/g;
const jobPath = /^([a-z_]+)((?:\[\d+\]|\.[\w-]+)*)(?= )/;

/**
 * Names settings in a validation error as they were typed: `outputs[0].start_clip must be …` becomes `--start-clip must
 * be …`, `--output 2: start_clip must be …` or `request.json: outputs[0].start_clip must be …`, depending on where the
 * value comes from. A setting of the preset becomes `--preset web: start_clip must be …`. Texts without settings, and
 * settings that were not typed, stay unchanged. Pure.
 */
export function asTyped(text: string, sources: SettingSources): string {
  const translated = /^outputs\[\d+\]/.test(text) ? text : withJobFlag(text, sources);
  const [first] = [...translated.matchAll(outputPath)];
  const named = translated.replace(
    outputPath,
    (path, digits: string, name: string | undefined, tail: string, at: number) =>
      name === undefined
        ? outputName(Number(digits), sources)
        : (settingName({ index: Number(digits), name, tail }, sources) ??
          presetName({ index: Number(digits), name, tail }, sources, at === 0) ??
          path),
  );
  const base = baseName(sources);
  const isFromBase = base !== null && first?.index === 0 && named.startsWith('outputs[');
  const index = Number(first?.[1] ?? 0);
  return isFromBase
    ? `${base}: ${named}`
    : withPresetCauses(withMissingFlag(withSettingFlags(named, sources, index)), sources, index);
}

/** A setting of an output as a validation error names it. */
interface NamedSetting {
  readonly index: number;
  readonly name: string;
  /** What follows the name, e.g. `[1].url`. */
  readonly tail: string;
}

/**
 * The name of the source of settings that are not flags: the request file, which may override the preset. Null without
 * a request: the settings of the preset are known.
 */
function baseName({ request, preset }: SettingSources): string | null {
  return request !== null && preset !== null ? `${request} with ${preset.flag}` : request;
}

/** The preset, if all settings that are not flags come from it. */
function presetOf({ request, preset }: SettingSources): NamedPreset | null {
  return request === null ? preset : null;
}

/**
 * The name of a setting of the preset: `--preset web: width` at the beginning of a message, else `width of --preset
 * web`. Null if the preset does not set it.
 */
function presetName(
  { index, name, tail }: NamedSetting,
  sources: SettingSources,
  isFirst: boolean,
): string | null {
  const preset = presetOf(sources);
  if (preset === null || !setsOutput(preset.settings, index, name)) return null;
  const path = outputListOf(preset.settings).length > 1 ? `outputs[${index}].${name}` : name;
  return isFirst ? `${preset.flag}: ${path}${tail}` : `${path}${tail} of ${preset.flag}`;
}

/** What messages say about an output because of one of its settings. */
const causes: Readonly<Record<string, string>> = {
  'the output has no video': 'skip_video',
  'the output has no audio': 'skip_audio',
  'the video is copied': 'copy_video',
  'the audio is copied': 'copy_audio',
};

/** Adds to the cause of a message about a flag, and to the container, that they come from the preset. */
function withPresetCauses(text: string, sources: SettingSources, index: number): string {
  const preset = presetOf(sources);
  if (preset === null || text.startsWith(preset.flag)) return text;
  const isOfPreset = (name: string) =>
    setsOutput(preset.settings, index, name) &&
    [sources.outputFlags, sources.outputs[index] ?? {}].every((layer) => !isSet(outputTable, layer, name));
  const [cause, name = ''] = Object.entries(causes).find(([end]) => text.endsWith(end)) ?? [];
  if (cause !== undefined && isOfPreset(name)) return `${text} (${name} of ${preset.flag})`;
  const outputs = outputListOf(preset.settings);
  const output = outputs.length === 1 ? outputs[0] : outputs[index];
  const format = isObject(output) && isOfPreset('format') ? String(output.format) : '';
  return /^\w+$/.test(format)
    ? text.replace(new RegExp(` \\.${format}\\b`), `$& (format of ${preset.flag})`)
    : text;
}

function withJobFlag(text: string, sources: SettingSources): string {
  const { jobFlags, request } = sources;
  const [path = '', name = '', tail = ''] = jobPath.exec(text) ?? [];
  const flag = flagOf(jobTable, 'job', name);
  if (flag !== null && isSet(jobTable, jobFlags, name)) {
    return `${flag}${tailName(tail, jobFlags[name])}${text.slice(path.length)}`;
  }
  // Presets have no input.
  if (!Object.hasOwn(jobTable, name)) return text;
  const preset = presetOf(sources);
  if (preset !== null && isSet(jobTable, preset.settings, name)) return `${preset.flag}: ${text}`;
  const base = name === 'input' ? request : baseName(sources);
  return base === null ? text : `${base}: ${text}`;
}

function settingName({ index, name, tail }: NamedSetting, sources: SettingSources): string | null {
  const { outputs, outputFlags, files } = sources;
  const own = outputs[index];
  if (own !== undefined && isSet(outputTable, own, name)) {
    return `${outputFlag(index, outputs.length)}: ${name}${tail}`;
  }
  const flag = flagOf(outputTable, 'output', name);
  if (flag !== null && isSet(outputTable, outputFlags, name)) {
    return `${flag}${tailName(tail, outputFlags[canonicalName(outputTable, name)])}`;
  }
  if (name === 'base_url' && sources.ladderPlace !== null) return sources.ladderPlace;
  if (name !== 'url') return null;
  const file = files[index];
  // run and plan turn -o and the file name into a URL.
  if (file !== undefined) return `-o ${file}`;
  return settingName({ index, name: 'filename', tail }, sources);
}

/** The name of an output: its flag, its position in the request, or its number. */
function outputName(index: number, { outputs, request }: SettingSources): string {
  if (index < outputs.length) return outputFlag(index, outputs.length);
  return request === null ? (index === 0 ? 'the output' : `output ${index + 1}`) : `outputs[${index}]`;
}

function outputFlag(index: number, count: number): string {
  return count > 1 ? `--output ${index + 1}` : '--output';
}

/** The rest of a path after the flag: `[1].url` of the second `--watermark` becomes ` 2: url`. */
function tailName(tail: string, value: unknown): string {
  if (tail === '') return '';
  const [, digits, field] = /^(?:\[(\d+)\])?(?:\.(.+))?$/.exec(tail) ?? [];
  const count = Array.isArray(value) ? value.length : 1;
  const number = digits === undefined || count < 2 ? '' : ` ${Number(digits) + 1}`;
  return field === undefined ? number : `${number}: ${field}`;
}

/**
 * Replaces settings in the rest of a sentence by their flags if these were typed: `must not be below --video-bitrate`.
 * Adds to those of the preset where they come from: `must not be below video_bitrate of --preset web`.
 */
function withSettingFlags(text: string, sources: SettingSources, index: number): string {
  const { outputFlags, outputs } = sources;
  // A name without an underscore is a setting only in such a sentence.
  return text.replace(
    /(?<=[ ])[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|(?<=has no effect with(?:out)? )[a-z]+\b/g,
    (name, at: number) => {
      const flag = flagOf(outputTable, 'output', name);
      // After a colon comes the setting that the message is about.
      if (isSet(outputTable, outputs[index] ?? {}, name) || text[at - 2] === ':') return name;
      if (flag !== null && isSet(outputTable, outputFlags, name)) return flag;
      return text.slice(at + name.length).startsWith(' of --preset')
        ? name
        : (presetName({ index, name, tail: '' }, sources, false) ?? name);
    },
  );
}

/** Replaces the setting after "without" by its flag in a message about a flag: it was not typed, but it can be. */
function withMissingFlag(text: string): string {
  if (!text.startsWith('--')) return text;
  return text.replace(
    /(?<=^--[a-z0-9-]+ .* without )[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/,
    (name) => flagOf(outputTable, 'output', name) ?? name,
  );
}

function flagOf(table: SettingsTable, path: 'job' | 'output', name: string): string | null {
  const known = canonicalName(table, name);
  return settingFlags().find((one) => one.path === path && one.name === known)?.flag ?? null;
}

/** The value of a setting as typed: that of its `--output`, else that of its flag; undefined if it was not typed. */
export function typedValue(
  path: 'job' | 'output',
  index: number,
  name: string,
  { jobFlags, outputFlags, outputs }: SettingSources,
): unknown {
  const table = path === 'job' ? jobTable : outputTable;
  const layers = path === 'job' ? [jobFlags] : [outputs[index] ?? {}, outputFlags];
  const layer = layers.find((one) => isSet(table, one, name)) ?? {};
  const spelling = spellingsOf(table, name).find((one) => Object.hasOwn(layer, one));
  return spelling === undefined ? undefined : layer[spelling];
}

function isSet(table: SettingsTable, layer: RequestFields, name: string): boolean {
  return spellingsOf(table, name).some((spelling) => Object.hasOwn(layer, spelling));
}
