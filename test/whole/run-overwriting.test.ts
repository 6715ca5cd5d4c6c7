import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { otherNames } from './other-names.js';

const small = { width: 64, clip_length: 0.2, speed: 5 };
const urlOf = (...parts: readonly string[]) => pathToFileURL(join(...parts)).href;
const foreign = 'mine, and nobody may replace it';

test('venc run rejects an output that is its input under another name, or a file of another run', async () => {
  const folder = tempFolder();
  copyFileSync(await media('clip.mp4'), join(folder, 'me.mp4'));
  const before = readFileSync(join(folder, 'me.mp4'));
  for (const [what, prepare, name] of otherNames) {
    prepare(folder);
    const words = ['run', 'me.mp4', '-o', name, '--force', '--width', '64'];
    const { code, stderr } = await runCli(words, { cwd: folder });
    assert.is(code, 2, `${what}: ${stderr}`);
    assert.match(stderr, /is the input itself|would write over the input/, what);
  }
  copyFileSync(join(folder, 'me.mp4'), join(folder, 'cut-00001.ts'));
  const hls = {
    input: urlOf(folder, 'cut-00001.ts'),
    outputs: [{ type: 'segmented', filename: 'cut.m3u8' }],
  };
  writeFileSync(join(folder, 'hls.json'), JSON.stringify(hls));
  const cut = await runCli(['run', 'hls.json', '--force'], { cwd: folder });
  assert.is(cut.code, 2, cut.stderr);
  assert.equal(readFileSync(join(folder, 'cut-00001.ts')), before);
  copyFileSync(join(folder, 'me.mp4'), join(folder, 'b.mp4'));
  mkdirSync(join(folder, 'x'));
  symlinkSync('..', join(folder, 'x', 'up'));
  const requests = ['me.mp4', 'b.mp4'].map((name, index) => {
    const output = { filename: index === 0 ? 'same.mp4' : 'x/up/same.mp4', ...small };
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({ input: urlOf(folder, name), outputs: [output] }),
    );
    return `${name}.json`;
  });
  const two = await runCli(['run', ...requests], { cwd: folder });
  assert.is(two.code, 2, two.stderr);
  assert.match(two.stderr, `would both be written`);
  assert.equal(readFileSync(join(folder, 'me.mp4')), before);
});

test('venc run without --force keeps a file that exists, also a segment', async () => {
  const folder = tempFolder();
  const input = await media('clip.mp4');
  writeFileSync(join(folder, 'cut-00001.ts'), foreign);
  const request = {
    input: pathToFileURL(input).href,
    outputs: [{ type: 'segmented', filename: 'cut.m3u8' }],
  };
  writeFileSync(join(folder, 'cut.json'), JSON.stringify(request));
  const kept = await runCli(['run', 'cut.json'], { cwd: folder });
  assert.is(kept.code, 1, kept.stderr);
  assert.match(kept.stderr, /cut-00001\.ts was not replaced/);
  assert.is(readFileSync(join(folder, 'cut-00001.ts'), 'utf8'), foreign);
  const forced = await runCli(['run', 'cut.json', '--force'], { cwd: folder });
  assert.is(forced.code, 0, forced.stderr);
  assert.not.equal(readFileSync(join(folder, 'cut-00001.ts')).byteLength, foreign.length);
});

test.run();
