import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

/* Inputs of a few samples, one frame, or one pixel. What an output has is counted by decoding it. */

const folder = tempFolder();

async function made(name: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await ffmpegRaw(...args, path);
  return path;
}

/** How many bytes of mono samples a file or a playlist has when decoded. */
async function sampleCount(path: string): Promise<number> {
  const { out } = await measure('-v', 'error', '-i', path, '-ac', '1', '-f', 's16le', '-');
  return out.length / 2;
}

const tone = (rate: number, samples: number) =>
  ['-f', 'lavfi', '-i', `sine=sample_rate=${rate},atrim=end_sample=${samples}`] as const;
const twenty = await made('twenty.wav', ...tone(80_000, 20));
const one = await made('one.wav', ...tone(44_100, 1));
const flac = await made('some.flac', ...tone(48_000, 1000));
const oneFrame = await made(
  'one-frame.mkv',
  ...['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.04', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
);

for (const build of await shippedBuilds()) {
  test(`audio of a few samples becomes a file that can be heard, and a single frame one that can be seen, with ${build.name}`, async () => {
    for (const [input, name] of [
      [twenty, 'out.mp4'],
      [twenty, 'out.mp3'],
      [one, 'out.m4a'],
      [one, 'out.webm'],
      [twenty, 'out.wav'],
      [flac, 'out.mp3'],
    ] as const) {
      const samples = await sampleCount(await runShipped(build, input, name));
      assert.ok(samples > 500 && samples < 10_000, `${name} of ${input}: ${samples} samples`);
    }
    const { out } = await measure(
      ...['-v', 'error', '-i', await runShipped(build, oneFrame, 'out.mp4')],
      ...['-f', 'rawvideo', '-pix_fmt', 'gray', '-'],
    );
    assert.is(out.length, 64 * 48);
  });
}

test.run();
