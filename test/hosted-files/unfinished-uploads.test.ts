import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HostedFileStore } from '../../daemon/hosted-files/hosted-file-store.js';
import { UnfinishedUploads } from '../../daemon/hosted-files/unfinished-uploads.js';
import { VencError } from '../../src/shared/errors.js';
import { contentsOf, factsOf, failureOf, sampleBytes } from '../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';

const never = new AbortController().signal;
const dayMs = 86_400_000;
const key = { ownerId: 'me', name: 'film.mp4', token: 'a' };
const bytes = sampleBytes(100_000);

const partOf = (offset: number, end: number, sizeBytes = bytes.length) => ({
  ...{ offset, sizeBytes, signal: never },
  body: Readable.from(end === offset ? [] : [bytes.subarray(offset, end)]),
});

/** Unfinished uploads with a clock that the test sets. `open` opens them again, as a new process does. */
function harness(
  wrap: (store: HostedFileStore) => HostedFileStore = (store) => store,
  maxStoreWaitMs = 60_000,
) {
  let now = new Date();
  const folder = tempFolder();
  const { store } = createHostedFilesHarness({ now: () => now }, folder);
  const parts = join(folder, '.parts');
  const open = async () => {
    const uploads = new UnfinishedUploads({
      ...{ folder: parts, uploads: wrap(store), now: () => now, randomToken: () => 'token' },
      ...{ stallTimeoutMs: 5000, minFreeBytes: 0, maxStoreWaitMs },
    });
    await uploads.load();
    return uploads;
  };
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  return { folder, parts, store, open, pass };
}

test('an upload is removed 24 hours after its last byte, and not before', async () => {
  const { parts, open, pass } = harness();
  const uploads = await open();
  await uploads.receive(key, partOf(0, 10));
  pass(dayMs - 1);
  await uploads.receive(key, partOf(10, 20));
  pass(dayMs - 1);
  await uploads.removeExpired();
  assert.equal(uploads.find(key), { receivedBytes: 20, sizeBytes: bytes.length, ref: null });
  pass(1);
  await uploads.removeExpired();
  assert.is(uploads.find(key), null);
  assert.equal(readdirSync(parts), []);
});

test('an upload that another process received is removed after the same time', async () => {
  const { parts, open, pass } = harness();
  await (await open()).receive(key, partOf(0, 10));
  const uploads = await open();
  assert.is(uploads.find(key)?.receivedBytes, 10);
  pass(dayMs + 60_000);
  await uploads.removeExpired();
  assert.equal(readdirSync(parts), []);
});

test('the URL of a complete upload is known for 24 hours', async () => {
  const { open, pass, store } = harness();
  const complete = await (await open()).receive(key, partOf(0, bytes.length));
  assert.equal(complete.ref, { token: 'token', name: 'film.mp4' });
  assert.equal(await store.factsOf('token'), factsOf(bytes));
  const uploads = await open();
  assert.equal(uploads.find(key), complete);
  pass(dayMs + 60_000);
  await uploads.removeExpired();
  assert.is(uploads.find(key), null);
});

test('the space of an upload counts while its client may continue', async () => {
  const { open, pass } = harness();
  const uploads = await open();
  await uploads.receive(key, partOf(0, 10));
  assert.is(uploads.announcedBytes(), bytes.length - 10);
  pass(599_000);
  assert.is(uploads.announcedBytes(), bytes.length - 10);
  pass(1000);
  assert.is(uploads.announcedBytes(), 0);
  await uploads.receive(key, partOf(10, 30));
  assert.is(uploads.announcedBytes(), bytes.length - 30);
  await uploads.receive(key, partOf(30, bytes.length));
  assert.is(uploads.announcedBytes(), 0);
});

test('the checksum of an upload that two processes received is that of the whole file', async () => {
  const { open, store } = harness();
  await (await open()).receive(key, partOf(0, 60_000));
  const { ref } = await (await open()).receive(key, partOf(60_000, bytes.length));
  assert.equal(await store.factsOf(ref?.token ?? ''), factsOf(bytes));
});

test('a part is answered before a slow store has the file, and an empty part waits again', async () => {
  let goOn = (): void => {};
  const stored = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const keepLate = (store: HostedFileStore): HostedFileStore => ({
    ...store,
    keepUpload: (...args) => stored.then(() => store.keepUpload(...args)),
  });
  const { open } = harness(keepLate, 50);
  const uploads = await open();
  const gone = new AbortController();
  const first = uploads.receive(key, { ...partOf(0, bytes.length), signal: gone.signal });
  assert.equal(await first, { receivedBytes: bytes.length, sizeBytes: bytes.length, ref: null });
  gone.abort();
  assert.is(await uploads.cancel(key), false);
  assert.is((await uploads.receive(key, partOf(bytes.length, bytes.length))).ref, null);
  goOn();
  const ask = () => uploads.receive(key, partOf(bytes.length, bytes.length));
  const last = await pollUntil(ask, ({ ref }) => ref !== null);
  assert.equal(last.ref, { token: 'token', name: 'film.mp4' });
});

test('an upload that could not be stored is stored by the next request', async () => {
  let isBroken = true;
  const { open } = harness((store) => ({
    ...store,
    keepUpload: async (...args) => {
      if (isBroken) throw new VencError('UnavailableError', 'The bucket is away.');
      return store.keepUpload(...args);
    },
  }));
  const uploads = await open();
  const failure = await failureOf(uploads.receive(key, partOf(0, bytes.length)));
  assert.is(failure.errorClass, 'UnavailableError');
  isBroken = false;
  // A complete file of an earlier process is stored as well.
  const next = await open();
  const { ref } = await next.receive(key, partOf(bytes.length, bytes.length));
  assert.equal(ref, { token: 'token', name: 'film.mp4' });
});

test('a file that was stored before the process ended is found', async () => {
  const { open, parts } = harness();
  await (await open()).receive(key, partOf(0, bytes.length));
  const [id = ''] = readdirSync(parts);
  const path = join(parts, id, 'upload.json');
  // The process ended before it noted that.
  writeFileSync(path, readFileSync(path, 'utf8').replace('"isStored":true', '"isStored":false'));
  const uploads = await open();
  assert.equal(uploads.find(key)?.ref, { token: 'token', name: 'film.mp4' });
});

test('damaged uploads are removed at the start, and others stay', async () => {
  const { open, parts } = harness();
  await (await open()).receive(key, partOf(0, 10));
  for (const [name, text] of [
    ['no-record', null],
    ['no-json', '{'],
    ['no-fields', '{}'],
  ] as const) {
    mkdirSync(join(parts, name));
    writeFileSync(join(parts, name, 'data'), 'x');
    if (text !== null) writeFileSync(join(parts, name, 'upload.json'), text);
  }
  const uploads = await open();
  assert.is(uploads.find(key)?.receivedBytes, 10);
  assert.is(readdirSync(parts).length, 1);
});

test('the cleanup of the store leaves unfinished uploads alone', async () => {
  const { open, folder, store } = harness();
  const uploads = await open();
  await uploads.receive(key, partOf(0, 10));
  const before = contentsOf(folder);
  await store.removeExpired();
  assert.equal(contentsOf(folder), before);
  assert.is((await uploads.receive(key, partOf(10, bytes.length))).ref?.name, 'film.mp4');
});

test('after the end of the daemon nothing is accepted, and what was received stays', async () => {
  const { open } = harness();
  const uploads = await open();
  await uploads.receive(key, partOf(0, 10));
  await uploads.close();
  const failure = await failureOf(uploads.receive(key, partOf(10, 20)));
  assert.is(failure.errorClass, 'UnavailableError');
  assert.is((await open()).find(key)?.receivedBytes, 10);
});

test.run();
