import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { samplesOf, strengthOf } from './decoded-media.js';
import { shippedBuilds } from './shipped.js';

/* Ogg files of several links, one after the other, as web radio is recorded. The times of each link begin again. */

const folder = tempFolder();

/** Four seconds of a tone. */
async function link(hertz: number, codec: string, sampleRate: number, channels: number): Promise<Buffer> {
  const path = join(folder, `${hertz}-${codec}.ogg`);
  const tone = ['-f', 'lavfi', '-i', `sine=f=${hertz}:r=${sampleRate}:d=4,volume=4`];
  await ffmpegRaw(...tone, '-c:a', codec, '-ac', String(channels), path);
  return await readFile(path);
}

const vorbis = join(folder, 'vorbis.ogg');
const opus = join(folder, 'opus.opus');
const [slow, fast, one, other] = await Promise.all([
  link(440, 'libvorbis', 22_050, 2),
  link(880, 'libvorbis', 44_100, 1),
  link(440, 'libopus', 48_000, 1),
  link(880, 'libopus', 48_000, 1),
]);
await writeFile(vorbis, Buffer.concat([slow, fast]));
await writeFile(opus, Buffer.concat([one, other]));

const clip = ['--start-clip', '3', '--clip-length', '2'];
const cases = [
  ['Vorbis links of two rates', vorbis, [], 4, 8],
  ['a clip of Vorbis links of two rates', vorbis, clip, 1, 2],
  ['Opus links', opus, [], 4, 8],
  ['a clip of two Opus links', opus, clip, 1, 2],
  ['a clip of the second Opus link', opus, ['--start-clip', '5'], 0, 3],
] as const;

for (const build of await shippedBuilds()) {
  for (const [what, input, words, changesAt, seconds] of cases) {
    // The build of 2018 begins the second link of Opus about a second late.
    if (input === opus && build.name === '@ffmpeg-installer') continue;
    test(`${build.name}: ${what} are encoded without a gap`, async () => {
      const output = join(tempFolder(), 'out.m4a');
      const args = ['run', input, '-o', output, '--progress', 'none', ...words];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      assert.not.match(stderr, /declares|only/);
      const { channels, sampleRate } = await samplesOf(output);
      const [all = new Float32Array()] = channels;
      assert.ok(Math.abs(all.length / sampleRate - seconds) < 0.1, `${all.length / sampleRate} s`);
      for (let at = 0.1; at + 0.2 < seconds; at += 0.1) {
        if (Math.abs(at + 0.05 - changesAt) < 0.15) continue;
        const part = all.subarray(at * sampleRate, (at + 0.1) * sampleRate);
        const hertz = at < changesAt ? 440 : 880;
        assert.ok(strengthOf(hertz, part, sampleRate) > 0.1, `${hertz} Hz at ${at} s`);
      }
    });
  }
}

test.run();
