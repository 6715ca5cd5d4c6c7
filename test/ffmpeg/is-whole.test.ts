import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();
const seconds = 8;
const audioOnly = new Set(['m4a', 'mp3', 'flac', 'wav', 'ogg']);

for (const extension of ['mp4', 'mov', 'mkv', 'webm', 'ts', 'm4a', 'mp3', 'flac', 'wav', 'ogg'])
  test(`a whole file in ${extension} is one, and not without its end`, async () => {
    const ffmpeg = await testFfmpeg();
    const path = join(folder, `film.${extension}`);
    const video = audioOnly.has(extension) ? [] : testVideo('64x48', 25, seconds);
    await makeMedia(path, [...video, ...testTone(seconds)]);
    const { signal } = new AbortController();
    assert.ok(await ffmpeg.isWhole(path, signal));
    const bytes = await readFile(path);
    for (const length of [0, Math.floor(bytes.length * 0.8) + 1]) {
      await writeFile(path, bytes.subarray(0, length));
      assert.not(await ffmpeg.isWhole(path, signal), `${length} of ${bytes.length} bytes`);
    }
  });

for (const flags of ['+faststart', 'frag_keyframe+empty_moov'])
  test(`a whole MP4 with ${flags} is one, and not without its end`, async () => {
    const ffmpeg = await testFfmpeg();
    const path = join(folder, 'film.mp4');
    await makeMedia(path, [
      ...testVideo('64x48', 25, seconds),
      ...testTone(seconds),
      '-g',
      '50',
      '-movflags',
      flags,
    ]);
    const { signal } = new AbortController();
    assert.ok(await ffmpeg.isWhole(path, signal));
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 2000));
    assert.not(await ffmpeg.isWhole(path, signal));
  });

test('a text is no whole media file', async () => {
  const ffmpeg = await testFfmpeg();
  await writeFile(join(folder, 'text.mp4'), 'no film');
  assert.not(await ffmpeg.isWhole(join(folder, 'text.mp4'), new AbortController().signal));
});

test.run();
