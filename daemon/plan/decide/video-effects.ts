import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { VideoFacts } from '../../jobs/media.js';
import type { VideoCodec } from '../formats.js';
import { isHighRange } from './colours.js';
import type { FieldOrderDecision, Signalling, VideoEffects } from './decisions.js';

/** Codecs whose stream stores the shape of a pixel. */
export const pixelRatioCodecs: readonly VideoCodec[] = ['h264', 'hevc'];
/** Codecs that can have full range. */
export const fullRangeCodecs: readonly VideoCodec[] = ['h264', 'hevc'];
/** Codecs whose stream or file may omit the colours. */
export const optionalColourCodecs: readonly VideoCodec[] = ['h264', 'hevc', 'vp9'];

/** The effects of an output, and what was left out for this input. */
interface EffectsDecision {
  readonly effects: VideoEffects;
  readonly warnings: readonly string[];
}

/** Decides the filters of an output that change its frames. */
export function decideEffects(settings: OutputSettings, video: VideoFacts): EffectsDecision {
  const wantsLevels = settings.autolevel === true;
  const isHdr = isHighRange(video);
  return {
    effects: {
      deblocks: settings.deblock === true,
      denoise: settings.denoise ?? null,
      // The filter works with 8 bits of each colour, and the codes of HDR are not proportional to brightness.
      levels: wantsLevels && !isHdr,
      flip: settings.flip ?? null,
      sharpens: settings.sharpen === true,
    },
    warnings: wantsLevels && isHdr ? ['autolevel had no effect, because the input is HDR.'] : [],
  };
}

/** Decides what the video stream declares, as far as its codec can. */
export function decideSignalling(settings: OutputSettings, codec: VideoCodec): Signalling {
  const { sample_aspect_ratio, color_metadata, force_interlace_headers, video_color_range } = settings;
  return {
    pixelRatio: pixelRatioCodecs.includes(codec) ? (sample_aspect_ratio ?? null) : null,
    hasColours: !(color_metadata === 'discard' && optionalColourCodecs.includes(codec)),
    isFullRange: video_color_range === 'full' && fullRangeCodecs.includes(codec),
    declaresFields: force_interlace_headers === true && codec === 'h264',
    ...(settings.skip_captions === true ? { dropsCaptions: true } : {}),
  };
}

/** Which frames deinterlacing makes, and a warning if the setting has no effect on this input. */
interface FieldRateDecision {
  readonly isFramePerField: boolean;
  readonly warnings: readonly string[];
}

/**
 * Decides whether each field becomes a frame: by `deinterlace_mode`, otherwise if `frame_rate` is twice that of an
 * interlaced input.
 */
export function decideFieldRate(
  { deinterlace_mode, deinterlace: mode, frame_rate }: OutputSettings,
  { fieldOrder, frameRate }: VideoFacts,
  deinterlace: FieldOrderDecision | null,
): FieldRateDecision {
  const isInterlaced = deinterlace !== null && fieldOrder !== 'progressive';
  if (!isInterlaced) {
    const isIgnored = deinterlace_mode === 'field-to-frame' && mode !== 'off';
    const text = 'deinterlace_mode had no effect, because the input is not interlaced.';
    return { isFramePerField: false, warnings: isIgnored ? [text] : [] };
  }
  if (deinterlace_mode !== undefined)
    return { isFramePerField: deinterlace_mode === 'field-to-frame', warnings: [] };
  if (frame_rate === undefined || frameRate === null) return { isFramePerField: false, warnings: [] };
  const fieldsPerSecond = (2 * frameRate.numerator) / frameRate.denominator;
  return { isFramePerField: Math.abs(frame_rate - fieldsPerSecond) < doubleRateTolerance, warnings: [] };
}

/** Tolerance for twice the rate: 59.94 and 60 both mean the fields of 29.97. */
const doubleRateTolerance = 0.07;
