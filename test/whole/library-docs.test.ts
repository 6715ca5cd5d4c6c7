import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { film, makeMedia } from '../helpers/media.js';
import { installPackage, runProgram } from '../helpers/packed.js';

const installed = installPackage();
const examples = [...readFileSync('docs/library.md', 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(
  ([, source = '']) => source,
);

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
  test(`the example with ${name} of docs/library.md runs`, async () => {
    const { code, stdout, stderr } = await runProgram(installed, `example-${index}.mjs`, source);
    assert.equal([code, stderr], [0, '']);
    if (printed[index] !== undefined) assert.match(stdout, printed[index] ?? '');
  });
}

test.run();
