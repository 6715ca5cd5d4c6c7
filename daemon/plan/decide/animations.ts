import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { VideoFacts } from '../../jobs/media.js';
import { type Container, containerOf, type Extension } from '../formats.js';
import { turnsOff } from '../stream-settings.js';
import type { Clip } from './decisions.js';
import { isLastFrameHeld } from './timing.js';

/** The settings of a rate control and of keyframes, which animated images do not have. */
const unsupportedSettings = [
  ...(['video_bitrate', 'max_video_bitrate', 'bitrate_cap', 'buffer_size', 'constant_bitrate'] as const),
  ...(['target_size', 'quality_target', 'quality_floor', 'measure_quality', 'onepass', 'crf'] as const),
  ...(['keyframe_interval', 'keyframe_rate', 'fixed_keyframe_interval'] as const),
  ...(['forced_keyframe_interval', 'forced_keyframe_rate', 'prepare_for_segmenting'] as const),
] as const satisfies readonly (keyof OutputSettings)[];

const rateSettings = ['frame_rate', 'max_frame_rate', 'min_frame_rate', 'decimate'] as const;

/** The errors of settings that an animated image cannot have. `path` is the path of the output. */
export function animationErrors(
  settings: OutputSettings,
  extension: Extension,
  path: string,
): readonly string[] {
  const { animation, muxer } = containerOf(extension);
  if (animation === undefined) return [];
  const { maxSeconds, maxRate } = animation;
  const { clip_length: seconds = 0, thumbnails } = settings;
  return [
    ...unsupportedSettings
      .filter((name) => settings[name] !== undefined && !turnsOff(name, settings[name]))
      .map(
        (name) =>
          `${path}.${name} must not be given for ${extension}, which has neither a bitrate nor keyframes`,
      ),
    ...(seconds > maxSeconds ? [`${path}.clip_length must be at most ${maxSeconds} for ${extension}`] : []),
    ...(['frame_rate', 'min_frame_rate'] as const).flatMap((name) =>
      (settings[name] ?? 0) > maxRate ? [`${path}.${name} must be at most ${maxRate} for ${extension}`] : [],
    ),
    ...(thumbnails !== undefined && muxer === 'webp'
      ? [
          `${path}.thumbnails must not be given for .webp, which ffmpeg does not decode: add them to another output`,
        ]
      : []),
  ];
}

/**
 * The settings that apply to an animated image: with its frame rate, which is a maximum, so that no frame is repeated.
 * Unchanged for other containers. libwebp displays the last frame for as long as the average one, so uneven frames get a
 * constant rate there; it stores repeated frames once.
 */
export function forAnimation(
  settings: OutputSettings,
  { animation, muxer }: Container,
  video: VideoFacts | null,
): OutputSettings {
  if (animation === undefined) return settings;
  const { defaultRate, maxRate } = animation;
  const hasRate = rateSettings.some((name) => settings[name] !== undefined);
  const isUneven = video !== null && (video.isFrameRateVariable || isLastFrameHeld(video));
  const isConstant = muxer === 'webp' && !hasRate && isUneven;
  return {
    ...settings,
    ...(isConstant ? { frame_rate: defaultRate } : {}),
    max_frame_rate: Math.min(settings.max_frame_rate ?? (hasRate ? maxRate : defaultRate), maxRate),
  };
}

/** Why a clip is too long for a container; null if it is not, or if its length is not known. */
export function tooLongForAnimation({ expectedSeconds }: Clip, extension: Extension): string | null {
  const { animation } = containerOf(extension);
  if (animation === undefined || expectedSeconds === null || expectedSeconds <= animation.maxSeconds + 0.5)
    return null;
  return (
    `A ${extension} has at most ${animation.maxSeconds} seconds, and this one would have ` +
    `${Math.round(expectedSeconds * 10) / 10}. Choose a part of the input with start_clip and clip_length.`
  );
}
