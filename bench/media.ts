import { join } from 'node:path';
import { runProgram } from './programs.js';

/** Length of the clip in seconds. */
export const clipSeconds = 30;

/** Size and length of a clip. */
export interface ClipForm {
  readonly size: string;
  readonly seconds: number;
  readonly megabits: number;
}

const usualForm: ClipForm = { size: '1280x720', seconds: clipSeconds, megabits: 5 };

/**
 * Creates a clip that is about as expensive to decode as filmed material of its size: by default 1280x720 at 5 Mbps,
 * 25 frames per second, a moving test pattern with noise that changes in every frame, and a tone.
 */
export async function makeClip(
  ffmpegPath: string,
  folder: string,
  { size, seconds, megabits }: ClipForm = usualForm,
): Promise<string> {
  const path = join(folder, 'clip.mp4');
  const video = `testsrc2=size=${size}:rate=25:duration=${seconds},noise=alls=10:allf=t`;
  const tone = `sine=frequency=440:sample_rate=44100:duration=${seconds}`;
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-b:v',
    `${megabits}M`,
    '-maxrate',
    `${megabits}M`,
    '-bufsize',
    `${2 * megabits}M`,
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
  ];
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', tone];
  await runProgram(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...inputs, ...codecs, '-ac', '2', path]);
  return path;
}
