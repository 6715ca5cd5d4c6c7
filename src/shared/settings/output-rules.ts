import { decodeUrlPart, pathInUrl, withoutExtension } from '../text/url-text.js';
import type { OutputSettings } from './index.js';
import { audioKilobitsPerChannel, maxPathPartBytes, maxPixels, thumbnailSuffix } from './limits.js';
import { byteLength } from './read-text.js';

/** A rule between settings of one output: what is wrong with them, to stand after the path of the output; or nothing. */
type OutputRule = (settings: OutputSettings) => string | undefined;

/** Rules that no row of a table can tell by itself (contract of creating a job). */
const rules: readonly OutputRule[] = [
  ({ size, width = size?.width }) =>
    size !== undefined && width !== size.width ? '.size must agree with width' : undefined,
  ({ size, height = size?.height }) =>
    size !== undefined && height !== size.height ? '.size must agree with height' : undefined,
  ({ size, width = size?.width ?? 0, height = size?.height ?? 0 }) =>
    width * height > maxPixels ? ` must have width times height of at most ${maxPixels} pixels` : undefined,
  ({ skip_audio, skip_video }) =>
    skip_audio && skip_video
      ? ' must not have both skip_audio and skip_video, since nothing would be left'
      : undefined,
  ({ bitrate_cap, video_bitrate }) =>
    bitrate_cap !== undefined && video_bitrate !== undefined && bitrate_cap < video_bitrate
      ? '.bitrate_cap must not be below video_bitrate'
      : undefined,
  // Two channels are the table's own limit, and without audio_channels the input's number is not known yet.
  ({ audio_bitrate, audio_channels }) =>
    audio_channels === 1 && audio_bitrate !== undefined && audio_bitrate >= audioKilobitsPerChannel
      ? `.audio_bitrate must be below ${audioKilobitsPerChannel} when audio_channels is 1`
      : undefined,
  ({ filename, thumbnails }) =>
    filename !== undefined && isTooLong(filename, thumbnails !== undefined)
      ? `.filename must have at most ${maxPathPartBytes} bytes in its last part, ${thumbnailSuffix} of the thumbnails included`
      : undefined,
  ({ url, thumbnails }) =>
    url !== undefined && isTooLong(decodeUrlPart(pathInUrl(url)), thumbnails !== undefined)
      ? `.url must have at most ${maxPathPartBytes} bytes in each part of its path, the suffix of thumbnails included`
      : undefined,
  ({ base_url }) =>
    base_url !== undefined && isTooLong(decodeUrlPart(pathInUrl(base_url)), false)
      ? `.base_url must have at most ${maxPathPartBytes} bytes in each part of its path`
      : undefined,
];

/** Every complaint about settings that are right one by one but do not go together. */
export function validateOutput(settings: OutputSettings, path: string): readonly string[] {
  return rules.flatMap((rule) => {
    const text = rule(settings);
    return text === undefined ? [] : [`${path}${text}`];
  });
}

/**
 * Complaints about labels that are there twice. That two outputs go to one place is not told here: it takes the
 * places that they are given, made-up names included.
 */
export function validateLabels(outputs: readonly OutputSettings[]): readonly string[] {
  const labels = outputs.map(({ label }) => label);
  return labels.flatMap((label, index) => {
    const first = label === undefined ? index : labels.indexOf(label);
    return first < index
      ? [`outputs[${index}].label must be unique, and outputs[${first}] has the same`]
      : [];
  });
}

/** The settings with `width` and `height` in place of `size`, so that only these need to be looked at. */
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
