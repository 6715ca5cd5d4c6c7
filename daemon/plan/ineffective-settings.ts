import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isChecked, isMeasured } from '../../src/shared/settings/quality.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { coverUrlOf } from '../../src/shared/settings/sources.js';
import type { Combination } from './check-combination.js';
import { holdsCovers } from './decide/attached.js';
import { hasBitrates } from './decide/audio-options.js';
import { decideCap } from './decide/bitrate-cap.js';
import { hasHintTracks, reasonWithoutHints } from './decide/hint-tracks.js';
import { storesLanguage } from './decide/languages.js';
import { optionalColourCodecs, pixelRatioCodecs } from './decide/video-effects.js';
import { type VideoEncoder, videoEncoders } from './encoders.js';
import { audioSettings, turnsOff, videoSettings } from './stream-settings.js';

/** The facts that decide which settings have an effect on an output. */
interface OutputFacts {
  readonly settings: OutputSettings;
  readonly combination: Combination;
}

/** Settings that have no effect on some outputs. */
interface EffectRule {
  readonly names: readonly (keyof OutputSettings)[];
  /** Why they have no effect on an output; null if they have one. */
  readonly reason: (facts: OutputFacts) => string | null;
  /** Whether that is an error with `strict`. */
  readonly isDemand?: true;
}

/** Whether an output has video that is not copied. */
function isVideoEncoded(
  facts: OutputFacts,
): facts is OutputFacts & { readonly combination: { readonly video: NonNullable<Combination['video']> } } {
  return facts.combination.video !== null && facts.settings.copy_video !== true;
}

/** Settings of a measurement. */
const measureSettings = ['quality_check', 'quality_log', 'quality_metric', 'quality_reference'] as const;

const targetSettings = ['quality_target', 'quality_floor'] as const;
/** Those of an encoded video that are no demands. */
const encodingSettings = videoSettings.filter((name) => !targetSettings.some((target) => target === name));

const theoraReason = 'the encoder of theora places keyframes itself';

const rules: readonly EffectRule[] = [
  {
    names: ['video_codec', ...encodingSettings, 'copy_video'],
    reason: ({ combination }) => (combination.video === null ? 'the output has no video' : null),
  },
  {
    names: ['thumbnails', 'caption_url', 'skip_captions', 'subtitles', 'subtitle_tracks'],
    reason: ({ combination }) => (combination.video === null ? 'the output has no video' : null),
  },
  {
    names: [
      ...(['audio_codec', ...audioSettings, 'copy_audio'] as const),
      ...(['audio_language', 'audio_tracks', 'select_audio_language'] as const),
      ...(['select_audio_service_type', 'input_audio_service_types'] as const),
    ],
    reason: ({ combination }) => (combination.audio === null ? 'the output has no audio' : null),
  },
  {
    names: ['input_audio_service_types'],
    reason: ({ settings, combination }) =>
      combination.audio !== null && settings.select_audio_service_type === undefined
        ? 'it needs select_audio_service_type'
        : null,
  },
  {
    names: ['forced_keyframe_interval', 'forced_keyframe_rate', 'prepare_for_segmenting'],
    reason: ({ combination }) => (combination.video?.codec === 'theora' ? theoraReason : null),
  },
  {
    names: ['fixed_keyframe_interval'],
    reason: ({ settings, combination }) =>
      settings.fixed_keyframe_interval === true && combination.video?.codec === 'theora'
        ? theoraReason
        : null,
  },
  {
    names: ['measure_quality', ...measureSettings, ...targetSettings],
    isDemand: true,
    reason: ({ combination }) => (combination.video === null ? 'the output has no video' : null),
  },
  {
    names: measureSettings,
    reason: ({ settings, combination }) =>
      combination.video !== null && !isMeasured(settings)
        ? 'it needs measure_quality or quality_target'
        : null,
  },
  {
    names: ['quality_log'],
    reason: ({ settings, combination }) =>
      combination.video !== null && isMeasured(settings) && !isChecked(settings)
        ? 'quality_check is none'
        : null,
  },
  {
    names: targetSettings,
    isDemand: true,
    reason: (facts) => {
      if (facts.combination.video === null) return null;
      if (facts.settings.copy_video === true) return 'the video is copied';
      const { codec, encoder } = facts.combination.video;
      const { crf }: VideoEncoder = videoEncoders[encoder];
      if (crf === undefined) return `${codec} has no constant rate factor`;
      if (facts.settings.video_bitrate !== undefined) return 'video_bitrate decides';
      return facts.settings.quality_target === undefined ? 'it needs quality_target' : null;
    },
  },
  {
    names: ['target_size'],
    reason: (facts) =>
      isVideoEncoded(facts) && isSegmented(facts.settings) ? 'the output consists of segments' : null,
  },
  {
    names: ['aspect_mode'],
    reason: (facts) => {
      const { width, height, aspect_mode } = facts.settings;
      if (!isVideoEncoded(facts) || aspect_mode === 'preserve') return null;
      return width === undefined || height === undefined ? 'it needs width and height' : null;
    },
  },
  {
    names: ['upscale'],
    reason: (facts) => {
      const { width, height } = facts.settings;
      return isVideoEncoded(facts) && width === undefined && height === undefined
        ? 'it needs width or height'
        : null;
    },
  },
  {
    names: ['buffer_size'],
    reason: (facts) =>
      isVideoEncoded(facts) && decideCap(facts.settings, facts.combination.video.codec) === null
        ? 'it needs bitrate_cap'
        : null,
  },
  {
    names: ['sample_aspect_ratio'],
    reason: ({ settings: { sample_aspect_ratio: ratio }, combination: { video } }) =>
      video === null || ratio?.numerator === ratio?.denominator || pixelRatioCodecs.includes(video.codec)
        ? null
        : 'only h264 and hevc store the shape of a pixel',
  },
  {
    names: ['force_interlace_headers'],
    reason: ({ settings, combination: { video } }) =>
      video !== null && settings.force_interlace_headers === true && video.codec !== 'h264'
        ? 'only h264 has these headers'
        : null,
  },
  {
    names: ['color_metadata'],
    reason: ({ settings, combination: { video } }) =>
      video !== null && settings.color_metadata === 'discard' && !optionalColourCodecs.includes(video.codec)
        ? 'only the colours of h264, hevc and vp9 can be left out'
        : null,
  },
  {
    names: ['skip_captions'],
    reason: ({ settings: { skip_captions, copy_video }, combination }) =>
      skip_captions === true && copy_video === true && combination.video !== null
        ? 'captions within the frames of the video remain, because it is copied'
        : null,
  },
  {
    names: ['subtitles'],
    reason: ({ settings: { subtitles, copy_video, skip_captions }, combination }) =>
      subtitles === 'burn' && copy_video === true && skip_captions !== true && combination.video !== null
        ? 'the video is copied'
        : null,
  },
  {
    names: ['deinterlace_mode'],
    reason: ({ settings, combination: { video } }) =>
      video !== null && settings.deinterlace === 'off' && settings.deinterlace_mode === 'field-to-frame'
        ? 'deinterlace is off'
        : null,
  },
  {
    names: ['video_codec', ...encodingSettings],
    reason: ({ settings, combination }) =>
      settings.copy_video === true && combination.video !== null ? 'the video is copied' : null,
  },
  {
    names: ['audio_codec', ...audioSettings],
    reason: ({ settings, combination }) =>
      settings.copy_audio === true && combination.audio !== null ? 'the audio is copied' : null,
  },
  {
    names: ['audio_language'],
    reason: ({ combination }) =>
      combination.audio === null || storesLanguage(combination.container)
        ? null
        : `${combination.extension} does not store the language of audio`,
  },
  {
    names: ['force_aac_profile'],
    reason: ({ settings, combination: { audio } }) =>
      audio === null || audio.codec === 'aac' || settings.copy_audio === true ? null : 'the audio is not AAC',
  },
  {
    names: ['audio_constant_bitrate'],
    reason: ({ settings, combination: { audio } }) => {
      if (audio === null || settings.audio_constant_bitrate !== true || settings.copy_audio === true)
        return null;
      return hasBitrates(audio.codec) ? null : `${audio.codec} has no choice of bitrates`;
    },
  },
  {
    names: ['audio_quality', 'audio_bitrate'],
    reason: ({ settings, combination: { audio } }) =>
      /^(?:pcm|flac)$/.test(audio?.codec ?? '') && settings.copy_audio !== true
        ? `${audio?.codec} has no choice of bitrates`
        : null,
  },
  {
    names: ['cover'],
    reason: ({ settings, combination: { container, extension } }) => {
      if (coverUrlOf(settings) === null) return null;
      const isCut = isSegmented(settings);
      if (holdsCovers(container, { isCut, hasHintTracks: hasHintTracks(settings, container) })) return null;
      return isCut ? 'segments have no cover image' : `${extension} has no place for a cover image here`;
    },
  },
  {
    names: ['hint'],
    reason: ({ settings, combination }) => reasonWithoutHints(settings, combination.container),
  },
  {
    names: ['video_bit_depth', 'video_color_range'],
    reason: ({
      settings: { video_bit_depth: depth = 8, video_color_range: range, copy_video },
      combination,
    }) =>
      (depth === 8 || depth === 'auto') && range !== 'full'
        ? null
        : combination.video === null
          ? 'the output has no video'
          : copy_video === true
            ? 'the video is copied'
            : null,
  },
  {
    names: ['hdr', 'preserve_hdr_metadata'],
    reason: ({ settings: { hdr, copy_video }, combination }) => {
      if (combination.video === null) return 'the output has no video';
      return copy_video === true && hdr === 'tone-map' ? 'the video is copied' : null;
    },
  },
  {
    names: ['audio_bit_depth'],
    reason: ({ settings: { audio_bit_depth: depth = 16, copy_audio }, combination: { audio } }) => {
      if (depth === 16) return null;
      if (audio === null) return 'the output has no audio';
      if (copy_audio === true) return 'the audio is copied';
      return /^(?:pcm|flac)$/.test(audio.codec)
        ? null
        : 'only the codecs pcm and flac have a choice of bits per sample';
    },
  },
  {
    names: ['audio_compression_threshold'],
    reason: ({ settings, combination }) =>
      combination.audio !== null && settings.audio_compression_ratio === undefined
        ? 'it needs audio_compression_ratio'
        : null,
  },
  {
    names: ['audio_expansion_threshold'],
    reason: ({ settings, combination }) =>
      combination.audio !== null && settings.audio_expansion_ratio === undefined
        ? 'it needs audio_expansion_ratio'
        : null,
  },
];

const ruledNames: ReadonlySet<string> = new Set(rules.flatMap(({ names }) => names));

/**
 * A warning for each setting that is valid but has no effect on this output. One that turns something off has the
 * effect that it asks for. `path` is the path of the output; `settings` are those of the request with those of
 * `device_profile`.
 */
export function ineffectiveSettings(
  given: OutputSettings,
  combination: Combination,
  path: string,
  settings: OutputSettings = given,
): readonly RequestWarning[] {
  // Most requests have none of the names, and every create asks.
  if (!Object.keys(given).some((name) => ruledNames.has(name))) return [];
  return rules.flatMap(({ names, reason, isDemand = false }) => {
    if (!names.some((name) => given[name] !== undefined)) return [];
    const sent = names.filter((name) => given[name] !== undefined && !turnsOff(name, given[name]));
    const why = sent.length === 0 ? null : reason({ settings, combination });
    return why === null
      ? []
      : sent.map((name) => ({
          ...{ field: `${path}.${name}`, message: `has no effect: ${why}` },
          ...(isDemand ? { strictError: `is not possible: ${why}` } : {}),
        }));
  });
}
