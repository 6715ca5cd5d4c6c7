import type { Clip } from '../decide/decisions.js';
import { fileArgument, safeInputOptions } from '../safe-input.js';
import { secondsArgument } from './seconds.js';

/**
 * The input and its options. The clip begins by seeking before `-i`: ffmpeg then starts at the keyframe before and throws away
 * what comes before the asked time, so that it is exact to the frame and a clip from the end of a long file costs no more than
 * one from its beginning. It is kept upright by the filters, not by ffmpeg itself, which would turn the picture before its
 * fields are made frames, and so tear them.
 */
export function inputArgs(path: string, clip: Clip): readonly string[] {
  return [
    ...safeInputOptions,
    '-noautorotate',
    ...(clip.readFromSeconds > 0 ? ['-ss', secondsArgument(clip.readFromSeconds)] : []),
    '-i',
    fileArgument(path),
  ];
}
