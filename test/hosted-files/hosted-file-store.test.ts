import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentsOf, failureOf, sampleBytes, scratchFolder } from '../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';
import { waitUntil } from '../helpers/wait-until.js';

const never = new AbortController().signal;
const dayMs = 86_400_000;

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

test('an upload that would fill the disk fails as out of space and leaves nothing', async () => {
  const { store, folder } = createHostedFilesHarness({ minFreeBytes: 10 ** 15 });
  const receiving = store.receive(Readable.from([Buffer.from('x')]), 'a.mp4', 'me', never);
  assert.is((await failureOf(receiving)).errorClass, 'OutOfSpaceError');
  assert.equal(contentsOf(folder), ['.unfinished']);
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
