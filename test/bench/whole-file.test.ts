import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertSameFile, measureFile } from '../../bench/measure-file.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();
const [sent, came] = [join(folder, 'sent'), join(folder, 'came')];
writeFileSync(sent, 'a film');

const cases = {
  'a truncated file': () => truncateSync(came, 3),
  'another file of the same size': () => writeFileSync(came, 'a fake'),
};

test('a complete file counts', async () => {
  writeFileSync(came, 'a film');
  await assertSameFile(await measureFile(sent), came);
});

for (const [what, spoil] of Object.entries(cases)) {
  test(`${what} fails the measurement`, async () => {
    writeFileSync(came, 'a film');
    spoil();
    await assertRejects(assertSameFile(await measureFile(sent), came), /not the file that was sent/);
  });
}

test('a missing file fails the measurement', async () => {
  await assertRejects(assertSameFile(await measureFile(sent), join(folder, 'missing')), /ENOENT/);
});

async function assertRejects(work: Promise<unknown>, how: RegExp): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.match(String(error), how);
}

test.run();
