import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { samplesOf, strengthOf } from './decoded-media.js';
import { type ShippedBuild, shippedBuilds } from './shipped.js';

/* Files that lack a part in the middle, and recordings that were joined, which lack nothing. */

const folder = tempFolder();
const hertz = [440, 880, 1320] as const;

/** A film of three seconds, with a tone for each. */
async function film(name: string, codecs: readonly string[]): Promise<Buffer> {
  const path = join(folder, name);
  const tone = '0.3*sin(2*PI*440*(1+floor(t))*t)';
  await ffmpegRaw(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=3', '-f', 'lavfi', '-i', `aevalsrc=${tone}:d=3`],
    ...[...codecs, '-g', '12', path],
  );
  return await readFile(path);
}

async function encoded(build: ShippedBuild, name: string, bytes: Buffer, words: readonly string[] = []) {
  const [input, output] = [join(folder, name), join(tempFolder(), 'out.mp4')];
  await writeFile(input, bytes);
  const args = ['run', input, '-o', output, '--progress', 'none', ...words];
  const { code, stderr } = await runCli(args, { env: build.env });
  assert.is(code, 0, stderr);
  return { stderr, samples: await samplesOf(output) };
}

const mpeg2 = ['-c:v', 'mpeg2video', '-c:a', 'mp2'];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
const files = [
  ['mpeg2.ts', await film('mpeg2.ts', mpeg2)],
  ['h264.ts', await film('h264.ts', h264)],
  ['film.mkv', await film('film.mkv', h264)],
  ['film.flv', await film('film.flv', [...h264, '-ar', '44100'])],
] as const;

const parts = new Map<string, Promise<Buffer>>();

/** A film, made once. */
function partOf(name: string, codecs: readonly string[]): Promise<Buffer> {
  const making = parts.get(name) ?? film(name, codecs);
  parts.set(name, making);
  return making;
}

for (const build of await shippedBuilds()) {
  test(`${build.name}: a part that is missing in the middle of a file is a warning, in each kind of file`, async () => {
    const inputs: string[] = [];
    for (const [name, bytes] of files) {
      const [middle, length] = [Math.floor(bytes.length / 2), Math.floor(bytes.length / 10)];
      const [kind, ending] = [name.replace('.', '-'), extname(name)];
      const holed = Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + length)]);
      for (const [what, content] of [
        ['holed', holed],
        ['whole', bytes],
      ] as const) {
        const input = join(folder, `${what}-${kind}${ending}`);
        await writeFile(input, content);
        inputs.push(input);
      }
    }
    const args = ['run', ...inputs, '-o', `${tempFolder()}/`, '--progress', 'none'];
    const { code, stderr } = await runCli(args, { env: build.env });
    assert.is(code, 0, stderr);
    for (const [name] of files)
      assert.match(stderr, `holed-${name.replace('.', '-')}.mp4: The input is damaged: `);
    assert.is(stderr.match(/damaged/g)?.length, files.length, stderr);
  });

  for (const [file, codecs] of [
    ['part.ts', h264],
    ['part.vob', mpeg2],
  ] as const)
    test(`${build.name}: recordings like ${file} that were joined are not damaged, and clips of the last one have its audio`, async () => {
      const bytes = await partOf(file, codecs);
      const words = ['--start-clip', '7', '--clip-length', '1'];
      const { stderr, samples } = await encoded(
        build,
        `joined-${file}`,
        Buffer.concat([bytes, bytes, bytes]),
        words,
      );
      assert.not.match(stderr, 'damaged');
      const [all = new Float32Array()] = samples.channels;
      const part = all.subarray(samples.sampleRate * 0.2, samples.sampleRate * 0.8);
      const [first, second = 0, third] = hertz.map((one) => strengthOf(one, part, samples.sampleRate));
      assert.ok(second > 0.1 && second > 5 * Math.max(first ?? 1, third ?? 1), `${first} ${second} ${third}`);
    });
}

test.run();
