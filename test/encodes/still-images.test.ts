import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';
import { meanColour, near } from './watermark-harness.js';

const { ffprobe } = await testFfmpeg();
const run = promisify(execFile);

async function sizeOf(path: string): Promise<string> {
  const args = ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x', path];
  return (await run(ffprobe.path, args)).stdout.trim();
}

/** Red, lime, blue and white, for a second each, in pixels that are twice as wide as high. */
const colours = ['red', 'lime', 'blue', 'white'] as const;
const expected = { red: [255, 0, 0], lime: [0, 255, 0], blue: [0, 0, 255], white: [255, 255, 255] } as const;

for (const build of await shippedBuilds()) {
  const test = suite<{ film: string }>(`Still images, ${build.name}`);
  test.before(async (context) => {
    context.film = join(tempFolder(), 'film.mp4');
    const parts = colours.map((colour, index) => `color=${colour}:s=80x80:r=10:d=1[${index}]`).join(';');
    const graph = `${parts};[0][1][2][3]concat=n=4,setsar=2,format=yuv420p`;
    await makeMedia(context.film, ['-f', 'lavfi', '-i', graph, '-c:v', 'libx264', '-crf', '10']);
  });
  const venc = (...words: readonly string[]) => runCli(words, { env: build.env });

  test('a frame has the content of its time, in square pixels', async ({ film }) => {
    const image = join(tempFolder(), 'a.png');
    const { code, stdout, stderr } = await venc('frame', film, '--at', '0:02.5', '-o', image);
    assert.is(code, 0, stderr);
    assert.is(stdout, `${image}\n`);
    assert.is(await sizeOf(image), '160x80');
    near(await meanColour(image, '100:60:10:10'), expected.blue, 12, 'the frame');
  });

  test('a sheet has its images in columns and rows', async ({ film }) => {
    const image = join(tempFolder(), 'a.png');
    const { code, stderr } = await venc('sheet', film, '2x4', '-o', image, '--width', '40');
    assert.is(code, 0, stderr);
    // Two columns of 40 and four rows of 20 pixels, with gaps of 4.
    assert.is(await sizeOf(image), '92x100');
    for (const [row, colour] of (['red', 'lime', 'blue', 'white'] as const).entries())
      near(await meanColour(image, `30:12:8:${8 + row * 24}`), expected[colour], 12, colour);
  });

  test('a film whose frames change their size has every image in one size and its own shape', async () => {
    const folder = tempFolder();
    const sources = ['color=red:s=160x120:r=10:d=1', 'color=lime:s=320x180:r=10:d=1'];
    for (const [index, source] of sources.entries())
      await makeMedia(join(folder, `${index}.ts`), [
        ...['-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-crf', '10'],
        ...['-output_ts_offset', String(index)],
      ]);
    const film = join(folder, 'film.ts');
    const parts = await Promise.all([0, 1].map((index) => readFile(join(folder, `${index}.ts`))));
    await writeFile(film, Buffer.concat(parts));
    for (const name of ['a.png', 'a.jpg']) {
      const image = join(folder, name);
      const { code, stderr } = await venc('sheet', film, '4x1', '-o', image, '--width', '80');
      assert.is(code, 0, stderr);
      assert.is(await sizeOf(image), '340x68');
      near(await meanColour(image, '60:50:14:9'), expected.red, 12, 'the first part');
      for (const x of [172, 256]) {
        near(await meanColour(image, `80:4:${x}:6`), [0, 0, 0], 12, 'a bar above the second part');
        near(await meanColour(image, `60:30:${x + 10}:19`), expected.lime, 12, 'the second part');
      }
    }
  });

  test('what cannot be written is an error that names the file, and leaves none', async ({ film }) => {
    const image = join(tempFolder(), 'a.jpg');
    assert.is((await venc('frame', film, '-o', image)).code, 0);
    const again = await venc('frame', film, '-o', image);
    assert.is(again.code, 2);
    assert.match(again.stderr, /a\.jpg already exists/);
    const cases = [
      [['frame', film, '--at', '4', '-o', 'late.png'], /film\.mp4 ends after 4\.000 s/],
      [['frame', film, '--at', 'noon', '-o', 'late.png'], /--at takes a time/],
      [['frame', film, '-o', 'late.gif'], /must end in \.png, \.jpg or \.jpeg/],
      [['sheet', film, '4x0', '-o', 'late.png'], /COLUMNSxROWS/],
      [['frame', 'http://127.0.0.1/a.mp4'], /must be a local file/],
    ] as const;
    for (const [words, message] of cases) {
      const { code, stderr } = await venc(...words);
      assert.is(code, 2, stderr);
      assert.match(stderr, message);
    }
    assert.not(existsSync('late.png'));
    const audio = join(tempFolder(), 'audio.mp4');
    await makeMedia(audio, ['-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac']);
    assert.match(
      (await venc('frame', audio)).stderr,
      /audio\.mp4 has no video\.\nvenc: hint: use a file with video/,
    );
  });
  test.run();
}
