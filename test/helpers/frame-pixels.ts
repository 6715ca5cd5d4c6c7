import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { testFfmpeg } from './media.js';

/** The filter that makes RGB pixels of a frame, as images of frames have them. */
export const toRgb =
  'scale=in_color_matrix=bt601:in_range=tv:flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24';

/** A hash of the pixels of the first frame that ffmpeg decodes from a file, or from the bytes of an image. */
export async function hashOf(input: string | Buffer, filters = 'format=rgb24'): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const file = ['-allowed_extensions', 'ALL', '-i', String(input)];
  const from =
    typeof input === 'string' ? (input.endsWith('.m3u8') ? file : file.slice(2)) : ['-i', 'pipe:0'];
  const { stdout, stderr, status } = spawnSync(
    ffmpeg.path,
    ['-v', 'error', ...from, '-map', '0:v:0', '-vf', filters, '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'],
    { ...(typeof input === 'string' ? {} : { input }), maxBuffer: 1e8 },
  );
  assert.is(status, 0, String(stderr));
  return createHash('md5').update(stdout).digest('hex');
}
