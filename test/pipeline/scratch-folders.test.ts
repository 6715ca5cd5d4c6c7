import { statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noSavedCredentials } from '../../daemon/jobs/saved-credentials.js';
import { rollBack } from '../../daemon/pipeline/deliver.js';
import { createScratchFolders } from '../../daemon/pipeline/scratch-folders.js';
import { registerTransports } from '../../daemon/transports/registry.js';
import { tempFolder } from '../helpers/temp.js';

test('a delivery record is readable only by its owner, and its URL is listed once the file has left the scratch folder, even with blanks', async () => {
  const scratchFolders = createScratchFolders(tempFolder(), () => {});
  const scratch = await scratchFolders.open(7);
  const urls = ['ftp://user:hunter2secret@example.com/a.mp4', 'ftp://example.com/new folder/b c.mp4'];
  for (const [at, url] of urls.entries()) {
    const path = join(scratch, `output-${at}.mp4`);
    writeFileSync(path, 'film');
    await scratchFolders.recordDelivery(scratch, { outputId: at, path, url });
  }
  assert.is(statSync(join(scratch, 'deliveries')).mode & 0o777, 0o600);
  assert.equal(await scratchFolders.listDelivered(), []);
  for (const at of urls.keys()) await rm(join(scratch, `output-${at}.mp4`));
  assert.equal(
    await scratchFolders.listDelivered(),
    urls.map((url, outputId) => ({ jobId: 7, outputId, url })),
  );
});

test('folders for work without a run differ, and are removed with the others', async () => {
  const scratchFolders = createScratchFolders(join(tempFolder(), 'scratch'), () => {});
  const [one, other] = [await scratchFolders.openFor('frame'), await scratchFolders.openFor('frame')];
  assert.is.not(one, other);
  assert.is(statSync(one).mode & 0o777, 0o700);
  assert.equal(await scratchFolders.listDelivered(), []);
  await scratchFolders.close(one);
  assert.throws(() => statSync(one), /ENOENT/);
  await scratchFolders.clear();
  assert.throws(() => statSync(other), /ENOENT/);
});

test('a server that cannot remove files is tried once, however many orphans it has', async () => {
  const removed: string[] = [];
  const transports = registerTransports([
    {
      schemes: ['ftp'],
      async remove(url) {
        removed.push(url);
        if (!url.endsWith('3.png')) throw new Error('no way there');
      },
    },
  ]);
  const reported: string[] = [];
  const urls = [1, 2, 3].map((number) => `ftp://example.com/${number}.png`);
  const log = (_: string, message: string) => reported.push(message);
  const owner = { accountId: 'default' };
  await rollBack(
    { transports, savedCredentials: noSavedCredentials, log },
    { job: { id: 1, outputs: [] }, urls, ownerOfUrl: () => owner },
  );
  assert.equal(removed, ['ftp://example.com/3.png', 'ftp://example.com/2.png']);
  assert.match(
    reported.join(),
    /2 delivered file\(s\) of a failed output could not be removed: UploadFailureError: no way there/,
  );
});

test.run();
