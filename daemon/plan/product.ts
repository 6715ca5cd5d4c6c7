import type { Decision } from './decide/decisions.js';
import { audioEncoders, videoEncoders } from './encoders.js';
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
