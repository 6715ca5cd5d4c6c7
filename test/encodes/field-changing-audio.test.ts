import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { samplesOf, strengthOf } from './decoded-media.js';
import { shippedBuilds } from './shipped.js';

/** A part of an input: a tone with a number of channels at a sample rate, for two seconds. */
type Part = readonly [hertz: number, channels: number, sampleRate: number];

const parts = {
  mono: [440, 1, 48_000],
  stereo: [660, 2, 48_000],
  stereo44: [440, 2, 44_100],
  mono44: [440, 1, 44_100],
  surround: [880, 6, 48_000],
} as const satisfies Record<string, Part>;

const folder = tempFolder();
const run = promisify(execFile);

const known = new Map<string, Promise<string>>();

/** Joins parts that are encoded one by one, with or without video; made once. */
function joined(name: string, codec: readonly string[], given: readonly Part[]): Promise<string> {
  const making = known.get(name) ?? joinParts(name, codec, given);
  known.set(name, making);
  return making;
}

async function joinParts(name: string, codec: readonly string[], given: readonly Part[]): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const isFilm = name.endsWith('.ts');
  const files: Buffer[] = [];
  for (const [at, [hertz, channels, rate]] of given.entries()) {
    const path = join(folder, `${at}-${name}`);
    const tone = ['-f', 'lavfi', '-i', `sine=f=${hertz}:r=${rate}:d=2,volume=4`];
    const video = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=25:d=2'];
    const container = isFilm
      ? ['-c:v', 'mpeg2video', '-output_ts_offset', String(2 * at), '-f', 'mpegts']
      : ['-f', codec[0] === 'aac' ? 'adts' : (codec[0] ?? '').replace('libmp3lame', 'mp3')];
    const args = [...tone, ...(isFilm ? video : []), '-c:a', ...codec, '-ac', String(channels), '-t', '2'];
    await run(ffmpeg.path, ['-v', 'error', '-y', ...args, ...container, path]);
    files.push(await readFile(path));
  }
  const path = join(folder, name);
  await writeFile(path, Buffer.concat(files));
  return path;
}

/** A tone that is heard from one second to another. */
type Heard = readonly [hertz: number, from: number, to: number];

/** The tones that a file has, in order. Silence of up to 70 ms is not one: the parts begin and end with some, as their encoders do. */
async function tonesOf(path: string): Promise<readonly Heard[]> {
  const { sampleRate, startSeconds, channels } = await samplesOf(path);
  const [samples = new Float32Array()] = channels;
  const step = Math.round(sampleRate / 50);
  const found: [number, number, number][] = [];
  for (let at = 0; at + step <= samples.length; at += step) {
    const window = samples.subarray(at, at + step);
    const [strength, hertz] = [440, 660, 880]
      .map((one) => [strengthOf(one, window, sampleRate), one] as const)
      .reduce((best, one) => (one[0] > best[0] ? one : best));
    const heard = strength > 0.02 ? hertz : 0;
    const [from, to] = [startSeconds + at / sampleRate, startSeconds + (at + step) / sampleRate];
    const last = found.at(-1);
    if (last?.[0] === heard) last[2] = to;
    else found.push([heard, from, to]);
  }
  return found.filter(([, from, to]) => to - from > 0.07);
}

/** Asserts the tones of a file, to a tenth of a second. */
async function assertTones(path: string, expected: readonly Heard[]): Promise<void> {
  const found = await tonesOf(path);
  const text = JSON.stringify(found);
  assert.equal(
    found.map(([hertz]) => hertz),
    expected.map(([hertz]) => hertz),
    text,
  );
  for (const [at, [, from, to]] of expected.entries()) {
    const [, heardFrom = Number.NaN, heardTo = Number.NaN] = found[at] ?? [];
    assert.ok(Math.abs(heardFrom - from) < 0.1 && Math.abs(heardTo - to) < 0.1, text);
  }
}

const halves = (first: number, second: number): readonly Heard[] => [
  [first, 0, 2],
  [second, 2, 4],
];

const inputs = [
  ['mono.aac', ['aac'], [parts.mono, parts.stereo], halves(440, 660), '48 kHz mono to 48 kHz stereo'],
  ['surround.ts', ['ac3'], [parts.stereo, parts.surround], halves(660, 880), '48 kHz stereo to 48 kHz 5.1'],
  ['rate.ts', ['aac'], [parts.surround, parts.stereo44], halves(880, 440), '48 kHz 5.1 to 44.1 kHz stereo'],
  ['both.ts', ['mp2'], [parts.stereo, parts.mono44], halves(660, 440), '48 kHz stereo to 44.1 kHz mono'],
  [
    'rate.mp3',
    ['libmp3lame'],
    [parts.stereo44, parts.stereo],
    halves(440, 660),
    '44.1 kHz stereo to 48 kHz stereo',
  ],
] as const;

const changesIn = (stderr: string) => stderr.split('\n').filter((line) => line.includes('The audio changes'));

for (const build of await shippedBuilds()) {
  for (const [name, codec, given, tones, change] of inputs) {
    test(`${build.name}: audio that changes from ${change} in ${name} keeps its place`, async () => {
      const output = join(tempFolder(), name.endsWith('.ts') ? 'out.mp4' : 'out.m4a');
      const args = ['run', await joined(name, codec, given), '-o', output, '--progress', 'none'];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      await assertTones(output, tones);
      assert.is(changesIn(stderr).length, 1, stderr);
      assert.match(changesIn(stderr)[0] ?? '', new RegExp(`from ${change} at 2\\.\\d s of the input; `));
    });
  }

  test(`${build.name}: audio that changes is copied as it is, with a warning`, async () => {
    const output = join(tempFolder(), 'copy.mkv');
    const input = await joined('copied.ts', ['ac3'], [parts.stereo, parts.surround]);
    const args = ['run', input, '-o', output, '--copy-audio', '--progress', 'none'];
    const { code, stderr } = await runCli(args, { env: build.env });
    assert.is(code, 0, stderr);
    const change = 'The audio changes from 48 kHz stereo to 48 kHz 5.1 at 2.';
    assert.match(stderr, new RegExp(`${change}\\d s of the input; it was copied as it is, and players`));
  });

  test(`${build.name}: renditions, fades, measured loudness and clips of such audio are right`, async () => {
    const input = await joined('three.ts', ['ac3'], [parts.mono, parts.surround, parts.stereo]);
    const all: readonly Heard[] = [...halves(440, 880), [660, 4, 6]];
    const out = tempFolder();
    const hls = ['run', input, '--hls', `${out}/`, '--ladder', '96,48', '--progress', 'none'];
    const found = await runCli([...hls, '--audio-loudness-level', '-20'], { env: build.env });
    assert.is(found.code, 0, found.stderr);
    await assertTones(join(out, 'audio', 'audio.m3u8'), all);
    const clip = join(out, 'clip.mp4');
    const words = ['--start-clip', '3', '--clip-length', '2', '--audio-fade', '0.5', '--audio-channels', '2'];
    const clipped = await runCli(['run', input, '-o', clip, '--progress', 'none', ...words], {
      env: build.env,
    });
    assert.is(clipped.code, 0, clipped.stderr);
    const { channels, sampleRate } = await samplesOf(clip);
    const levels = [0.1, 0.5, 1.5, 1.9].map((at) => {
      const part = (channels[0] ?? new Float32Array()).subarray(
        (at - 0.05) * sampleRate,
        (at + 0.05) * sampleRate,
      );
      return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
    });
    const [start = 0, loud = 0, other = 0, end = 0] = levels;
    assert.ok(start < loud / 2 && end < other / 2, levels.join());
    await assertTones(clip, [
      [880, 0, 1],
      [660, 1, 2],
    ]);
    assert.match(
      changesIn(clipped.stderr)[0] ?? '',
      'from 48 kHz 5.1 to 48 kHz stereo at 4.0 s of the input; ',
    );
  });
}

test.run();
