import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Orphan, openCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { registerTransports, removeOrphans } from '../../daemon/transports/registry.js';
import { tempFolder } from '../helpers/temp.js';

const ftp = (name: string): Orphan => ({ url: 'ftp://user:hunter2secret@example.com/a.mp4', name });

test('a journal entry is on disk, readable only by its owner, until it is deleted', async () => {
  const folder = join(tempFolder(), 'leftovers');
  const removeEntry = await openCleanupJournal(folder).add(ftp('part'));
  const [name = ''] = readdirSync(folder);
  assert.is(statSync(join(folder, name)).mode & 0o777, 0o600);
  await removeEntry();
  assert.equal(readdirSync(folder), []);
});

test('a journal entry also records the folders that were created', async () => {
  const folder = tempFolder();
  const left: Orphan = { ...ftp('new/part'), folders: ['new', 'new/er'] };
  await openCleanupJournal(folder).add(left);
  assert.equal(
    (await openCleanupJournal(folder).entries()).map(({ orphan: found }) => found),
    [left],
  );
});

test('orphans of an earlier process are removed once; those that cannot be removed stay in the journal', async () => {
  const folder = tempFolder();
  await openCleanupJournal(folder).add(ftp('good'));
  await openCleanupJournal(folder).add(ftp('unreachable'));
  writeFileSync(join(folder, 'cut-off.json'), '{"url": "ftp');
  const removed: string[] = [];
  const registry = registerTransports([
    {
      schemes: ['ftp'],
      async removeOrphan({ name }) {
        if (name === 'unreachable') throw new Error('no way there');
        removed.push(name);
      },
    },
  ]);
  const logLines: string[] = [];
  assert.is(await removeOrphans(openCleanupJournal(folder), registry, (line) => logLines.push(line)), 1);
  assert.equal(removed, ['good']);
  assert.match(
    logLines.join(),
    /Could not remove the unfinished upload of an earlier run at .*: Error: no way there/,
  );
  assert.is(readdirSync(folder).length, 1);
});

test.run();
