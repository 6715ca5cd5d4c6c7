import { isCaptions } from './captions.js';
import type { OutputSettings } from './index.js';
import type { RequestWarning } from './request-warning.js';

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
  { name: 'audio_fade', by: 'audio_fade_in', and: 'audio_fade_out' },
  {
    name: 'caption_url',
    by: 'skip_captions',
    // Those of an output of captions are its content.
    isConflict: ({ type, skip_captions }) => skip_captions === true && !isCaptions({ type }),
  },
  {
    name: 'caption_url',
    by: 'subtitles',
    isConflict: ({ type, subtitles, skip_captions }) =>
      subtitles === 'drop' && skip_captions !== true && !isCaptions({ type }),
  },
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
