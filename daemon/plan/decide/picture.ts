import type { OutputSettings } from '../../../src/api/settings/index.js';
import { maxPixels } from '../../../src/api/settings/limits.js';
import type { Fault } from '../../jobs/fault.js';
import type { Ratio, VideoFacts } from '../../jobs/media.js';
import { type VideoEncoder, type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { WatermarkPicture } from '../plan-types.js';
import type { Clock, Fields, Picture, Timing } from './decisions.js';
import { levelOf } from './level.js';
import { decideFit } from './size.js';
import { decideWatermarks } from './watermarks.js';

/** Greatest distance between two keyframes, in frames (section 8). */
export const defaultKeyframeInterval = 250;

/** Everything about the picture of an output, or why this input's picture cannot be made what is asked. */
export function decidePicture(
  settings: OutputSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  format: string,
  watermarks: readonly WatermarkPicture[] = [],
): { readonly picture: Picture } | { readonly fault: Fault } {
  const fit = decideFit(settings, video);
  const { width, height } = fit.canvas;
  const scaledPixels = fit.scaleTo === null ? 0 : fit.scaleTo.width * fit.scaleTo.height;
  if (Math.max(width * height, scaledPixels) > maxPixels) {
    return refused(`The picture would be of ${width}x${height} pixels, and ${maxPixels} is the most.`);
  }
  const { minSidePixels = 0 }: VideoEncoder = videoEncoders[encoder];
  if (Math.min(width, height) < minSidePixels) {
    return refused(
      `The picture would be of ${width}x${height} pixels, and ${encoder} takes none with a side below ${minSidePixels}.`,
    );
  }
  return {
    picture: {
      streamIndex: video.streamIndex,
      encoder,
      deinterlace: decideFields(settings.deinterlace ?? 'detect', video),
      turnDegrees: video.rotationDegrees,
      fit,
      watermarks: decideWatermarks(settings.watermark ?? [], watermarks, fit.canvas),
      timing: decideTiming(video, encoder, format),
      framesPerSecond: video.frameRate === null ? null : perSecond(video.frameRate),
      rate:
        settings.video_bitrate === undefined
          ? { by: 'quality', level: levelOf(settings.quality) }
          : { by: 'bitrate', kbps: settings.video_bitrate },
      speed: levelOf(settings.speed),
      keyframeInterval: defaultKeyframeInterval,
    },
  };
}

function refused(message: string): { readonly fault: Fault } {
  return { fault: { errorClass: 'InvalidVideoSettingsError', message } };
}

/** Whether fields are made frames (`deinterlace`): `detect` goes by what the file says of itself, and silence is a no. */
function decideFields(mode: 'on' | 'off' | 'detect', { fieldOrder }: VideoFacts): Fields | null {
  if (mode === 'off') return null;
  if (fieldOrder === 'top-first' || fieldOrder === 'bottom-first') return fieldOrder;
  return mode === 'on' ? 'as-flagged' : null;
}

/**
 * Frames keep their own times wherever the file can tell them: variable rates stay variable, and no frame is doubled. Theora
 * counts frames instead of timing them, so there they come at an even rate.
 */
function decideTiming(video: VideoFacts, encoder: VideoEncoderName, format: string): Timing {
  const { frameRate, isFrameRateVariable } = video;
  if (encoder === 'libtheora') return { by: 'even-rate', rate: frameRate ?? unknownRate };
  if (isFrameRateVariable || frameRate === null) return { by: 'own-times', clock: { by: 'fine' } };
  return {
    by: 'own-times',
    clock: looseFormats.has(format) ? partFrames(frameRate) : { by: 'frames' },
  };
}

// Matroska's frame rate is a remark: what was repacked from elsewhere bears the average of an uneven rate as if it were even.
const looseFormats: ReadonlySet<string> = new Set(['matroska', 'webm']);

/**
 * Steps of a whole part of a frame. Matroska rounds times to a millisecond: steps of three and more bring even frames back to
 * where they belong, and move uneven ones by less than anybody sees.
 */
function partFrames({ numerator, denominator }: Ratio): Clock {
  const parts = Math.max(1, Math.floor((denominator * 1000) / (numerator * 3)));
  return { by: 'part-frames', step: { numerator: denominator, denominator: numerator * parts } };
}

// What ffmpeg itself takes for a stream that does not tell.
const unknownRate: Ratio = { numerator: 25, denominator: 1 };

function perSecond({ numerator, denominator }: Ratio): number {
  return numerator / denominator;
}
