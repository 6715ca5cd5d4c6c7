import { join } from 'node:path';
import { runProgram } from './programs.js';

/** Seconds that the clip lasts. */
export const clipSeconds = 30;

/**
 * Makes a clip that costs about what a filmed one does, in size as in decoding: 1280x720, 25 frames a second, 5 Mbps, a moving
 * test picture under noise that changes with every frame, and a tone.
 */
export async function makeClip(ffmpegPath: string, folder: string): Promise<string> {
  const path = join(folder, 'clip.mp4');
  const picture = `testsrc2=size=1280x720:rate=25:duration=${clipSeconds},noise=alls=10:allf=t`;
  const tone = `sine=frequency=440:sample_rate=44100:duration=${clipSeconds}`;
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-b:v',
    '5M',
    '-maxrate',
    '5M',
    '-bufsize',
    '10M',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
  ];
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', tone];
  await runProgram(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...inputs, ...codecs, '-ac', '2', path]);
  return path;
}
