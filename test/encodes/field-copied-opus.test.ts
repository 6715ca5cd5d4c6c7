import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

/* Opus is copied into MP4 and Matroska, with any video. */

const folder = tempFolder();
const [build] = await shippedBuilds();
if (build === undefined) throw new Error('there is no ffmpeg');

/** The sizes and hashes of the audio packets of a file. */
async function audioPackets(path: string): Promise<readonly string[]> {
  const { out } = await measure(
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:a',
    '-c',
    'copy',
    '-f',
    'framemd5',
    '-',
  );
  const rows = out
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line));
  return rows.map((line) => line.split(',').slice(4, 6).join().replaceAll(' ', ''));
}

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const inputs: readonly (readonly [string, readonly string[], string])[] = [
  ['film.webm', ['-c:v', 'libvpx', '-b:v', '100k', '-deadline', 'realtime'], 'film.mp4'],
  ['film.mkv', h264, 'film.mp4'],
  ['film.mkv', h264, 'film.mkv'],
  ['audio.ogg', ['-vn'], 'audio.mp4'],
];

for (const [name, video, output] of inputs) {
  test(`the Opus of ${name} is copied into ${output}, packet by packet`, async () => {
    const path = join(folder, name);
    const sources = ['-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=25:duration=1', '-f', 'lavfi', '-i'];
    await ffmpegRaw(...sources, 'sine=duration=1:sample_rate=48000', ...video, '-c:a', 'libopus', path);
    const copied = await runShipped(build, path, output, ['--copy-audio']);
    const before = await audioPackets(path);
    assert.ok(before.length > 40);
    assert.equal(await audioPackets(copied), before);
    // It can be decoded, and lasts a second.
    const { out } = await measure('-v', 'error', '-i', copied, '-map', '0:a', '-ac', '1', '-f', 's16le', '-');
    assert.ok(Math.abs(out.length / 2 / 48_000 - 1) < 0.02, `${out.length / 96_000} seconds`);
  });
}

test.run();
