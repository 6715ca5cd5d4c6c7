import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

const { ffmpeg, ffprobe } = await testFfmpeg();
const run = promisify(execFile);

/** The checksum of the samples of a file, as 24 bits. */
async function samplesOf(path: string): Promise<string> {
  return (
    await run(ffmpeg.path, ['-nostdin', '-v', 'error', '-i', path, '-c:a', 'pcm_s24le', '-f', 'md5', '-'])
  ).stdout;
}

async function secondsOf(path: string): Promise<number> {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
  return Number((await run(ffprobe.path, args)).stdout);
}

for (const build of await shippedBuilds()) {
  const test = suite<{ noise16: string; noise24: string }>(`FLAC, ${build.name}`);
  test.before(async (context) => {
    const folder = tempFolder();
    const noise = [
      '-f',
      'lavfi',
      '-i',
      'anoisesrc=duration=1:sample_rate=44100:amplitude=0.5:seed=3',
      '-ac',
      '2',
    ];
    context.noise24 = join(folder, '24.wav');
    context.noise16 = join(folder, '16.wav');
    await makeMedia(context.noise24, [...noise, '-c:a', 'pcm_s24le']);
    await makeMedia(context.noise16, ['-i', context.noise24, '-c:a', 'pcm_s16le']);
  });
  const made = async (input: string, ...words: readonly string[]) => {
    const output = join(tempFolder(), 'a.flac');
    const { code, stderr } = await runCli(['run', input, '-o', output, '--progress', 'none', ...words], {
      env: build.env,
    });
    assert.is(code, 0, stderr);
    return { output, stderr };
  };

  test('loses nothing of 16 bits, and of 24 if these are asked for', async ({ noise16, noise24 }) => {
    assert.is(await samplesOf((await made(noise16)).output), await samplesOf(noise16));
    const whole = await samplesOf(noise24);
    assert.is(await samplesOf((await made(noise24, '--audio-bit-depth', '24')).output), whole);
    const { output, stderr } = await made(noise24, '--audio-bit-depth', '32');
    assert.match(stderr, /--audio-bit-depth was corrected to 24: flac has up to 24 bits/);
    assert.is(await samplesOf(output), whole);
  });

  test('is copied as a whole, and encoded for a clip', async ({ noise24 }) => {
    const { output: source } = await made(noise24, '--audio-bit-depth', '24');
    assert.is(await samplesOf((await made(source, '--copy')).output), await samplesOf(source));
    const { output, stderr } = await made(source, '--copy', '--start-clip', '0.25');
    assert.match(stderr, /is encoded: \.flac does not support a copy of flac/);
    assert.ok(Math.abs((await secondsOf(output)) - 0.75) < 0.01);
  });
  test.run();
}
