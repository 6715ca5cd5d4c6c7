import { isObject } from '../util/is-object.js';
import { jobTable, outputTable } from './index.js';
import { size } from './kinds/measures.js';
import type { RequestFields, SettingsTable } from './setting.js';
import { spellingsOf } from './spellings.js';

/** The sources of a request, in increasing priority. */
export interface RequestLayers {
  /**
   * The content of a preset; null without one. If it has exactly one output, those settings apply to every output.
   */
  readonly preset?: RequestFields | null;
  /** The body in a request file; null without one. */
  readonly file: RequestFields | null;
  /** Fields of the job that were given as flags; may include `input`. */
  readonly jobFlags: RequestFields;
  /** Settings that were given as flags; they apply to every output. */
  readonly outputFlags: RequestFields;
  /** One object per `--output`. */
  readonly outputs: readonly RequestFields[];
}

/** Settings that a higher-priority setting removes, because they would override it. */
const overriddenSettings: ReadonlyMap<string, readonly string[]> = new Map([
  ['size', ['width', 'height']],
  ['quality', ['video_bitrate', 'target_size', 'quality_target', 'quality_floor']],
  ['crf', ['quality_target', 'quality_floor']],
  ['video_bitrate', ['target_size', 'quality_target', 'quality_floor']],
  ['target_size', ['video_bitrate', 'quality_target', 'quality_floor']],
  ['quality_target', ['video_bitrate', 'target_size']],
  ['audio_bitrate', ['audio_quality']],
  ['audio_channels', ['output_audio_channels']],
  ['decimate', ['frame_rate']],
]);

/**
 * Builds the body of a create request: the request file overrides the preset, a flag overrides the file, and an
 * `--output` overrides a flag. The first `--output` is merged into the first output of the file and so on; further
 * ones are added. Without any output setting, the outputs of the file are unchanged; if the file has none either, the
 * service creates its default output. Pure.
 *
 * A setting that is merged in also takes effect: it removes its other spellings and the settings that would override
 * it, such as the `size` of the file if a flag gives `width`. Invalid values in the file are kept, so that the
 * service reports them.
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

/** Replaces the `size` of the base with width and height if the layer has either of these. */
function expandSize(base: RequestFields, layer: RequestFields): RequestFields {
  const hasWidthOrHeight = 'width' in layer || 'height' in layer;
  const { value } = hasWidthOrHeight ? size.parse(outputTable.size, base.size, 'size') : {};
  if (value === undefined) return base;
  const { size: _size, ...others } = base;
  return { ...others, ...value };
}
