import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jobTable, outputTable } from '../../src/shared/settings/index.js';
import { film, makeMedia } from '../helpers/media.js';
import { installPackage, runProgram } from '../helpers/packed.js';

const installed = installPackage();
const pages = ['docs/library.md', 'docs/from-fluent-ffmpeg.md'];
const examples = pages
  .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/```js\n([\s\S]*?)```/g)])
  .map(([, source = '']) => source)
  // Programs as they were before.
  .filter((source) => source.includes("from 'venc'"));

test.before(async () => {
  const path = join(installed.folder, 'film.mp4');
  await makeMedia(path, film('320x240', 2));
  copyFileSync(path, join(installed.folder, 'in.mov'));
});

/** What an example prints, if that is known. */
const printed: Readonly<Record<number, RegExp>> = {
  0: /out\.mp4 \d+/,
  2: /\[ null, \d+ \], \[ 'small', \d+ \], \[ null, \d+ \]/,
  3: /100 .*\n.*path:/s,
  4: /^not needed\n$/,
  5: /^invalid_request videoBitrate videoBitrate must be/,
  6: /^encode 2\d\d\d 320 h264 \d+\S* 3\n$/,
};

for (const [index, source] of examples.entries()) {
  const [, name = ''] = /(encode\(.*|plan\(.*|configure\(.*)/.exec(source) ?? [];
  test(`the example with ${name} runs`, async () => {
    const { code, stdout, stderr } = await runProgram(installed, `example-${index}.mjs`, source);
    assert.equal([code, stderr], [0, '']);
    if (printed[index] !== undefined) assert.match(stdout, printed[index] ?? '');
  });
}

test('every setting that the page for users of fluent-ffmpeg names exists', () => {
  const rows = readFileSync('docs/from-fluent-ffmpeg.md', 'utf8').match(/^\|.*\|$/gm) ?? [];
  const named = rows
    .flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`[^`]*`/g)])
    .flatMap(([code]) => [...code.matchAll(/\b([a-zA-Z]+): /g)]);
  const settings = new Set([...Object.keys(outputTable), ...Object.keys(jobTable)]);
  const others = ['output', 'outputs', 'number', 'title', 'url', 'format'];
  const unknown = named
    .map(([, name = '']) => name)
    .filter((name) => !settings.has(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
  assert.ok(named.length > 30);
  assert.equal(
    unknown.filter((name) => !others.includes(name)),
    [],
  );
});

test.run();
