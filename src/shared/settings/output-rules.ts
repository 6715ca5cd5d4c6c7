import { decodeUrlPart, pathInUrl, withoutExtension } from '../text/url-text.js';
import type { OutputSettings } from './index.js';
import { audioKilobitsPerChannel, maxPathPartBytes, maxPixels, thumbnailSuffix } from './limits.js';
import { byteLength } from './read-text.js';

/**
 * A rule between settings of one output. Returns the validation error to append to the path of the output, or
 * undefined.
 */
type OutputRule = (settings: OutputSettings) => string | undefined;

/** Rules that involve more than one row of the table (contract of creating a job). */
const rules: readonly OutputRule[] = [
  ({ size, width = size?.width }) =>
    size !== undefined && width !== size.width ? '.size must agree with width' : undefined,
  ({ size, height = size?.height }) =>
    size !== undefined && height !== size.height ? '.size must agree with height' : undefined,
  ({ size, width = size?.width ?? 0, height = size?.height ?? 0 }) =>
    width * height > maxPixels ? ` must have width times height of at most ${maxPixels} pixels` : undefined,
  ({ skip_audio, skip_video }) =>
    skip_audio && skip_video
      ? ' must not have both skip_audio and skip_video, because the output would be empty'
      : undefined,
  ({ bitrate_cap, video_bitrate }) =>
    bitrate_cap !== undefined && video_bitrate !== undefined && bitrate_cap < video_bitrate
      ? '.bitrate_cap must not be below video_bitrate'
      : undefined,
  // The table already limits two channels; without audio_channels the number depends on the input, which is not known
  // yet.
  ({ audio_bitrate, audio_channels }) =>
    audio_channels === 1 && audio_bitrate !== undefined && audio_bitrate >= audioKilobitsPerChannel
      ? `.audio_bitrate must be below ${audioKilobitsPerChannel} when audio_channels is 1`
      : undefined,
  ({ audio_highpass, audio_sample_rate }) =>
    audio_highpass !== undefined && audio_sample_rate !== undefined && audio_highpass * 2 >= audio_sample_rate
      ? '.audio_highpass would leave nothing: it must be below half of audio_sample_rate'
      : undefined,
  ({ filename, thumbnails }) =>
    filename !== undefined && isTooLong(filename, thumbnails !== undefined)
      ? `.filename must have at most ${maxPathPartBytes} bytes in its last part, including the suffix ${thumbnailSuffix} of thumbnails`
      : undefined,
  ({ url, thumbnails }) =>
    url !== undefined && isTooLong(decodeUrlPart(pathInUrl(url)), thumbnails !== undefined)
      ? `.url must have at most ${maxPathPartBytes} bytes in each part of its path, including the suffix of thumbnails`
      : undefined,
  ({ base_url }) =>
    base_url !== undefined && isTooLong(decodeUrlPart(pathInUrl(base_url)), false)
      ? `.base_url must have at most ${maxPathPartBytes} bytes in each part of its path`
      : undefined,
];

/** Validation errors of settings that are valid individually but not in combination. */
export function validateOutput(settings: OutputSettings, path: string): readonly string[] {
  return rules.flatMap((rule) => {
    const text = rule(settings);
    return text === undefined ? [] : [`${path}${text}`];
  });
}

/**
 * Validation errors of duplicate labels. Outputs with the same destination are not detected here: that requires the
 * resolved destinations, including generated names.
 */
export function validateLabels(outputs: readonly OutputSettings[]): readonly string[] {
  const labels = outputs.map(({ label }) => label);
  return labels.flatMap((label, index) => {
    const first = label === undefined ? index : labels.indexOf(label);
    return first < index
      ? [`outputs[${index}].label must be unique, but outputs[${first}] has the same label`]
      : [];
  });
}

/** Replaces `size` with `width` and `height`, so that callers only need to read these. */
export function withoutSize(settings: OutputSettings): OutputSettings {
  const { size, ...others } = settings;
  return size === undefined ? others : { ...others, width: size.width, height: size.height };
}

function isTooLong(path: string, hasThumbnails: boolean): boolean {
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  const thumbnail = withoutExtension(last) + thumbnailSuffix;
  return [...parts, ...(hasThumbnails ? [thumbnail] : [])].some(
    (part) => byteLength(part) > maxPathPartBytes,
  );
}
