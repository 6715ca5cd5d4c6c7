import { isObject } from '../util/is-object.js';
import type { RequestFields } from './flag-values.js';
import { jobTable, outputTable } from './index.js';
import { parseSize } from './read-number.js';
import type { SettingsTable } from './setting.js';

/** What a request is put together of, from the least to the most particular. */
export interface RequestLayers {
  /** What a preset holds; null without one. If it has one output, the settings of that go for every output. */
  readonly preset?: RequestFields | null;
  /** The body that a request file holds; null without one. */
  readonly file: RequestFields | null;
  /** Fields of the job that were given as flags; `input` may be among them. */
  readonly jobFlags: RequestFields;
  /** Settings that were given as flags: they go for every output. */
  readonly outputFlags: RequestFields;
  /** One object for each `--output`. */
  readonly outputs: readonly RequestFields[];
}

/** Settings that a more particular one must take away, since they would win over it. */
const overriddenSettings: ReadonlyMap<string, readonly string[]> = new Map([
  ['size', ['width', 'height']],
  ['quality', ['video_bitrate']],
  ['audio_bitrate', ['audio_quality']],
  ['decimate', ['frame_rate']],
]);

/**
 * The body of a create, put together: the request file wins over the preset, a flag over the file, and an `--output` over a flag. The
 * first `--output` goes over the first output of the file and so on; further ones are added. Without any output setting the
 * file's outputs stay as they are, and without outputs in it the service makes its default one. Pure.
 *
 * What wins also takes effect: it takes away other spellings of itself and settings that would overrule it, such
 * as the file's `size` where a flag gives `width`. What is wrong in the file stays so, for the service to name.
 */
export function mergeRequest({
  preset = null,
  file,
  jobFlags,
  outputFlags,
  outputs,
}: RequestLayers): Record<string, unknown> {
  const { output, outputs: outputList, ...jobPreset } = preset ?? {};
  const presets = listOf(outputList ?? output);
  const body = overlay(jobTable, overlay(jobTable, jobPreset, file ?? {}), jobFlags);
  if (Object.keys(outputFlags).length === 0 && outputs.length === 0 && presets.length === 0) return body;
  const name = body.output !== undefined && body.output !== null && !body.outputs ? 'output' : 'outputs';
  const bases = listOf(body[name]);
  const count = Math.max(presets.length, bases.length, outputs.length, 1);
  const merged = Array.from({ length: count }, (_, index): unknown => {
    const presetOutput = presets.length === 1 ? presets[0] : index < presets.length ? presets[index] : {};
    const base = index < bases.length ? bases[index] : {};
    if (!isObject(base)) return base;
    if (!isObject(presetOutput)) return presetOutput;
    const layers = [base, outputFlags, outputs[index] ?? {}];
    return layers.reduce((below, layer) => overlay(outputTable, below, layer), presetOutput);
  });
  const { [name]: _replaced, ...others } = body;
  return { ...others, outputs: merged };
}

function listOf(outputs: unknown): readonly unknown[] {
  if (outputs === undefined || outputs === null) return [];
  return Array.isArray(outputs) ? outputs : [outputs];
}

function overlay(table: SettingsTable, base: RequestFields, layer: RequestFields): Record<string, unknown> {
  const replacedNames = new Set(
    Object.keys(layer).flatMap((name) => [
      ...spellingsOf(table, name),
      ...(overriddenSettings.get(name) ?? []),
    ]),
  );
  const keptEntries = Object.entries(expandSize(base, layer)).filter(([name]) => !replacedNames.has(name));
  return { ...Object.fromEntries(keptEntries), ...layer };
}

function spellingsOf(table: SettingsTable, settingName: string): readonly string[] {
  const all = Object.entries(table).map(([name, { spellings = [] }]) => [name, ...spellings]);
  return all.find((names) => names.includes(settingName)) ?? [settingName];
}

/** The base with its `size` as width and height, where the layer gives one of these. */
function expandSize(base: RequestFields, layer: RequestFields): RequestFields {
  const hasWidthOrHeight = 'width' in layer || 'height' in layer;
  const size = hasWidthOrHeight ? parseSize(outputTable.size, base.size) : { rule: '' };
  if (!('value' in size)) return base;
  const { size: _size, ...others } = base;
  return { ...others, ...size.value };
}
