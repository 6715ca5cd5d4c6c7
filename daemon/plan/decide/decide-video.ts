import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job-failure.js';
import { orientationOf, type VideoFacts } from '../../jobs/media.js';
import { levelOf, type VideoEncoder, type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { Capabilities, WatermarkImage } from '../plan-types.js';
import { decideColours, finalMatrix } from './colours.js';
import type { BitrateCap, FieldOrderDecision, VideoDecision, VideoRate } from './decisions.js';
import { decideFit } from './size.js';
import { decideTiming, type TimingSource } from './timing.js';
import { decideWatermarks, tooLargeWatermark } from './watermarks.js';

/** Greatest distance between two keyframes, in frames (section 8). */
const defaultKeyframeInterval = 250;

/** Everything about the picture of an output, or why this input's picture cannot be made what is asked. */
export function decideVideo(
  settings: OutputSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  source: TimingSource,
  watermarks: readonly WatermarkImage[] = [],
  capabilities: Pick<Capabilities, 'filters' | 'encoders'> = { filters: new Set(), encoders: new Set() },
): { readonly video: VideoDecision } | { readonly failure: JobFailure } {
  // 0 too stands for a turn that was asked for: none, whatever the file says.
  const rotated: VideoFacts =
    settings.rotate === undefined ? video : { ...video, rotationDegrees: settings.rotate, isMirrored: false };
  const fit = decideFit(settings, rotated);
  const { width, height } = fit.canvas;
  const scaledPixels = fit.scaleTo === null ? 0 : fit.scaleTo.width * fit.scaleTo.height;
  if (Math.max(width * height, scaledPixels) > maxPixels) {
    return rejected(`The picture would be of ${width}x${height} pixels, and ${maxPixels} is the most.`);
  }
  const { codec, minSidePixels = 0 }: VideoEncoder = videoEncoders[encoder];
  if (Math.min(width, height) < minSidePixels) {
    return rejected(
      `The picture would be of ${width}x${height} pixels, and ${encoder} takes none with a side below ${minSidePixels}.`,
    );
  }
  const deinterlace = decideFields(settings.deinterlace ?? 'detect', video);
  const colourDecision = decideColours(video, codec, capabilities);
  const matrix = finalMatrix(colourDecision);
  const overlays = decideWatermarks(settings.watermark ?? [], watermarks, fit.canvas, matrix);
  const tooLarge = tooLargeWatermark(overlays);
  if (tooLarge !== null) return { failure: tooLarge };
  return {
    video: {
      streamIndex: video.streamIndex,
      inputCodec: video.codec,
      encoder,
      inputDecoder: decideDecoder(video, capabilities),
      deinterlace,
      staysInterlaced: deinterlace === null && decideFields('detect', video) !== null,
      orientation: orientationOf(rotated),
      hasDisplayMatrix: orientationOf(video) !== 1,
      fit,
      ...colourDecision,
      watermarks: overlays,
      ...decideTiming(settings, video, encoder, source),
      rate: decideVideoRate(settings, encoder),
      cap: decideCap(settings),
      speed: levelOf(settings.speed),
      keyframeInterval: settings.keyframe_interval ?? defaultKeyframeInterval,
    },
  };
}

function rejected(message: string): { readonly failure: JobFailure } {
  return { failure: { errorClass: 'InvalidVideoSettingsError', message } };
}

/** Whether fields are made frames (`deinterlace`): `detect` goes by what the file says of itself, and silence is a no. */
function decideFields(mode: 'on' | 'off' | 'detect', { fieldOrder }: VideoFacts): FieldOrderDecision | null {
  if (mode === 'off') return null;
  if (fieldOrder === 'top-first' || fieldOrder === 'bottom-first') return fieldOrder;
  return mode === 'on' ? 'as-flagged' : null;
}

/** ffmpeg's own decoders of VP8 and VP9 leave the transparency out, which those of libvpx decode. */
function decideDecoder(
  { codec, hasAlpha }: VideoFacts,
  { encoders }: Pick<Capabilities, 'encoders'>,
): string | null {
  const decoder = codec === 'vp8' ? 'libvpx' : codec === 'vp9' ? 'libvpx-vp9' : null;
  // A build has the decoders of the libraries whose encoders it has.
  return hasAlpha === true && decoder !== null && encoders.has(decoder) ? decoder : null;
}

/** The settings that say how many bits the picture gets (section 4.1 Video bitrate). */
export type VideoRateSettings = Pick<
  OutputSettings,
  'quality' | 'video_bitrate' | 'bitrate_cap' | 'buffer_size' | 'onepass'
>;

/** A buffer lasts this long at its cap, unless `buffer_size` says otherwise (contract, section 11). */
const bufferSeconds = 1.5;

/**
 * How many bits the picture gets: as `quality` asks for, or by `video_bitrate`, which wins over it. A bitrate takes two passes, and so does
 * a quality with an encoder that meets it better so, unless `onepass` is set. Below a cap a quality takes one.
 */
export function decideVideoRate(settings: VideoRateSettings, encoder: VideoEncoderName): VideoRate {
  const allowsTwoPasses = settings.onepass !== true;
  if (settings.video_bitrate !== undefined) {
    return { by: 'bitrate', kbps: settings.video_bitrate, passes: allowsTwoPasses ? 2 : 1 };
  }
  const { hasTwoPassQuality }: VideoEncoder = videoEncoders[encoder];
  const usesTwoPasses = allowsTwoPasses && hasTwoPassQuality === true && settings.bitrate_cap === undefined;
  return { by: 'quality', level: levelOf(settings.quality), passes: usesTwoPasses ? 2 : 1 };
}

/** What the bits may be at most (`bitrate_cap`), over which buffer; null where there is no cap. A buffer alone limits nothing. */
export function decideCap({ bitrate_cap, buffer_size }: VideoRateSettings): BitrateCap | null {
  if (bitrate_cap === undefined) return null;
  return { kbps: bitrate_cap, bufferKilobits: buffer_size ?? Math.ceil(bitrate_cap * bufferSeconds) };
}
