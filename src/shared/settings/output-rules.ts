import { isEncoding } from '../text/decode-text.js';
import { languageCode } from '../text/languages.js';
import { decodeUrlPart, pathInUrl } from '../text/url-text.js';
import { flatSkipNames } from './conditions.js';
import type { JobRequest, OutputSettings } from './index.js';
import { byteLength } from './kinds/text.js';
import { audioBitrateStepKbps, audioKilobitsPerChannel, maxPathPartBytes, maxPixels } from './limits.js';
import { withoutSize } from './precedence.js';
import type { RequestWarning } from './request-warning.js';
import type { Size } from './setting.js';
import { isTransferOnly } from './sources.js';

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
function toNumber(limit: number | Size = 0): number {
  return typeof limit === 'number' ? limit : limit.width * limit.height;
}

function isLanguage(code: string): boolean {
  return code.toLowerCase() === 'und' || languageCode(code) !== null;
}

function isTooLong(path: string): boolean {
  return path.split('/').some((part) => byteLength(part) > maxPathPartBytes);
}

/**
 * The settings with the allowed `audio_bitrate` that is nearest to the requested one, the greater one in a tie, and a
 * warning if that is another one (contract, section 4): requests of the hosted service's customers have 56 and 320.
 * Without `audio_channels` the limit is that of stereo; a mono input is corrected when it is known.
 */
export function withAllowedAudioBitrate(
  settings: OutputSettings,
  path: string,
): { readonly settings: OutputSettings; readonly warnings: readonly RequestWarning[] } {
  const { audio_bitrate: kbps, audio_channels: channels = 2 } = settings;
  if (kbps === undefined) return { settings, warnings: [] };
  const limit = audioKilobitsPerChannel * channels;
  const steps = Math.floor(kbps / audioBitrateStepKbps + 0.5);
  const allowed = Math.min(Math.max(steps, 1) * audioBitrateStepKbps, limit - audioBitrateStepKbps);
  if (allowed === kbps) return { settings, warnings: [] };
  const [reason, strictError] =
    kbps >= limit
      ? [
          `${channels === 1 ? 'mono' : 'stereo'} audio has less than ${limit} Kbps`,
          `must be below ${audioKilobitsPerChannel} per channel`,
        ]
      : [
          `bitrates are multiples of ${audioBitrateStepKbps}`,
          `must be a multiple of ${audioBitrateStepKbps}`,
        ];
  const message = `was corrected to ${allowed}: ${reason}`;
  return {
    settings: { ...settings, audio_bitrate: allowed },
    warnings: [{ field: `${path}.audio_bitrate`, message, strictError }],
  };
}
