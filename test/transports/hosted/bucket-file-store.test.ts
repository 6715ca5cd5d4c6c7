import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HostedFileStore } from '../../../daemon/hosted-files/hosted-file-store.js';
import { createBucketFileStore } from '../../../daemon/transports/hosted/open-bucket-files.js';
import {
  contentOf,
  neverAborted,
  receiveContent,
  refTo,
} from '../../contracts/hosted-file-store/store-context.js';
import { failureOf, sampleBytes, scratchFolder, transferOf } from '../../contracts/transport/evidence.js';
import { bucketStoreOptions, keysIn, openBucketFolder } from '../../helpers/bucket-files-harness.js';
import { type FailingBucket, startFailingBucket } from '../../helpers/servers/failing-bucket.js';
import { waitUntil } from '../../helpers/wait-until.js';

interface Context {
  bucket: FailingBucket;
  prefix: string;
  store: HostedFileStore;
  /** Opens another store on the same files. */
  open: (stallTimeoutMs: number) => HostedFileStore;
  /** What the store wrote to the log. */
  logged: string[];
  clock: { passedMs: number };
}

const test = suite<Context>('hosted files in a bucket that fails');
let count = 0;
const opened: (() => void)[] = [];

test.before(async (context) => {
  context.bucket = await startFailingBucket();
});
test.before.each((context) => {
  count += 1;
  context.prefix = `daemons-${count}`;
  context.logged = [];
  context.clock = { passedMs: 0 };
  const { bucket, logged, clock } = context;
  bucket.failWith = () => null;
  context.open = (stallTimeoutMs) => {
    const folder = openBucketFolder(`s3://films/${context.prefix}`, bucket.endpoint, stallTimeoutMs);
    const store = createBucketFileStore({
      ...bucketStoreOptions(folder, (level, message) => logged.push(`${level} ${message}`)),
      now: () => new Date(Date.now() + clock.passedMs),
      kind: 'uploads',
    });
    opened.push(() => {
      store.close();
      folder.close();
    });
    return store;
  };
  // The server runs in this process, which other tests keep busy.
  context.store = context.open(20_000);
});
test.after.each(() => {
  for (const close of opened.splice(0)) close();
});
test.after(({ bucket }) => bucket.close());

test('a read continues after a connection was cut', async ({ store, bucket }) => {
  const bytes = sampleBytes(3_000_001);
  const ref = await receiveContent(store, bytes);
  let cuts = 0;
  bucket.failWith = ({ method, headers }) => {
    const isWhole = method === 'GET' && headers.range?.endsWith('-3000000') === true;
    if (!isWhole || cuts === 3) return null;
    cuts += 1;
    return 'answer cut in the middle';
  };
  assert.ok(bytes.equals(await contentOf(store, ref)));
  assert.is(cuts, 3);
});

test('a read fails if the bucket fails for good, and nothing is added to the content', async ({
  store,
  bucket,
}) => {
  const ref = await receiveContent(store, sampleBytes(3_000_001));
  const file = await store.find(ref);
  assert.ok(file.state === 'there');
  bucket.failWith = () => [403, 'AccessDenied'];
  const failure = await failureOf(buffer(file.read({ start: 0, end: 3_000_000 })));
  assert.is(failure.errorClass, 'DownloadAccessDeniedError');
  assert.not.match(failure.message, ref.token);
});

test('a reader that pauses for longer than the stall timeout gets the rest', async ({ store, open }) => {
  const bytes = sampleBytes(30_000_001);
  const ref = await receiveContent(store, bytes);
  const file = await open(300).find(ref);
  assert.ok(file.state === 'there');
  const stream = file.read({ start: 0, end: bytes.byteLength - 1 });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (chunks.length === 0) await new Promise((resolve) => setTimeout(resolve, 400));
    chunks.push(chunk);
  }
  assert.ok(Buffer.concat(chunks).equals(bytes));
});

const failures = [
  ['does not exist', () => [404, 'NoSuchBucket'], /does not exist/],
  ['rejects the keys', () => [403, 'InvalidAccessKeyId'], /does not accept the keys/],
  ['denies access', () => [403, 'AccessDenied'], /denies access/],
  ['breaks off connections', () => 'broken off', /cannot be reached/],
  ['does not answer', () => 'unanswered', /cannot be reached/],
] as const;
for (const [what, failWith, sentence] of failures) {
  test(`a bucket that ${what} is a temporary error with a sentence, and the store recovers`, async (context) => {
    const { bucket, logged } = context;
    const ref = await receiveContent(context.store, Buffer.from('film'));
    const store = what === 'does not answer' ? context.open(300) : context.store;
    assert.is(await store.problem(), null, logged.join());
    bucket.failWith = failWith as FailingBucket['failWith'];
    for (const attempt of [
      () => store.find(ref),
      () => store.ownerOf(ref.token),
      () => store.removeAll(ref.token),
      () => receiveContent(store, Buffer.from('film')),
    ]) {
      const failure = await failureOf(attempt());
      assert.is(failure.errorClass, 'UnavailableError');
      assert.match(failure.message, sentence);
      assert.not.match(failure.message, new RegExp(`films|127\\.0\\.0\\.1|${ref.token}`));
    }
    assert.match((await store.problem()) ?? '', sentence);
    assert.is(logged.length, 1, logged.join('\n'));
    assert.match(logged[0] ?? '', /warn The bucket of hosted files cannot be used: .*127\.0\.0\.1/);
    bucket.failWith = () => null;
    await waitUntil('it has recovered', async () => (await store.problem()) === null);
    assert.match(logged[1] ?? '', /info .*can be used again/);
    assert.is(String(await contentOf(context.store, ref)), 'film');
  });
}

test('a check with a limit resolves in time, and all share one request until it has ended', async ({
  store,
  bucket,
}) => {
  let requests = 0;
  bucket.failWith = () => {
    requests += 1;
    return 'unanswered';
  };
  const whole = store.problem();
  const began = performance.now();
  for (const problem of [await store.problem(50), await store.problem(50)])
    assert.match(problem ?? '', /cannot be reached/);
  // The whole check takes 5 s.
  assert.ok(performance.now() - began < 2500);
  assert.match((await whole) ?? '', /cannot be reached/);
  assert.match((await store.problem()) ?? '', /cannot be reached/);
  assert.is(requests, 1);
});

test('a job fails with the classes of transfers', async ({ store, bucket }) => {
  const ref = await receiveContent(store, Buffer.from('film'));
  bucket.failWith = () => [404, 'NoSuchBucket'];
  const path = join(scratchFolder(), 'out');
  const download = await failureOf(store.download(ref, path, transferOf()));
  assert.is(download.errorClass, 'FileNotFoundError');
  assert.match(download.message, /no bucket films/);
  await writeFile(path, 'film');
  const put = await failureOf(store.put(path, refTo('token'), transferOf()));
  assert.is(put.errorClass, 'FileNotFoundError');
});

test('an upload whose parts fail leaves nothing, and one whose part succeeds at last is complete', async (context) => {
  const { store, bucket, prefix } = context;
  let rejections = Number.POSITIVE_INFINITY;
  bucket.failWith = ({ method, url = '' }) => {
    if (method !== 'PUT' || !url.includes('partNumber=2') || rejections === 0) return null;
    rejections -= 1;
    return [503, 'SlowDown'];
  };
  const bytes = sampleBytes(30_000_001);
  assert.is((await failureOf(receiveContent(store, bytes))).errorClass, 'UnavailableError');
  assert.equal(
    (await keysIn(bucket.endpoint, 'films')).filter((key) => key.startsWith(`${prefix}/`)),
    [],
  );
  rejections = 2;
  const ref = await receiveContent(store, bytes);
  assert.ok(bytes.equals(await contentOf(store, ref)));
});

test('an upload that fails while it is completed leaves no record', async ({ store, bucket, prefix }) => {
  bucket.failWith = ({ method, url = '' }) =>
    method === 'POST' && url.includes('uploadId=') ? [403, 'AccessDenied'] : null;
  const failure = await failureOf(receiveContent(store, sampleBytes(30_000_001)));
  assert.is(failure.errorClass, 'UnavailableError');
  assert.equal(
    (await keysIn(bucket.endpoint, 'films')).filter((key) => key.startsWith(`${prefix}/`)),
    [],
  );
});

test('an upload with a declared length is complete, and one that is too long is rejected at once', async ({
  store,
}) => {
  const bytes = sampleBytes(30_000_001);
  const { token, name } = await store.receive(
    Readable.from([bytes]),
    'a.mp4',
    'me',
    neverAborted,
    bytes.length,
  );
  assert.ok(bytes.equals(await contentOf(store, refTo(token, name))));
  const unread = new Readable({ read: () => {} });
  const failure = await failureOf(store.receive(unread, 'a.mp4', 'me', neverAborted, 1e12));
  assert.is(failure.errorClass, 'PayloadTooLargeError');
  assert.match(failure.message, /640/);
});

test('of too many uploads at once, the last is rejected, and accepted later', async ({ store }) => {
  const bodies = Array.from({ length: 32 }, () => new PassThrough());
  const receiving = bodies.map((body) => store.receive(body, 'a.mp4', 'me', new AbortController().signal));
  const failure = await failureOf(receiveContent(store, Buffer.from('x')));
  assert.equal([failure.errorClass, failure.retryAfterSeconds], ['UnavailableError', 5]);
  for (const body of bodies) body.end('x');
  await Promise.all(receiving);
  await receiveContent(store, Buffer.from('x'));
});

test('an upload that took longer than a day is kept for 24 hours after its end', async (context) => {
  const { store, bucket, prefix, clock } = context;
  const ref = await receiveContent(store, Buffer.from('film'));
  const { token, name } = ref;
  // Servers report the begin of a multipart upload as the time of its object.
  const begin = new Date(Date.now() - 90_000_000);
  const path = join(bucket.folder, 'films', prefix, 'uploads', token, `${name}._S3rver_object`);
  await utimes(path, begin, begin);
  assert.is(String(await contentOf(store, ref)), 'film');
  clock.passedMs = 86_400_000;
  assert.is((await store.find(ref)).state, 'gone');
});

test('a cleanup lists a token that it knows only when it is due', async ({ store, bucket, clock }) => {
  await Promise.all([1, 2, 3].map(() => receiveContent(store, Buffer.from('film'))));
  await store.removeExpired();
  let lists = 0;
  bucket.failWith = ({ url }) => {
    if (url?.includes('list-type')) lists += 1;
    return null;
  };
  await store.removeExpired();
  assert.is(lists, 1);
  clock.passedMs = 86_405_000;
  await store.removeExpired();
  // The list of tokens, one for each of them, and those of old markers and records.
  assert.is(lists, 1 + 1 + 3 + 2);
});

test.run();
