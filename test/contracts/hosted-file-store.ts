import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HostedFileStore } from '../../daemon/hosted-files/hosted-file-store.js';
import { expiryFacts } from './hosted-file-store/expiry-facts.js';
import { receiveFacts } from './hosted-file-store/receive-facts.js';
import {
  contentOf,
  finishedFile,
  type HostedFileStoreHarness,
  neverAborted,
  receiveContent,
  refTo,
  type StoreContext,
} from './hosted-file-store/store-context.js';
import {
  factsOf,
  failureOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from './transport/evidence.js';

/** The options of `hostedFileStoreContract`. */
interface ContractOptions {
  /** Ends what all harnesses share, after the last test. */
  readonly end?: () => Promise<void>;
}

/** Tests that an implementation keeps the promises of `HostedFileStore`. */
export function hostedFileStoreContract(
  name: string,
  create: () => Promise<HostedFileStoreHarness>,
  { end = async () => {} }: ContractOptions = {},
): void {
  const test = suite<StoreContext>(`hosted file store: ${name}`);
  const opened: HostedFileStore[] = [];
  test.before.each(async (context) => {
    let passedMs = 0;
    const harness = await create();
    context.harness = harness;
    context.pass = (ms) => {
      passedMs += ms;
    };
    context.open = (options = {}) => {
      const now = () => new Date(Date.now() + passedMs);
      const store = harness.open({ now, stallTimeoutMs: 2_000, ...options });
      opened.push(store);
      return store;
    };
    context.store = context.open();
  });
  test.after.each(() => {
    for (const store of opened.splice(0)) store.close();
  });
  test.after(end);

  for (const sizeBytes of [0, 1, 3_000_001, 30_000_001]) {
    test(`a received file of ${sizeBytes} bytes is complete, with its owner, size and checksum`, async ({
      store,
    }) => {
      const bytes = sampleBytes(sizeBytes);
      const { token, name: fileName, ...facts } = await receiveContent(store, bytes, 'ü b%+?#&.mp4');
      assert.equal(facts, factsOf(bytes));
      const content = await contentOf(store, refTo(token, fileName));
      assert.ok(bytes.equals(content));
      assert.is(await store.ownerOf(token), 'me');
      assert.equal(await store.factsOf(token), factsOf(bytes));
      assert.is(await store.ownerOf('nobody'), null);
      assert.is(await store.factsOf('nobody'), null);
    });

    test(`a finished file of ${sizeBytes} bytes is moved into the store, and measured`, async ({ store }) => {
      const bytes = sampleBytes(sizeBytes);
      const from = finishedFile(bytes);
      assert.equal(await store.put(from, refTo('token'), transferOf()), factsOf(bytes));
      assert.not(existsSync(from));
      const file = await store.find(refTo('token'));
      assert.ok(file.state === 'there' && file.sizeBytes === sizeBytes);
      assert.ok(Math.abs(file.modifiedAt.getTime() - Date.now()) < 60_000);
      assert.ok(bytes.equals(await contentOf(store, refTo('token'))));
    });
  }

  test('a finished upload is moved into the store, with its owner, size and checksum', async ({ store }) => {
    const bytes = sampleBytes(3_000_001);
    const from = finishedFile(bytes);
    const facts = { sizeBytes: bytes.length, md5: String(factsOf(bytes).md5) };
    await store.keepUpload(from, refTo('token'), { ownerId: 'me', ...facts }, neverAborted);
    assert.not(existsSync(from));
    assert.ok(bytes.equals(await contentOf(store, refTo('token'))));
    assert.is(await store.ownerOf('token'), 'me');
    assert.equal(await store.factsOf('token'), facts);
  });

  test('an upload that cannot be stored leaves nothing', async ({ store, harness }) => {
    const record = { ownerId: 'me', sizeBytes: 1, md5: 'a' };
    const missing = join(scratchFolder(), 'missing');
    await rejectionOf(store.keepUpload(missing, refTo('token'), record, neverAborted));
    assert.is((await store.find(refTo('token'))).state, 'unknown');
    assert.is(await store.ownerOf('token'), null);
    assert.equal(await harness.files(), []);
  });

  test('a range is read without the rest', async ({ store }) => {
    const bytes = sampleBytes(3_000_001);
    const { token } = await receiveContent(store, bytes);
    for (const [start, last] of [
      [0, 0],
      [7, 2_000_000],
      [3_000_000, 3_000_000],
    ] as const) {
      const content = await contentOf(store, refTo(token), { start, end: last });
      assert.ok(bytes.subarray(start, last + 1).equals(content), `${start}-${last}`);
    }
  });

  test('a file is opened if it is there, on this machine', async ({ store }) => {
    const bytes = sampleBytes(1000);
    const { token, name: fileName } = await receiveContent(store, bytes);
    const handle = await store.openHere(refTo(token, fileName));
    if (handle !== null) assert.ok(bytes.equals(await handle.readFile()));
    await handle?.close();
    await store.removeAll(token);
    assert.is(await store.openHere(refTo(token, fileName)), null);
  });

  test('a reader may stop before the end', async ({ store }) => {
    const { token } = await receiveContent(store, sampleBytes(3_000_001));
    const file = await store.find(refTo(token));
    assert.ok(file.state === 'there');
    const stream = file.read({ start: 0, end: 3_000_000 });
    for await (const chunk of stream) {
      assert.ok(chunk.length > 0);
      break;
    }
    assert.ok(stream.destroyed);
    assert.is((await store.find(refTo(token))).state, 'there');
  });

  test('a file is downloaded to a path as a whole, more than once', async ({ store }) => {
    const bytes = sampleBytes(3_000_001);
    const { token } = await receiveContent(store, bytes);
    for (const path of [join(scratchFolder(), 'input'), join(scratchFolder(), 'input')]) {
      assert.equal(await store.download(refTo(token), path, transferOf()), factsOf(bytes));
      assert.ok(readFileSync(path).equals(bytes));
    }
  });

  test('a download of a missing file fails and leaves nothing', async ({ store }) => {
    const path = join(scratchFolder(), 'input');
    for (const ref of [refTo('token'), refTo('token', '../a')]) {
      const failure = await failureOf(store.download(ref, path, transferOf()));
      assert.is(failure.errorClass, 'FileNotFoundError');
      assert.not(existsSync(path));
    }
  });

  test('a put of a missing file leaves no trace', async ({ store, harness }) => {
    await failureOf(store.put('/no/such/file', refTo('token'), transferOf()));
    assert.equal(await store.find(refTo('token')), { state: 'unknown' });
    assert.equal(await harness.files(), []);
  });

  test('an aborted put leaves no trace, and the file stays', async ({ store, harness }) => {
    const from = finishedFile('film');
    const signal = AbortSignal.abort('cancelled');
    assert.is(await rejectionOf(store.put(from, refTo('token'), transferOf({ signal }))), 'cancelled');
    assert.ok(existsSync(from));
    assert.equal(await harness.files(), []);
  });

  test('a second put replaces the file', async ({ store }) => {
    await store.put(finishedFile('first'), refTo('token'), transferOf());
    await store.put(finishedFile('second one'), refTo('token'), transferOf());
    assert.is(String(await contentOf(store, refTo('token'))), 'second one');
  });

  for (const ref of [
    refTo('..', 'x'),
    refTo('.unfinished', 'x'),
    refTo('.records', 'x'),
    refTo('token', '../x'),
    refTo('token', '..'),
    refTo('', 'x'),
    refTo('a/b', 'x'),
  ]) {
    test(`${ref.token}/${ref.name} is not a valid reference`, async ({ store }) => {
      assert.equal(await store.find(ref), { state: 'unknown' });
      const failure = await failureOf(store.put(finishedFile('x'), ref, transferOf()));
      assert.is(failure.errorClass, 'UploadFailureError');
      await store.remove(ref);
      await store.removeAll(ref.token === 'token' ? 'other' : ref.token);
    });
  }

  receiveFacts(test);
  expiryFacts(test);

  test.run();
}
