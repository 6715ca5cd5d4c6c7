import type { Level, Levels, VideoEncoderName } from './encoders.js';

/**
 * Part of the time of two passes that the first one takes, at speeds 1 to 5. The first pass of x264 takes the same time at all
 * speeds, that of x265 is never fast, and those of libvpx and libaom take very little. Measured with video at 640x360 on two
 * cores; x264 also at 1280x720 and with noise, where the values were up to a tenth higher.
 */
const firstPassWeights = {
  libx264: [0.22, 0.28, 0.34, 0.41, 0.49],
  libx265: [0.49, 0.5, 0.52, 0.5, 0.49],
  libvpx: [0.08, 0.08, 0.08, 0.08, 0.08],
  'libvpx-vp9': [0.06, 0.1, 0.14, 0.14, 0.14],
  'libaom-av1': [0.05, 0.05, 0.05, 0.05, 0.05],
  libtheora: [0.43, 0.43, 0.43, 0.43, 0.43],
  // It supports one pass only.
  libsvtav1: [0.5, 0.5, 0.5, 0.5, 0.5],
  mpeg4: [0.5, 0.5, 0.5, 0.5, 0.5],
  wmv2: [0.5, 0.5, 0.5, 0.5, 0.5],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/** The part of the time of two passes that the first one takes, 0-1. */
export function firstPassWeight(encoder: VideoEncoderName, speed: Level): number {
  return firstPassWeights[encoder][speed - 1] ?? 0.4;
}

/**
 * Frames that an encoder buffers before the first one is output, at speeds 1 to 5: the lookahead of its presets, and a few frames
 * for its threads. According to ffmpeg's progress of videos without audio, x264 holds about seven more, but frames that it has
 * analysed are encoded faster. Theora and VP8 hold almost none.
 */
const encoderDelays = {
  libx264: [65, 54, 42, 23, 13],
  libx265: [33, 28, 23, 23, 18],
  libvpx: [0, 0, 0, 0, 0],
  'libvpx-vp9': [25, 25, 25, 25, 25],
  'libaom-av1': [35, 35, 35, 35, 35],
  libtheora: [0, 0, 0, 0, 0],
  mpeg4: [0, 0, 0, 0, 0],
  wmv2: [0, 0, 0, 0, 0],
  libsvtav1: [40, 40, 40, 40, 40],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/**
 * How many frames an encoder buffers. With audio, ffmpeg's progress follows the audio, which is not buffered: with x264 the
 * progress reaches the end about two seconds of encoding before the last frames are written.
 */
export function encoderDelayFrames(encoder: VideoEncoderName, speed: Level): number {
  return encoderDelays[encoder][speed - 1] ?? 0;
}
