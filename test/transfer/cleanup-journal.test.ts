import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leftoverFolder } from '../../daemon/transfer/cleanup-journal.js';
import type { Leftover } from '../../daemon/transfer/orphans.js';
import { registerTransports } from '../../daemon/transports/registry.js';
import { sweepLeftovers } from '../../daemon/transports/remove-orphans.js';
import { tempFolder } from '../helpers/temp.js';

const ftp = (name: string): Leftover => ({ url: 'ftp://user:hunter2secret@example.com/a.mp4', name });

test('a note is on disk for its owner alone while the thing is there, and gone when it is torn up', async () => {
  const folder = join(tempFolder(), 'leftovers');
  const tearUp = await leftoverFolder(folder).note(ftp('part'));
  const [name = ''] = readdirSync(folder);
  assert.is(statSync(join(folder, name)).mode & 0o777, 0o600);
  await tearUp();
  assert.equal(readdirSync(folder), []);
});

test('a note tells the folders that were made, too', async () => {
  const folder = tempFolder();
  const left: Leftover = { ...ftp('new/part'), folders: ['new', 'new/er'] };
  await leftoverFolder(folder).note(left);
  assert.equal(
    (await leftoverFolder(folder).notes()).map(({ leftover }) => leftover),
    [left],
  );
});

test('what an earlier program left is taken away once; what cannot be is kept for the next time', async () => {
  const folder = tempFolder();
  await leftoverFolder(folder).note(ftp('good'));
  await leftoverFolder(folder).note(ftp('unreachable'));
  writeFileSync(join(folder, 'cut-off.json'), '{"url": "ftp');
  const swept: string[] = [];
  const registry = registerTransports([
    {
      schemes: ['ftp'],
      async sweep({ name }) {
        if (name === 'unreachable') throw new Error('no way there');
        swept.push(name);
      },
    },
  ]);
  const told: string[] = [];
  assert.is(await sweepLeftovers(leftoverFolder(folder), registry, (line) => told.push(line)), 1);
  assert.equal(swept, ['good']);
  assert.match(told.join(), /could not be taken away yet: Error: no way there/);
  assert.is(readdirSync(folder).length, 1);
});

test.run();
