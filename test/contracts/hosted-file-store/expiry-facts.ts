import * as assert from 'uvu/assert';
import type { HostedFile } from '../../../daemon/hosted-files/hosted-file-store.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { transferOf } from '../transport/evidence.js';
import { contentOf, finishedFile, receiveContent, refTo, type StoreTest } from './store-context.js';

const dayMs = 86_400_000;
/** Servers report times in whole seconds. */
const marginMs = 5_000;

/** What an ETag is made of. */
function versionOf(file: HostedFile): string | null {
  return file.state === 'there' ? (file.version ?? String(file.modifiedAt.getTime())) : null;
}

/** Tests of what expires, of what is removed, and of several stores on the same files. */
export function expiryFacts(test: StoreTest): void {
  test('a file expires after 24 hours, even without a cleanup, and its token says so for 30 more days', async ({
    store,
    harness,
    pass,
  }) => {
    await store.put(finishedFile('film'), refTo('token'), transferOf());
    pass(dayMs - marginMs);
    assert.is((await store.find(refTo('token'))).state, 'there');
    await store.removeExpired();
    assert.is((await store.find(refTo('token'))).state, 'there');
    pass(2 * marginMs);
    assert.is((await store.find(refTo('token'))).state, 'gone');
    assert.equal(await harness.files(), ['token/a.mp4']);
    await store.removeExpired();
    await waitUntil('it is deleted', async () => (await harness.files()).length === 0);
    assert.is((await store.find(refTo('token'))).state, 'gone');
    pass(28 * dayMs);
    await store.removeExpired();
    assert.is((await store.find(refTo('token'))).state, 'gone');
    pass(3 * dayMs);
    await store.removeExpired();
    assert.equal(await store.find(refTo('token')), { state: 'unknown' });
  });

  test('a file whose token has a time is kept for that, and is known to have expired then', async ({
    store,
    harness,
    pass,
  }) => {
    const [long, short] = [refTo('long-172800s'), refTo('short-3600s')];
    for (const ref of [long, short]) await store.put(finishedFile('film'), ref, transferOf());
    const storedAtMs = Date.now();
    pass(3_600_000 + marginMs);
    await store.removeExpired();
    await waitUntil('the other is deleted', async () => (await harness.files()).length === 1);
    const gone = await store.find(short);
    assert.is(gone.state, 'gone');
    if (gone.state === 'gone')
      assert.ok(Math.abs((gone.expiredAt?.getTime() ?? 0) - storedAtMs - 3_600_000) < 2 * marginMs);
    pass(2 * dayMs - 3_600_000 - 2 * marginMs);
    assert.is((await store.find(long)).state, 'there');
    pass(2 * marginMs);
    const found = await store.find(long);
    assert.is(found.state, 'gone');
    if (found.state === 'gone')
      assert.ok(Math.abs((found.expiredAt?.getTime() ?? 0) - storedAtMs - 2 * dayMs) < 2 * marginMs);
  });

  test('the files of one token are deleted together with the last of them', async ({
    store,
    harness,
    pass,
  }) => {
    await store.put(finishedFile('film'), refTo('token', 'a.mp4'), transferOf());
    await store.put(finishedFile('image'), refTo('token', 'a_0000.png'), transferOf());
    if (harness.age === undefined) return;
    await harness.age(refTo('token', 'a.mp4'), 3_600_000);
    pass(dayMs - 1_800_000);
    await store.removeExpired();
    assert.is((await store.find(refTo('token', 'a.mp4'))).state, 'gone');
    assert.is((await store.find(refTo('token', 'a_0000.png'))).state, 'there');
    assert.equal(await store.find(refTo('token', 'b.mp4')), { state: 'unknown' });
    pass(3_600_000);
    await store.removeExpired();
    await waitUntil('they are deleted', async () => (await harness.files()).length === 0);
    assert.is((await store.find(refTo('token', 'a.mp4'))).state, 'gone');
    assert.is((await store.find(refTo('token', 'a_0000.png'))).state, 'gone');
  });

  test('an upload that has expired is gone, with its owner', async ({ store, open, harness, pass }) => {
    const old = await receiveContent(store, Buffer.from('old'));
    pass(dayMs + marginMs);
    assert.is((await store.find(old)).state, 'gone');
    // Opened later, like a daemon that was not running.
    await open().removeExpired();
    await waitUntil('it is deleted', async () => (await harness.files()).length === 0);
    assert.is((await store.find(old)).state, 'gone');
    assert.is(await store.ownerOf(old.token), null);
  });

  test('an upload that a job needs is there after 24 hours, and for 24 more after the job', async ({
    open,
    harness,
    pass,
  }) => {
    let isNeeded = true;
    const store = open({ needOf: async () => (isNeeded ? 'read' : null), renewsNeeded: true });
    const upload = await receiveContent(store, Buffer.from('upload'));
    pass(dayMs + marginMs);
    assert.is((await store.find(upload)).state, 'there');
    await store.removeExpired();
    assert.is(String(await contentOf(store, upload)), 'upload');
    assert.is(await store.ownerOf(upload.token), 'me');
    pass(3 * dayMs);
    assert.is((await store.find(upload)).state, 'there');
    const version = versionOf(await store.find(upload));
    await store.renew(upload.token);
    assert.is(versionOf(await store.find(upload)), version);
    isNeeded = false;
    pass(dayMs - 3 * marginMs);
    await store.removeExpired();
    assert.is((await store.find(upload)).state, 'there');
    pass(4 * marginMs);
    assert.is((await store.find(upload)).state, 'gone');
    await store.removeExpired();
    await waitUntil('it is deleted', async () => (await harness.files()).length === 0);
    await store.renew(upload.token);
    assert.is((await store.find(upload)).state, 'gone');
  });

  test('a hosted file that a job reads is there after 24 hours, and gone as soon as the job has ended', async ({
    open,
    harness,
    pass,
  }) => {
    let isRead = true;
    const store = open({ needOf: async () => (isRead ? 'read' : null) });
    await store.put(finishedFile('film'), refTo('token'), transferOf());
    await store.put(finishedFile('image'), refTo('token', 'a_0000.png'), transferOf());
    pass(2 * dayMs);
    await store.removeExpired();
    assert.is(String(await contentOf(store, refTo('token'))), 'film');
    assert.is(String(await contentOf(store, refTo('token', 'a_0000.png'))), 'image');
    isRead = false;
    assert.is((await store.find(refTo('token'))).state, 'gone');
    pass(dayMs);
    await store.removeExpired();
    await waitUntil('it is deleted', async () => (await harness.files()).length === 0);
  });

  test('a hosted file that a job has delivered is kept, and gone for its readers after 24 hours', async ({
    open,
    harness,
    pass,
  }) => {
    let isNeeded = true;
    const store = open({ needOf: async () => (isNeeded ? 'delivered' : null) });
    await store.put(finishedFile('film'), refTo('token'), transferOf());
    pass(dayMs + marginMs);
    await store.removeExpired();
    assert.is((await store.find(refTo('token'))).state, 'gone');
    assert.equal(await harness.files(), ['token/a.mp4']);
    isNeeded = false;
    pass(dayMs);
    await store.removeExpired();
    await waitUntil('it is deleted', async () => (await harness.files()).length === 0);
  });

  test('a cleanup keeps an upload that has not expired, with its owner', async ({ store, open }) => {
    const fresh = await receiveContent(store, Buffer.from('fresh'));
    await open().removeExpired();
    assert.is(await store.ownerOf(fresh.token), 'me');
    assert.is(String(await contentOf(store, fresh)), 'fresh');
  });

  test('a removed file is unknown, and the others of its token stay', async ({ store, harness }) => {
    await store.put(finishedFile('film'), refTo('token', 'a.mp4'), transferOf());
    await store.put(finishedFile('image'), refTo('token', 'b.png'), transferOf());
    await store.remove(refTo('token', 'a.mp4'));
    await store.remove(refTo('token', 'a.mp4'));
    assert.equal(await store.find(refTo('token', 'a.mp4')), { state: 'unknown' });
    assert.equal(await harness.files(), ['token/b.png']);
  });

  test('removeAll removes all files of a token and no other', async ({ store, open, harness }) => {
    for (const fileName of ['a.m3u8', 'a-00001.ts', 'a-00002.ts'])
      await store.put(finishedFile(fileName), refTo('token', fileName), transferOf());
    await store.put(finishedFile('other'), refTo('token2'), transferOf());
    await open().removeAll('token');
    assert.equal(await store.find(refTo('token', 'a.m3u8')), { state: 'unknown' });
    assert.equal(await harness.files(), ['token2/a.mp4']);
    await store.removeAll('token');
  });

  test('another store on the same files reads them, and deletes what has expired', async ({
    store,
    open,
    pass,
  }) => {
    const other = open();
    const { token } = await receiveContent(store, Buffer.from('upload'), 'a.mp4', 'anna');
    await store.put(finishedFile('film'), refTo('hosted'), transferOf());
    assert.is(String(await contentOf(other, refTo(token))), 'upload');
    assert.is(await other.ownerOf(token), 'anna');
    assert.is(String(await contentOf(other, refTo('hosted'))), 'film');
    pass(dayMs + marginMs);
    await other.removeExpired();
    await waitUntil('it is gone', async () => (await store.find(refTo('hosted'))).state === 'gone');
  });

  test('several stores on the same files may clean up at once', async ({ store, open, harness, pass }) => {
    for (let count = 0; count < 5; count += 1)
      await store.put(finishedFile('film'), refTo(`token${count}`), transferOf());
    pass(dayMs + marginMs);
    await Promise.all([open(), open(), open()].map((one) => one.removeExpired()));
    assert.equal(await harness.files(), []);
    for (let count = 0; count < 5; count += 1)
      assert.is((await store.find(refTo(`token${count}`))).state, 'gone');
  });

  test('the cleanup of a store that was never used is a no-op', async ({ store }) => {
    await store.removeExpired();
    assert.is(await store.problem(), null);
  });
}
