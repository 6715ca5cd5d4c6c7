import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileRef } from '../../daemon/hosted-files/hosted-file-store.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
} from '../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';
import { waitUntil } from '../helpers/wait-until.js';

const never = new AbortController().signal;
const dayMs = 86_400_000;

const product = (text: string): string => {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, text);
  return path;
};

/** A hosted file store with a clock that the test sets. */
function harnessWithClock() {
  let now = new Date('2026-01-01T00:00:00Z');
  return {
    ...createHostedFilesHarness({ now: () => now }),
    pass(ms: number): void {
      now = new Date(now.getTime() + ms);
    },
  };
}

const filesOf = (folder: string) => contentsOf(folder).filter((name) => !name.startsWith('.'));
const at = (token: string, name = 'a.mp4'): FileRef => ({ token, name });

test('a received file is complete, with its owner, size and checksum', async () => {
  const { store } = createHostedFilesHarness();
  const bytes = sampleBytes(3_000_001);
  const received = await store.receive(
    Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]),
    'ü.mp4',
    'me',
    never,
  );
  const { token, name, ...facts } = received;
  assert.equal(facts, factsOf(bytes));
  const file = await store.find({ token, name });
  assert.ok(file.state === 'there' && readFileSync(file.path).equals(bytes));
  assert.is(await store.ownerOf(token), 'me');
  assert.equal(await store.factsOf(token), factsOf(bytes));
  assert.is(await store.ownerOf('nobody'), null);
});

test('each received file gets its own URL, even if names are equal', async () => {
  const { store } = createHostedFilesHarness();
  const receive = () => store.receive(Readable.from([Buffer.from('x')]), 'same.mp4', 'me', never);
  const [first, second] = await Promise.all([receive(), receive()]);
  assert.is.not(first.token, second.token);
});

for (const name of ['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256), 'ü'.repeat(128), '\ud800']) {
  test(`a file named ${JSON.stringify(name.slice(0, 12))} is rejected`, async () => {
    const { store, folder } = createHostedFilesHarness();
    const failure = await failureOf(store.receive(Readable.from(['x']), name, 'me', never));
    assert.is(failure.errorClass, 'InvalidRequestError');
    assert.equal(contentsOf(folder), []);
  });
}

test('a file is not found while it is being received', async () => {
  const { store, folder } = createHostedFilesHarness({ randomToken: () => 'token' });
  const body = new PassThrough();
  const receiving = store.receive(body, 'a.mp4', 'me', never);
  body.write('half');
  await waitUntil('the first bytes are on the disk', () => contentsOf(folder).includes('.unfinished/token'));
  assert.equal(await store.find(at('token')), { state: 'unknown' });
  body.end('whole');
  await receiving;
  assert.is((await store.find(at('token'))).state, 'there');
});

test('an upload that stops sending times out and leaves nothing', async () => {
  const { store, folder } = createHostedFilesHarness({ stallTimeoutMs: 50 });
  const body = new PassThrough();
  body.write('half');
  assert.is((await failureOf(store.receive(body, 'a.mp4', 'me', never))).errorClass, 'DownloadTimeoutError');
  assert.ok(body.destroyed);
  assert.equal(contentsOf(folder), ['.unfinished']);
});

test('an upload whose connection breaks leaves nothing', async () => {
  const { store, folder } = createHostedFilesHarness();
  const body = new PassThrough();
  const receiving = failureOf(store.receive(body, 'a.mp4', 'me', never));
  body.write('half', () => body.destroy(new Error('reset')));
  assert.is((await receiving).errorClass, 'DownloadFailureError');
  assert.equal(contentsOf(folder), ['.unfinished']);
});

test('an aborted upload leaves nothing', async () => {
  const { store, folder } = createHostedFilesHarness();
  const controller = new AbortController();
  const body = new PassThrough();
  const receiving = rejectionOf(store.receive(body, 'a.mp4', 'me', controller.signal));
  body.write('half', () => controller.abort('draining'));
  assert.is(await receiving, 'draining');
  assert.equal(contentsOf(folder), ['.unfinished']);
});

test('an upload that would fill the disk fails as out of space and leaves nothing', async () => {
  const { store, folder } = createHostedFilesHarness({ minFreeBytes: 10 ** 15 });
  const receiving = store.receive(Readable.from([Buffer.from('x')]), 'a.mp4', 'me', never);
  assert.is((await failureOf(receiving)).errorClass, 'OutOfSpaceError');
  assert.equal(contentsOf(folder), ['.unfinished']);
});

test('adopting a file moves it and starts its lifetime', async () => {
  const { store, pass } = harnessWithClock();
  const from = product('film');
  utimesSync(from, new Date(0), new Date(0));
  await store.put(from, at('token'));
  assert.throws(() => readFileSync(from));
  pass(dayMs - 1);
  const file = await store.find(at('token'));
  assert.ok(file.state === 'there');
  assert.equal(file.modifiedAt, new Date('2026-01-01T00:00:00Z'));
  assert.is(file.sizeBytes, 4);
});

test('adopting a missing file leaves no trace', async () => {
  const { store } = createHostedFilesHarness();
  await failureOf(store.put('/no/such/file', at('token')));
  assert.equal(await store.find(at('token')), { state: 'unknown' });
});

for (const ref of [
  at('..', 'x'),
  at('.unfinished', 'x'),
  at('token', '../x'),
  at('token', '..'),
  at('', 'x'),
  at('a/b', 'x'),
]) {
  test(`${ref.token}/${ref.name} is not a valid reference`, async () => {
    const { store } = createHostedFilesHarness();
    assert.equal(await store.find(ref), { state: 'unknown' });
    assert.is((await failureOf(store.put(product('x'), ref))).errorClass, 'UploadFailureError');
  });
}

test('a file expires after 24 hours, even without a cleanup, and its URL reports so for 30 more days', async () => {
  const { store, folder, pass } = harnessWithClock();
  await store.put(product('film'), at('token'));
  pass(dayMs);
  assert.equal(await store.find(at('token')), { state: 'gone' });
  assert.equal(filesOf(folder), ['token', 'token/a.mp4']);
  await store.removeExpired();
  assert.equal(filesOf(folder), ['token']);
  assert.equal(await store.find(at('token')), { state: 'gone' });
  // The modification time of the expiry record comes from the disk, so this clock has to pass it.
  utimesSync(join(folder, 'token'), new Date('2026-01-02T00:00:00Z'), new Date('2026-01-02T00:00:00Z'));
  pass(29 * dayMs);
  await store.removeExpired();
  assert.equal(await store.find(at('token')), { state: 'gone' });
  pass(2 * dayMs);
  await store.removeExpired();
  assert.equal(await store.find(at('token')), { state: 'unknown' });
});

test('the files of one token are deleted together with the last of them', async () => {
  const { store, pass } = harnessWithClock();
  await store.put(product('film'), at('token', 'a.mp4'));
  pass(1000);
  await store.put(product('image'), at('token', 'a_0000.png'));
  pass(dayMs - 1000);
  await store.removeExpired();
  assert.equal(await store.find(at('token', 'a.mp4')), { state: 'gone' });
  assert.is((await store.find(at('token', 'a_0000.png'))).state, 'there');
  assert.equal(await store.find(at('token', 'b.mp4')), { state: 'unknown' });
  pass(1000);
  await store.removeExpired();
  assert.equal(await store.find(at('token', 'a.mp4')), { state: 'gone' });
  assert.equal(await store.find(at('token', 'a_0000.png')), { state: 'gone' });
});

test('the cleanup removes the owner only of expired files', async () => {
  const { store, folder, pass } = harnessWithClock();
  const receive = () => store.receive(Readable.from([Buffer.from('x')]), 'a.mp4', 'me', never);
  const old = await receive();
  utimesSync(join(folder, old.token, old.name), new Date('2026-01-01'), new Date('2026-01-01'));
  pass(dayMs);
  const fresh = await receive();
  await store.removeExpired();
  assert.is(await store.ownerOf(old.token), null);
  assert.is(await store.ownerOf(fresh.token), 'me');
});

test('an upload that arrives during a cleanup keeps its owner', async () => {
  let arrive = (): void => {};
  const now = () => {
    arrive();
    return new Date('2026-01-01T00:00:00Z');
  };
  const { folder, store } = createHostedFilesHarness({ now });
  await store.receive(Readable.from([sampleBytes(10)]), 'a.mp4', 'anna', never);
  // The cleanup asks for the time once it has listed the files.
  arrive = () => {
    arrive = () => {};
    mkdirSync(join(folder, 'late'));
    const record = { ownerId: 'anna', sizeBytes: 0, md5: '' };
    writeFileSync(join(folder, '.records', 'late.json'), JSON.stringify(record));
    writeFileSync(join(folder, 'late', 'b.mp4'), '');
  };
  await store.removeExpired();
  assert.is(await store.ownerOf('late'), 'anna');
});

test('the cleanup removes files of a crash and keeps incoming uploads', async () => {
  const { store, folder } = createHostedFilesHarness({ randomToken: () => 'busy' });
  mkdirSync(join(folder, '.unfinished'));
  mkdirSync(join(folder, '.records'));
  writeFileSync(join(folder, '.unfinished', 'crashed'), 'half');
  writeFileSync(join(folder, '.unfinished', 'crashed.json'), '{');
  writeFileSync(join(folder, '.records', 'crashed.json'), '{}');
  const body = new PassThrough();
  const receiving = store.receive(body, 'a.mp4', 'me', never);
  body.write('half');
  await waitUntil('it has begun', () => contentsOf(folder).includes('.unfinished/busy'));
  await store.removeExpired();
  assert.equal([...contentsOf(folder)].sort(), ['.records', '.unfinished', '.unfinished/busy']);
  body.end();
  assert.is((await receiving).sizeBytes, 4);
});

test('removing expired files of a store that was never used is a no-op', async () => {
  await createHostedFilesHarness({}, join(scratchFolder(), 'not-made-yet')).store.removeExpired();
});

test('a file that is shorter on disk than recorded is measured again', async () => {
  const { store, folder } = createHostedFilesHarness();
  const { token } = await store.receive(Readable.from([Buffer.from('film')]), 'a.mp4', 'me', never);
  writeFileSync(join(folder, '.records', `${token}.json`), 'damaged');
  assert.is(await store.factsOf(token), null);
  assert.is(await store.ownerOf(token), null);
});

test('an upload whose Content-Length exceeds the free disk space is rejected before any byte is read', async () => {
  const { store } = createHostedFilesHarness();
  const body = new Readable({ read: () => assert.unreachable('it was read') });
  const failure = await failureOf(store.receive(body, 'huge.mp4', 'me', never, 1e18));
  assert.is(failure.errorClass, 'OutOfSpaceError');
});

test.run();
