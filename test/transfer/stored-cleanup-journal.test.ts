import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Orphan, openCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { registerTransports, removeOrphans } from '../../daemon/transports/registry.js';
import { tempFolder } from '../helpers/temp.js';

const ftp = (name: string): Orphan => ({ url: 'ftp://user:hunter2secret@example.com/a.mp4', name });

test('a note is on disk for its owner alone while the thing is there, and deleted with it', async () => {
  const folder = join(tempFolder(), 'leftovers');
  const removeEntry = await openCleanupJournal(folder).add(ftp('part'));
  const [name = ''] = readdirSync(folder);
  assert.is(statSync(join(folder, name)).mode & 0o777, 0o600);
  await removeEntry();
  assert.equal(readdirSync(folder), []);
});

test('a note tells the folders that were made, too', async () => {
  const folder = tempFolder();
  const left: Orphan = { ...ftp('new/part'), folders: ['new', 'new/er'] };
  await openCleanupJournal(folder).add(left);
  assert.equal(
    (await openCleanupJournal(folder).entries()).map(({ orphan: leftover }) => leftover),
    [left],
  );
});

test('what an earlier program left is taken away once; what cannot be is kept for the next time', async () => {
  const folder = tempFolder();
  await openCleanupJournal(folder).add(ftp('good'));
  await openCleanupJournal(folder).add(ftp('unreachable'));
  writeFileSync(join(folder, 'cut-off.json'), '{"url": "ftp');
  const swept: string[] = [];
  const registry = registerTransports([
    {
      schemes: ['ftp'],
      async removeOrphan({ name }) {
        if (name === 'unreachable') throw new Error('no way there');
        swept.push(name);
      },
    },
  ]);
  const told: string[] = [];
  assert.is(await removeOrphans(openCleanupJournal(folder), registry, (line) => told.push(line)), 1);
  assert.equal(swept, ['good']);
  assert.match(
    told.join(),
    /Could not remove the unfinished upload of an earlier run at .*: Error: no way there/,
  );
  assert.is(readdirSync(folder).length, 1);
});

test.run();
