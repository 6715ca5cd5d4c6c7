import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();
const at = (name: string) => join(folder, name);
const { signal } = new AbortController();
const { measureSeconds } = await testFfmpeg();

// One second of noise, which needs most of the bytes, and the B-frames that leave packets of AVI without times of display.
const noise = 'color=gray:s=64x48:r=10:d=4,noise=alls=60:allf=t:enable=between(t\\,2\\,2.99)';
const b2 = ['-c:v', 'libx264', '-bf', '2', '-pix_fmt', 'yuv420p', '-g', '10'] as const;
await ffmpegRaw('-f', 'lavfi', '-i', noise, ...b2, at('film.mp4'));

for (const [name, ...args] of [
  ['film.mp4'],
  ['film.mkv', '-c', 'copy'],
  ['film.avi', '-c', 'copy', '-bsf:v', 'h264_mp4toannexb'],
  ['mpeg4.avi', '-c:v', 'mpeg4', '-bf', '2', '-q:v', '2'],
  ['film.mpg', '-c:v', 'mpeg2video', '-bf', '2', '-q:v', '2', '-r', '25'],
] as const) {
  test(`the bytes of each second of ${name} are found`, async () => {
    if (args.length > 0) await ffmpegRaw('-i', at('film.mp4'), ...args, at(name));
    const bytes = await measureSeconds(at(name), 0, signal);
    assert.ok(bytes.length === 4 || bytes.length === 5, `${bytes}`);
    const sum = bytes.reduce((one, other) => one + other, 0);
    // The times of decoding begin up to two frames earlier.
    assert.is(Math.max(...bytes), bytes[2]);
    assert.ok((bytes[2] ?? 0) > sum / 2, `${bytes}`);
  });
}

test('packets without any times have no seconds', async () => {
  await ffmpegRaw('-i', at('film.mp4'), '-c', 'copy', at('film.h264'));
  assert.equal(await measureSeconds(at('film.h264'), 0, signal), []);
});

test.run();
