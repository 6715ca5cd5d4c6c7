import type { Level } from './decide/decisions.js';
import type { Levels, VideoEncoderName } from './encoders.js';

/**
 * Share of the first of two passes in the time of both, at speeds 1 to 5. x264 does the same hasty first pass at all of them, x265 none
 * in haste, and those of libvpx and aom are next to nothing. Measured with four seconds of film
 * at 640x360, on two cores.
 */
const firstPassShares = {
  libx264: [0.2, 0.3, 0.39, 0.46, 0.53],
  libx265: [0.49, 0.5, 0.52, 0.5, 0.49],
  libvpx: [0.08, 0.08, 0.08, 0.08, 0.08],
  'libvpx-vp9': [0.06, 0.1, 0.14, 0.14, 0.14],
  'libaom-av1': [0.05, 0.05, 0.05, 0.05, 0.05],
  libtheora: [0.43, 0.43, 0.43, 0.43, 0.43],
  // It makes one pass only.
  libsvtav1: [0.5, 0.5, 0.5, 0.5, 0.5],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/** How much of two passes the first one is, 0-1. */
export function firstPassShare(encoder: VideoEncoderName, speed: Level): number {
  return firstPassShares[encoder][speed - 1] ?? 0.4;
}
