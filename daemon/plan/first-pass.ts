import type { Level, Levels, VideoEncoderName } from './encoders.js';

/**
 * Share of the first of two passes in the time of both, at speeds 1 to 5. x264 does the same hasty first pass at all of them, x265 none
 * quickly, and those of libvpx and aom are next to nothing. Measured with film at 640x360, on two cores; x264's also at
 * 1280x720 and with noise, where they lay up to a tenth higher.
 */
const firstPassWeights = {
  libx264: [0.22, 0.28, 0.34, 0.41, 0.49],
  libx265: [0.49, 0.5, 0.52, 0.5, 0.49],
  libvpx: [0.08, 0.08, 0.08, 0.08, 0.08],
  'libvpx-vp9': [0.06, 0.1, 0.14, 0.14, 0.14],
  'libaom-av1': [0.05, 0.05, 0.05, 0.05, 0.05],
  libtheora: [0.43, 0.43, 0.43, 0.43, 0.43],
  // It makes one pass only.
  libsvtav1: [0.5, 0.5, 0.5, 0.5, 0.5],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/** How much of two passes the first one is, 0-1. */
export function firstPassWeight(encoder: VideoEncoderName, speed: Level): number {
  return firstPassWeights[encoder][speed - 1] ?? 0.4;
}

/**
 * Frames that an encoder looks ahead before the first one comes out of it, at speeds 1 to 5: what its presets say, and a few for its
 * threads. x264 holds some seven more, by the reports of a picture alone, but those it has looked at are encoded the sooner. theora
 * and vp8 hold next to nothing.
 */
const encoderDelays = {
  libx264: [65, 54, 42, 23, 13],
  libx265: [33, 28, 23, 23, 18],
  libvpx: [0, 0, 0, 0, 0],
  'libvpx-vp9': [25, 25, 25, 25, 25],
  'libaom-av1': [35, 35, 35, 35, 35],
  libtheora: [0, 0, 0, 0, 0],
  libsvtav1: [40, 40, 40, 40, 40],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/**
 * How many frames an encoder holds back. Where there is sound beside the picture, ffmpeg's reports follow the sound, which nobody
 * holds back: with x264 they come to the end of a film some two seconds of it before the last frames are encoded.
 */
export function encoderDelayFrames(encoder: VideoEncoderName, speed: Level): number {
  return encoderDelays[encoder][speed - 1] ?? 0;
}
