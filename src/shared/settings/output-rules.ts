import { isEncoding } from '../text/decode-text.js';
import { languageCode } from '../text/languages.js';
import { findSuggestions } from '../text/suggestions.js';
import { decodeUrlPart, pathInUrl } from '../text/url-text.js';
import { channelError, requestedChannels } from './audio-rules.js';
import { isCaptions } from './captions.js';
import { hdrConflict } from './hdr.js';
import type { JobRequest, OutputSettings } from './index.js';
import { byteLength } from './kinds/text.js';
import { maxPathPartBytes, maxPixels } from './limits.js';
import { isPlaylist } from './playlists.js';
import { isSegmented } from './segments.js';
import type { RequestWarning, Size } from './setting.js';
import { flatSkipNames, isTransferOnly } from './sources.js';

/**
 * A rule between settings of one output. Returns the validation error to append to the path of the output, or
 * undefined.
 */
type OutputRule = (settings: OutputSettings) => string | undefined;

/** The highest loudness in LUFS that ffmpeg can produce. */
const maxLoudness = -5;

/** The lower and the upper limit of each property that skip rules compare. */
const skipPairs = [
  ['min_size', 'max_size'],
  ['min_height', 'max_height'],
  ['min_duration', 'max_duration'],
  ['min_audio_bitrate', 'max_audio_bitrate'],
  ['min_video_bitrate', 'max_video_bitrate'],
] as const;

/** Rules that involve more than one row of the table (contract of creating a job). */
const rules: readonly OutputRule[] = [
  (settings) => {
    const { width = 0, height = 0 } = withoutSize(settings);
    if (width * height <= maxPixels) return undefined;
    const name = settings.size === undefined ? '.width times height' : '.size';
    return `${name} must be at most ${maxPixels} pixels`;
  },
  ({ min_frame_rate, max_frame_rate }) =>
    min_frame_rate !== undefined && max_frame_rate !== undefined && min_frame_rate > max_frame_rate
      ? '.min_frame_rate must not be above max_frame_rate'
      : undefined,
  ({ skip_audio, skip_video, ...settings }) =>
    skip_audio && skip_video && !isTransferOnly(settings)
      ? ' must not have both skip_audio and skip_video, because the output would be empty'
      : undefined,
  ({ bitrate_cap, video_bitrate }) =>
    bitrate_cap !== undefined && video_bitrate !== undefined && bitrate_cap < video_bitrate
      ? '.bitrate_cap must not be below video_bitrate'
      : undefined,
  ({ quality_target, quality_floor }) =>
    quality_target !== undefined && quality_floor !== undefined && quality_floor > quality_target
      ? '.quality_floor must not be above quality_target'
      : undefined,
  ({ quality_check, measure_quality, quality_floor }) =>
    quality_check === 'none' && (measure_quality === true || quality_floor !== undefined)
      ? `.quality_check must not be none with ${measure_quality === true ? 'measure_quality' : 'quality_floor'}`
      : undefined,
  ({ target_size, quality_target }) =>
    target_size !== undefined && quality_target !== undefined
      ? '.target_size must not be given with quality_target'
      : undefined,
  ({ target_size, video_bitrate }) =>
    target_size !== undefined && video_bitrate !== undefined
      ? '.target_size must not be given with video_bitrate'
      : undefined,
  ({ audio_loudness_level }) =>
    audio_loudness_level !== undefined && audio_loudness_level > maxLoudness
      ? `.audio_loudness_level must be at most ${maxLoudness}`
      : undefined,
  ...(['audio_language', 'select_audio_language'] as const).map(
    (name): OutputRule =>
      (settings) => {
        const code = settings[name];
        return code !== undefined && !isLanguage(code) ? `.${name} must be a language code` : undefined;
      },
  ),
  ...(['audio_tracks', 'subtitle_tracks'] as const).map(
    (name): OutputRule =>
      (settings) => {
        const { [name]: selectors = [] } = settings;
        const alone =
          selectors.length > 1 ? selectors.find((one) => /^(?:all|default|languages)$/.test(one)) : undefined;
        return alone === undefined ? undefined : `.${name} must have ${alone} alone`;
      },
  ),
  channelError,
  ({ caption_url: files = [] }) => {
    const at = files.findIndex(({ language }) => language !== undefined && !isLanguage(language));
    return at === -1 ? undefined : `.caption_url[${at}].language must be a language code`;
  },
  ({ caption_url: files = [] }) => {
    const at = files.findIndex(({ encoding }) => encoding !== undefined && !isEncoding(encoding));
    return at === -1
      ? undefined
      : `.caption_url[${at}].encoding must be the name of an encoding, such as windows-1252`;
  },
  ({ caption_url: files = [] }) =>
    files.filter((file) => file.default === true).length > 1
      ? '.caption_url must have at most one entry with default: only one may be the default'
      : undefined,
  ({ audio_highpass, audio_sample_rate }) =>
    audio_highpass !== undefined && audio_sample_rate !== undefined && audio_highpass * 2 >= audio_sample_rate
      ? '.audio_highpass would leave nothing: it must be below half of audio_sample_rate'
      : undefined,
  ({ url }) =>
    url !== undefined && isTooLong(decodeUrlPart(pathInUrl(url)))
      ? `.url must have at most ${maxPathPartBytes} bytes in each part of its path`
      : undefined,
  ({ secondary_url: second }) =>
    second !== undefined && isTooLong(decodeUrlPart(pathInUrl(second)))
      ? `.secondary_url must have at most ${maxPathPartBytes} bytes in each part of its path`
      : undefined,
  ({ base_url }) =>
    base_url !== undefined && isTooLong(decodeUrlPart(pathInUrl(base_url)))
      ? `.base_url must have at most ${maxPathPartBytes} bytes in each part of its path`
      : undefined,
  hdrConflict,
  ({ skip, ...flat }) => {
    const name = flatSkipNames.find(
      (one) => flat[one] !== undefined && skip?.[one] !== undefined && !isSameRule(flat[one], skip[one]),
    );
    return name === undefined
      ? undefined
      : `.${name} and skip.${name} are the same setting and must have the same value`;
  },
  ...skipPairs.map(
    ([min, max]): OutputRule =>
      (settings) => {
        const { skip = {} } = withMergedSkipRules(settings);
        const name = settings.skip?.[min] === undefined ? min : `skip.${min}`;
        return toNumber(skip[min]) > toNumber(skip[max] ?? Number.POSITIVE_INFINITY)
          ? `.${name} must not be larger than ${max}`
          : undefined;
      },
  ),
];

/** Validation errors of fields of the job that are valid individually but not in combination. */
export function validateJob({
  transfer_minimum_rate: minimum,
  transfer_maximum_rate: maximum,
}: Partial<JobRequest>): readonly string[] {
  return minimum !== undefined && maximum !== undefined && minimum >= maximum
    ? ['transfer_minimum_rate must be below transfer_maximum_rate']
    : [];
}

/** Validation errors of settings that are valid individually but not in combination. */
export function validateOutput(settings: OutputSettings, path: string): readonly string[] {
  return rules.flatMap((rule) => {
    const text = rule(settings);
    return text === undefined ? [] : [`${path}${text}`];
  });
}

/**
 * Validation errors of duplicate labels, in any letter case. Outputs with the same destination are not detected here:
 * that requires the resolved destinations, including generated names.
 */
export function validateLabels(outputs: readonly OutputSettings[]): readonly string[] {
  const firsts = new Map<string, number>();
  return outputs.flatMap(({ label }, index) => {
    const key = label?.toLowerCase();
    const first = key === undefined ? index : (firsts.get(key) ?? index);
    if (key !== undefined) firsts.set(key, first);
    return first < index
      ? [`outputs[${index}].label must be unique, but outputs[${first}] has the same label`]
      : [];
  });
}

/** Moves the skip rules that are outside `skip` into it, so that callers only need to read `skip`. */
export function withMergedSkipRules(settings: OutputSettings): OutputSettings {
  const { min_size, max_size, min_duration, max_duration, ...others } = settings;
  const flat = Object.fromEntries(
    Object.entries({ min_size, max_size, min_duration, max_duration }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return Object.keys(flat).length === 0 ? settings : { ...others, skip: { ...flat, ...others.skip } };
}

function isSameRule(a: number | Size, b: number | Size | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A limit as a number; a size counts by its area. Absent limits count as 0. */
export function toNumber(limit: number | Size = 0): number {
  return typeof limit === 'number' ? limit : limit.width * limit.height;
}

function isLanguage(code: string): boolean {
  return code.toLowerCase() === 'und' || languageCode(code) !== null;
}

function isTooLong(path: string): boolean {
  return path.split('/').some((part) => byteLength(part) > maxPathPartBytes);
}

/** A setting that is ignored because another one takes precedence. */
interface Precedence {
  readonly name: keyof OutputSettings;
  readonly by: keyof OutputSettings;
  /** Another setting that overrides it together with `by`. */
  readonly and?: keyof OutputSettings;
  /** Absent if both must only be given. */
  readonly isConflict?: (settings: OutputSettings) => boolean;
}

const precedences: readonly Precedence[] = [
  { name: 'program', by: 'source' },
  { name: 'keyframe_rate', by: 'keyframe_interval' },
  { name: 'forced_keyframe_rate', by: 'forced_keyframe_interval' },
  {
    name: 'audio_constant_bitrate',
    by: 'audio_quality',
    isConflict: ({ audio_constant_bitrate, audio_bitrate }) =>
      audio_constant_bitrate === true && audio_bitrate !== undefined,
  },
  {
    name: 'audio_post_normalize',
    by: 'audio_loudness_level',
    isConflict: ({ audio_post_normalize }) => audio_post_normalize === true,
  },
  {
    name: 'audio_normalize',
    by: 'audio_loudness_level',
    // With expansion or compression, the audio is normalised before these as well.
    isConflict: ({ audio_normalize, audio_expansion_ratio, audio_compression_ratio }) =>
      audio_normalize === true &&
      audio_expansion_ratio === undefined &&
      audio_compression_ratio === undefined,
  },
  {
    name: 'audio_channels',
    by: 'output_audio_channels',
    isConflict: (settings) => settings.audio_channels !== requestedChannels(settings),
  },
  ...(['audio_tracks', 'select_audio_language', 'select_audio_service_type'] as const).map(
    (name): Precedence => ({
      name,
      by: 'input_audio_channels',
      isConflict: ({ copy_audio }) => copy_audio !== true,
    }),
  ),
  { name: 'select_audio_language', by: 'audio_tracks' },
  { name: 'select_audio_service_type', by: 'audio_tracks' },
  { name: 'audio_fade', by: 'audio_fade_in', and: 'audio_fade_out' },
  ...(['caption_url', 'subtitle_tracks'] as const).flatMap((name): readonly Precedence[] => [
    {
      name,
      by: 'skip_captions',
      // Those of an output of captions are its content.
      isConflict: ({ type, skip_captions }) => skip_captions === true && !isCaptions({ type }),
    },
    {
      name,
      by: 'subtitles',
      isConflict: ({ type, subtitles, skip_captions }) =>
        subtitles === 'drop' && skip_captions !== true && !isCaptions({ type }),
    },
  ]),
  {
    name: 'subtitles',
    by: 'skip_captions',
    isConflict: ({ subtitles, skip_captions }) => skip_captions === true && subtitles !== 'drop',
  },
  {
    name: 'size',
    by: 'width',
    isConflict: ({ size, width }) => size?.width !== width,
  },
  {
    name: 'size',
    by: 'height',
    isConflict: ({ size, height, width = size?.width }) => size?.width === width && size?.height !== height,
  },
];

/** A value that its limit lowers or raises. */
interface Limit {
  readonly name: keyof OutputSettings;
  readonly by: keyof OutputSettings;
  readonly is: 'above' | 'below';
}

const limits: readonly Limit[] = [
  { name: 'frame_rate', by: 'max_frame_rate', is: 'above' },
  { name: 'frame_rate', by: 'min_frame_rate', is: 'below' },
  { name: 'video_bitrate', by: 'max_video_bitrate', is: 'above' },
  { name: 'audio_sample_rate', by: 'max_audio_sample_rate', is: 'above' },
];

/** A warning for each setting that another one overrides or limits. It is an error in strict mode. */
export function overriddenSettings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  return [...replacedSettings(settings, path), ...limitedSettings(settings, path)];
}

function limitedSettings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  return limits.flatMap(({ name, by, is }) => {
    const [value, limit] = [settings[name], settings[by]];
    if (typeof value !== 'number' || typeof limit !== 'number') return [];
    if (is === 'above' ? value <= limit : value >= limit) return [];
    const message = `has no effect: it is ${is} ${by}, which applies`;
    return [{ field: `${path}.${name}`, message, strictError: `must not be ${is} ${by}` }];
  });
}

function replacedSettings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  return precedences
    .filter(
      ({ name, by, and = by, isConflict = () => true }) =>
        settings[name] !== undefined &&
        settings[by] !== undefined &&
        settings[and] !== undefined &&
        isConflict(settings),
    )
    .map(({ name, by, and }) => {
      const others = and === undefined ? by : `${by} and ${and}`;
      return {
        field: `${path}.${name}`,
        message: `has no effect with ${others}`,
        strictError: `must not be given with ${others}`,
      };
    });
}

/**
 * Replaces `size` with `width` and `height`, so that callers only need to read these. A `size` that contradicts one of
 * them is ignored as a whole.
 */
export function withoutSize(settings: OutputSettings): OutputSettings {
  const { size, ...others } = settings;
  if (size === undefined) return others;
  const { width = size.width, height = size.height } = others;
  return width === size.width && height === size.height ? { ...others, width, height } : others;
}

/**
 * Validation errors of `source`: it must name another output of the request, which has one file, and following it must
 * not lead back to the same output. Each cycle is reported once, at its first output.
 */
export function validateSources(outputs: readonly OutputSettings[]): readonly string[] {
  // Of outputs with the same label, which is an error of its own, the first one counts.
  const byLabel = new Map(
    outputs.toReversed().flatMap((output) => (output.label === undefined ? [] : [[output.label, output]])),
  );
  const cycles = findCycles(byLabel);
  const reported = new Set<readonly string[]>();
  let hintCount = 0;
  return outputs.flatMap(({ label, source }, index) => {
    if (source === undefined) return [];
    const path = `outputs[${index}].source`;
    if (source === label) return [`${path} must not name its own output`];
    const named = byLabel.get(source);
    if (named === undefined) {
      hintCount += 1;
      const hint = hintCount > maxHints ? '' : hintFor(source, [...byLabel.keys()]);
      return [`${path} names no output of this job${hint}`];
    }
    if (isSegmented(named)) return [`${path} names a segmented output, which cannot be a source`];
    if (isPlaylist(named)) return [`${path} names a playlist, which cannot be a source`];
    const cycle = label === undefined ? undefined : cycles.get(label);
    if (label === undefined || cycle === undefined || reported.has(cycle)) return [];
    reported.add(cycle);
    const start = cycle.indexOf(label);
    return [`${path} forms a cycle: ${[...cycle.slice(start), ...cycle.slice(0, start), label].join(', ')}`];
  });
}

/** Maximum number of hints about unknown sources: each compares a word with every label. */
const maxHints = 10;

function hintFor(source: string, labels: readonly string[]): string {
  const suggestions = findSuggestions(source, labels);
  return suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
}

/** The cycles that sources form, each as the labels on it, by each of these. Visits every output once. */
function findCycles(byLabel: ReadonlyMap<string, OutputSettings>): ReadonlyMap<string, readonly string[]> {
  const cycles = new Map<string, readonly string[]>();
  const visited = new Set<string>();
  for (const start of byLabel.keys()) {
    const path: string[] = [];
    let next: string | undefined = start;
    while (next !== undefined && byLabel.has(next) && !visited.has(next)) {
      visited.add(next);
      path.push(next);
      next = byLabel.get(next)?.source;
    }
    const first = path.findIndex((label) => label === next);
    const cycle = first === -1 ? [] : path.slice(first);
    for (const label of cycle) cycles.set(label, cycle);
  }
  return cycles;
}
