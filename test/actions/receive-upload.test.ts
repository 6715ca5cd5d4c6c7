import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { receiveUploadPart } from '../../daemon/actions/receive-upload.js';
import { UnfinishedUploads } from '../../daemon/hosted-files/unfinished-uploads.js';
import { failureOf } from '../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';

/** Receives a part on a disk without space, with a store that needs none of it or with one on the same disk. */
async function receiveWithoutSpace(usesDisk: boolean, { declaredBytes = 3 } = {}) {
  const { store, folder } = createHostedFilesHarness();
  const uploads = { ...store, usesDisk };
  const unfinishedUploads = new UnfinishedUploads({
    ...{ folder: join(folder, '.parts'), uploads, now: () => new Date(), randomToken: () => 'token' },
    ...{ stallTimeoutMs: 5000, minFreeBytes: 10 ** 15 },
  });
  const part = { name: 'a.mp4', token: 'a'.repeat(32), offset: 0, sizeBytes: 3, declaredBytes };
  const { signal } = new AbortController();
  return receiveUploadPart(
    { uploads, unfinishedUploads, checkHealth: async () => [] },
    { id: 'me' },
    { ...part, body: Readable.from([Buffer.from('abc')]), signal },
  );
}

test('a bucket takes a whole file for which the disk has no space', async () => {
  const { url, ...counts } = await receiveWithoutSpace(false);
  assert.match(String(url), /^upload:\/\/[0-9a-f]+\/a\.mp4$/);
  assert.equal(counts, { received: 3, size: 3 });
});

test('a part of a file, and a file for the same disk, need space', async () => {
  const ofPart = await failureOf(receiveWithoutSpace(false, { declaredBytes: 2 }));
  const onDisk = await failureOf(receiveWithoutSpace(true));
  assert.equal([ofPart.errorClass, onDisk.errorClass], ['OutOfSpaceError', 'OutOfSpaceError']);
});

test.run();
