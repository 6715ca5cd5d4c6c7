import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';
import { makerIn } from './shipped-run.js';

/* Inputs of a few samples, one frame, or one pixel. What an output has is counted by decoding it. */

const folder = tempFolder();

const made = makerIn(folder);

/** How many bytes of mono samples a file or a playlist has when decoded. */
async function sampleCount(path: string): Promise<number> {
  const { out } = await measure('-v', 'error', '-i', path, '-ac', '1', '-f', 's16le', '-');
  return out.length / 2;
}

const tone = (rate: number, samples: number) =>
  ['-f', 'lavfi', '-i', `sine=sample_rate=${rate},atrim=end_sample=${samples}`] as const;
const twenty = await made('twenty.wav', ...tone(80_000, 20));
const one = await made('one.wav', ...tone(44_100, 1));
const oneFrame = await made(
  'one-frame.mkv',
  ...['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=0.04', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
);

const still = (size: string, filters = 'null') =>
  ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=0.5,${filters}`] as const;
const narrow = await made('narrow.mkv', ...still('16x20', 'format=yuv444p,crop=1:20'), '-c:v', 'ffv1');
const flat = await made(
  'flat.mkv',
  ...still('20x16', 'format=yuv444p,crop=20:1,format=yuv420p'),
  '-c:v',
  'ffv1',
);
const dot = await made(
  'dot.mkv',
  ...still('16x16', 'format=yuv444p,crop=1:1,format=yuv420p'),
  '-c:v',
  'ffv1',
);
const nearly = await made(
  'nearly.mkv',
  ...still('192x108', 'setsar=1001/1000'),
  ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
);

for (const build of await shippedBuilds()) {
  test(`audio of a few samples becomes a file that can be heard, and a single frame one that can be seen, with ${build.name}`, async () => {
    const first = await runShipped(build, twenty, 'out.mp4', ['-o', join(folder, `${build.name}.mp3`)]);
    for (const output of [
      first,
      join(folder, `${build.name}.mp3`),
      await runShipped(build, twenty, 'out.wav'),
      await runShipped(build, one, 'out.m4a'),
    ]) {
      const samples = await sampleCount(output);
      assert.ok(samples > 500 && samples < 10_000, `${output}: ${samples} samples`);
    }
    const { out } = await measure(
      ...['-v', 'error', '-i', await runShipped(build, oneFrame, 'out.mp4')],
      ...['-f', 'rawvideo', '-pix_fmt', 'gray', '-'],
    );
    assert.is(out.length, 64 * 48);
  });

  test(`a side of one pixel is doubled, and nearly square pixels change no side, with ${build.name}`, async () => {
    for (const [input, size, words] of [
      [narrow, '2x20', []],
      [narrow, '20x2', ['--rotate', '90']],
      [narrow, '64x48', ['--size', '64x48', '--aspect-mode', 'pad']],
      [flat, '20x2', []],
      [nearly, '192x108', []],
    ] as const) {
      const path = await runShipped(build, input, 'out.mp4', words);
      const pixels = size.split('x').reduce((product, side) => product * Number(side), 1);
      const { out, stderr } = await measure(...['-i', path, '-f', 'rawvideo', '-pix_fmt', 'gray', '-']);
      assert.match(stderr, `, ${size}`);
      assert.is(out.length, 5 * pixels, `${input} ${words.join(' ')}`);
    }
    const { stderr } = await runCli(['run', dot, '-o', join(tempFolder(), 'out.mp4')], { env: build.env });
    assert.match(stderr, 'The video of 1x1 pixels was scaled to 2x2');
  });
}

test.run();
