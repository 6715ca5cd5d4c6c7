import type { MediaFacts } from '../jobs/media.js';
import { containerOf, extensionOf, isExtension } from './containers.js';
import type { Product } from './plan-types.js';

/** Formats as files are found to be, where they are not called as their muxers are. */
const formats: Readonly<Record<string, string>> = {
  mov: 'mpeg4',
  mp4: 'mpeg4',
  ipod: 'mpeg4',
  '3gp': 'mpeg4',
  mpegts: 'mpeg-ts',
};

/**
 * What a file will be that is still to be made, as far as that can be told beforehand: for command lines about it that are only shown.
 * What a run does goes by the file itself.
 */
export function expectedMedia({ path, video, expectedSeconds }: Product): MediaFacts {
  const extension = extensionOf(path);
  const muxer = isExtension(extension) ? containerOf(extension).muxer : '';
  return {
    format: formats[muxer] ?? muxer,
    durationSeconds: expectedSeconds,
    totalBitrateKbps: null,
    audio: null,
    video:
      video === null
        ? null
        : {
            streamIndex: 0,
            codec: video.codec,
            width: video.width,
            height: video.height,
            sampleAspectRatio: { numerator: 1, denominator: 1 },
            rotationDegrees: 0,
            frameRate: { numerator: 1_000_000, denominator: video.frameSeconds * 1_000_000 },
            isFrameRateVariable: false,
            fieldOrder: 'progressive',
            pixelFormat: 'yuv420p',
            bitrateKbps: null,
            durationSeconds: null,
            startSeconds: 0,
          },
  };
}
