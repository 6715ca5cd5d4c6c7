import type { MediaFacts } from '../jobs/media.js';
import type { Decision } from './decide/decisions.js';
import { audioEncoders, videoEncoders } from './encoders.js';
import { containerOf, extensionOf, isExtension } from './formats.js';
import type { PlanPaths, Product } from './plan-types.js';
import { productPath } from './write/steps.js';

// What ffmpeg itself takes for a stream that does not tell.
const assumedFrameRate = 25;

/** The file that the steps of an output leave, and what it should be found to be. */
export function productOf(decision: Decision, paths: PlanPaths): Product {
  const { outputId, clip, video, audio } = decision;
  const frameSeconds = 1 / (video?.framesPerSecond ?? assumedFrameRate);
  return {
    outputId,
    path: productPath(decision, paths),
    expectedSeconds: clip.expectedSeconds,
    maxSeconds: maxSeconds(decision, frameSeconds),
    video:
      video === null
        ? null
        : {
            codec: videoEncoders[video.encoder].codec,
            ...video.fit.canvas,
            frameSeconds,
            frames: decision.lastFrame?.frames ?? null,
          },
    audio: audio === null ? null : { codec: audioEncoders[audio.encoder].codec, channels: audio.channels },
  };
}

/**
 * A clip ends where it was told to, by a frame. An input may last longer than it says, as some formats only guess that. A frame that is
 * shown at a time of its own lasts as long as the input says, beyond the end of a clip too.
 */
function maxSeconds({ clip, video }: Decision, frameSeconds: number): number | null {
  const { expectedSeconds, lengthSeconds } = clip;
  const isUneven = video?.timing.by === 'own-times' && video.timing.clock.by === 'fine';
  if (expectedSeconds === null || isUneven) return null;
  if (lengthSeconds === null) return expectedSeconds * 1.5 + 5;
  return expectedSeconds + Math.max(1, expectedSeconds * 0.05, 2 * frameSeconds);
}

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
