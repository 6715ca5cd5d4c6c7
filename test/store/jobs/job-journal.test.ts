import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import { readJournal } from '../../../daemon/store/jobs/job-journal.js';
import { type FolderJobStore, openJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { allOf, applying, draftFor, draftWith, withClaim } from '../../contracts/job-store/store-facts.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../../helpers/json-store-harness.js';
import { tempFolder } from '../../helpers/temp.js';

const test = suite('the journal of jobs');
const cancelled = applying({ type: 'cancelled' });
const journalOf = (folder: string) => join(folder, 'jobs', 'journal');
const activeFile = (folder: string, id: number) => join(folder, 'jobs', 'active', `${id}.json`);
const doneFile = (folder: string, id: number) => join(folder, 'jobs', 'done', '0', `${id}.json`);
const byId = (jobs: readonly Job[]) => [...jobs].sort((a, b) => a.id - b.id);
const isFailed = async (work: Promise<unknown>) =>
  work.then(
    () => false,
    () => true,
  );

const lengthOfJournal = (folder: string) =>
  readdirSync(journalOf(folder)).reduce((sum, name) => sum + statSync(join(journalOf(folder), name)).size, 0);

/** The real disk, which counts its steps by name and the folder of their path. */
function countingDisk(): { readonly disk: Disk; readonly count: (step: string) => number } {
  const counts = new Map<string, number>();
  const add = (step: string) => counts.set(step, (counts.get(step) ?? 0) + 1);
  const folderOf = (path: string) => path.split('/').at(-2);
  const disk: Disk = {
    ...realDisk,
    async create(path) {
      const file = await realDisk.create(path);
      return {
        ...file,
        async sync() {
          add(`sync ${folderOf(path)}`);
          await file.sync();
        },
      };
    },
    async rename(from, to) {
      add(`rename ${folderOf(to)}`);
      await realDisk.rename(from, to);
    },
  };
  return { disk, count: (step) => counts.get(step) ?? 0 };
}

const openIn = (folder: string, disk: Disk = realDisk) => openJobStore(folder, { log: () => {}, disk });

test('a hundred creates at once share a few fsyncs', async () => {
  const { disk, count } = countingDisk();
  const store = await openIn(tempFolder(), disk);
  await Promise.all(Array.from({ length: 100 }, () => store.create(draftFor())));
  assert.ok(count('sync journal') <= 2, `${count('sync journal')}`);
  await store.close();
});

test('a job that changes often is written to its file once', async () => {
  const folder = tempFolder();
  const { disk, count } = countingDisk();
  const store = await openIn(folder, disk);
  const { id } = await store.create(draftFor());
  for (const claim of ['a', 'b', 'c', 'd']) await store.update(id, withClaim(claim));
  await store.update(id, cancelled);
  assert.equal([existsSync(activeFile(folder, id)), existsSync(doneFile(folder, id))], [false, false]);
  await store.close();
  assert.equal([count('rename active'), count('rename 0')], [0, 1]);
  assert.equal([existsSync(activeFile(folder, id)), existsSync(doneFile(folder, id))], [false, true]);
});

test('an orderly stop leaves it empty', async () => {
  const folder = tempFolder();
  const store = await openIn(folder);
  await store.create(draftFor());
  assert.equal(readdirSync(journalOf(folder)), ['1']);
  await store.close();
  assert.equal(readdirSync(journalOf(folder)), []);
});

test('of the last batch, cut at any byte, whole lines are left, and every earlier one', async () => {
  const harness = await createJsonStoreHarness();
  const store = await harness.open();
  const earlier = [
    await store.create(draftFor()),
    await store.create(draftWith({ input: 'http://localhost/ü.mp4' })),
  ];
  const path = join(journalOf(harness.folder), '1');
  const durable = readFileSync(path).length;
  const last = byId(await Promise.all([store.create(draftFor()), store.create(draftWith({ key: 'é' }))]));
  await harness.crash('process');
  const { length } = readFileSync(path);
  assert.ok(length > durable + 200);
  const idsAt = async (cut: number) => {
    truncateSync(path, cut);
    const { documents, damagedPaths } = await readJournal(journalOf(harness.folder));
    assert.equal(damagedPaths, []);
    return [...documents.keys()].sort((x, y) => x - y);
  };
  const all = [...earlier, ...last].map(({ id }) => id);
  for (let cut = length; cut >= durable; cut -= 1) {
    const ids = await idsAt(cut);
    assert.ok(ids.length >= 2, `cut at ${cut}`);
    assert.equal(ids, all.slice(0, ids.length), `cut at ${cut}`);
    if (cut === length) assert.equal(ids, all);
    if (cut !== durable + 300) continue;
    const copy = tempFolder();
    cpSync(harness.folder, copy, { recursive: true });
    const reopened = await openIn(copy);
    assert.equal(byId(await allOf(reopened)), earlier);
    assert.equal(readdirSync(journalOf(copy)), []);
    await reopened.close();
  }
});

for (const { what, step } of [
  { what: 'write', step: 0 },
  { what: 'fsync', step: 1 },
]) {
  test(`a batch whose ${what} fails is rejected as a whole, and nothing of it is there later`, async () => {
    for (const kind of ['process', 'machine'] as const) {
      const harness = await createJsonStoreHarness();
      const store = await harness.open();
      const first = await store.create(draftFor());
      harness.failures.failWithoutSpaceAt(step);
      const outcomes = await Promise.all([
        isFailed(store.create(draftFor())),
        isFailed(store.create(draftWith({ key: 'k' }))),
        isFailed(store.update(first.id, cancelled)),
      ]);
      assert.equal(outcomes, [true, true, true]);
      assert.equal(await allOf(store), [first]);
      const failedFile = readFileSync(join(journalOf(harness.folder), '1'), 'utf8');
      assert.is(failedFile.split('\n').length, 2);
      const later = await store.create(draftFor());
      assert.is(readFileSync(join(journalOf(harness.folder), '1'), 'utf8'), failedFile);
      await harness.crash(kind);
      const reopened = await harness.open();
      assert.equal(byId(await allOf(reopened)), [first, later]);
      assert.is(await reopened.findByIdempotencyKey('anna', 'k', new Date(0)), null);
      await reopened.close();
    }
  });
}

test('what a failed batch left is removed before anything else is stored', async () => {
  const folder = tempFolder();
  let isBroken = false;
  const failing = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' });
    return work();
  };
  const disk: Disk = {
    ...realDisk,
    async create(path) {
      const file = await realDisk.create(path);
      return { ...file, sync: () => failing(() => file.sync()) };
    },
    truncate: (path, length) => failing(() => realDisk.truncate(path, length)),
  };
  const store = await openIn(folder, disk);
  const first = await store.create(draftFor());
  isBroken = true;
  assert.ok(await isFailed(store.create(draftFor('bert'))));
  assert.ok(await isFailed(store.create(draftFor('carl'))));
  assert.ok(await isFailed(store.writeFiles()));
  isBroken = false;
  const last = await store.create(draftFor());
  const copy = tempFolder();
  cpSync(folder, copy, { recursive: true });
  const reopened = await openIn(copy);
  assert.equal(byId(await allOf(reopened)), [first, last]);
  await reopened.close();
  await store.close();
});

/** A store with jobs in each state of their files, some of them changed again or removed. */
async function fill(harness: JsonStoreHarness): Promise<{ store: FolderJobStore; jobs: readonly Job[] }> {
  const store = await harness.open();
  const make = async () => (await store.create(draftFor())).id;
  const [waiting, ended, resubmitted, changed, removed] = [
    await make(),
    await make(),
    await make(),
    await make(),
    await make(),
  ];
  await store.update(resubmitted, cancelled);
  await store.update(removed, cancelled);
  await store.writeFiles();
  await store.update(ended, cancelled);
  await store.update(resubmitted, applying({ type: 'resubmitted' }));
  await store.update(changed, withClaim('a'));
  await store.update(changed, withClaim('b'));
  await store.update(removed, withClaim('a'));
  await store.remove(removed);
  const fresh = await make();
  const gone = await make();
  await store.update(gone, cancelled);
  await store.remove(gone);
  const jobs = await Promise.all([waiting, ended, resubmitted, changed, fresh].map((id) => store.get(id)));
  return { store, jobs: jobs.filter((job) => job !== null) };
}

for (const kind of ['process', 'machine'] as const) {
  test(`nothing is lost or comes back if the ${kind} crashes at any step of writing the files, and at the start after it`, async () => {
    for (let step = 0, isThrough = false; !isThrough; step += 1) {
      const harness = await createJsonStoreHarness();
      const { store, jobs } = await fill(harness);
      harness.failures.crashAt(step, kind);
      const writing = store.writeFiles().catch(() => undefined);
      const meanwhile = await store.update(jobs[3]?.id ?? 0, withClaim('c')).catch(() => null);
      await writing;
      isThrough = !harness.failures.hasTriggered;
      await harness.crash(kind);
      harness.failures.crashAt(step, kind);
      await harness.open().catch(() => undefined);
      await harness.crash(kind);
      const reopened = await harness.open();
      const left = byId(await allOf(reopened));
      const isWithout = (claim: string | null | undefined) => claim === 'b' && meanwhile === null;
      const claim = left.find(({ id }) => id === jobs[3]?.id)?.claim;
      assert.ok(claim === 'c' || isWithout(claim), `step ${step}: ${claim}`);
      assert.equal(
        left.map((job) => (job.id === jobs[3]?.id ? { ...job, claim: 'b' } : job)),
        jobs,
        `step ${step}`,
      );
      await reopened.close();
      for (const { id } of jobs)
        assert.is([activeFile, doneFile].filter((file) => existsSync(file(harness.folder, id))).length, 1);
      assert.equal(readdirSync(journalOf(harness.folder)), []);
    }
  });
}

test('an older journal that comes back changes nothing', async () => {
  const folder = tempFolder();
  const store = await openIn(folder);
  const [changed, removed] = [await store.create(draftFor()), await store.create(draftFor())];
  await store.update(removed.id, cancelled);
  const path = join(journalOf(folder), '1');
  const older = readFileSync(path);
  const newest = await store.update(changed.id, cancelled);
  await store.remove(removed.id);
  await store.close();
  writeFileSync(path, older);
  const reopened = await openIn(folder);
  assert.equal(await allOf(reopened), [newest]);
  assert.equal(readdirSync(join(folder, 'jobs', 'active')), []);
  assert.not.ok(existsSync(doneFile(folder, removed.id)));
  await reopened.close();
});

test('a removal waits for the file of the job', async () => {
  const folder = tempFolder();
  const store = await openIn(folder);
  const { id } = await store.create(draftFor());
  await store.update(id, cancelled);
  const writing = store.writeFiles();
  await store.remove(id);
  await writing;
  assert.not.ok(existsSync(doneFile(folder, id)));
  await store.close();
});

test('damaged lines are reported and kept, and the others are used', async () => {
  const harness = await createJsonStoreHarness();
  const store = await harness.open();
  const jobs = [
    await store.create(draftFor()),
    await store.create(draftFor()),
    await store.create(draftFor()),
  ];
  await harness.crash('process');
  const path = join(journalOf(harness.folder), '1');
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [lines[0], lines[1]?.replace('waiting', 'weiting'), lines[2], ''].join('\n'));
  appendFileSync(path, 'torn');
  const reopened = await harness.open();
  assert.equal(byId(await allOf(reopened)), [jobs[0], jobs[2]]);
  assert.is(harness.logLines.length, 1);
  assert.match(String(harness.logLines[0]), /^error Lines of the journal .* are damaged/);
  assert.is(
    readdirSync(join(harness.folder, 'damaged')).filter((name) => name.startsWith('journal-')).length,
    1,
  );
  assert.equal(readdirSync(journalOf(harness.folder)), []);
  await reopened.close();
});

test('a damaged file of a job that is in the journal is kept, and the job is whole', async () => {
  const harness = await createJsonStoreHarness();
  const store = await harness.open();
  const { id } = await store.create(draftFor());
  await store.writeFiles();
  const job = await store.update(id, withClaim('a'));
  await harness.crash('process');
  writeFileSync(activeFile(harness.folder, id), '{');
  const reopened = await harness.open();
  assert.equal(await allOf(reopened), [job]);
  assert.is(readdirSync(join(harness.folder, 'damaged')).length, 1);
  await reopened.close();
});

test('a file that cannot be written holds nothing else up', async () => {
  const folder = tempFolder();
  const store = await openIn(folder);
  const [blocked, other] = [await store.create(draftFor()), await store.create(draftFor())];
  mkdirSync(join(activeFile(folder, blocked.id), 'in-the-way'), { recursive: true });
  assert.ok(await isFailed(store.writeFiles()));
  assert.ok(existsSync(activeFile(folder, other.id)));
  const [name = ''] = readdirSync(journalOf(folder));
  assert.is(readFileSync(join(journalOf(folder), name), 'utf8').split('\n').length, 2);
  rmdirSync(join(activeFile(folder, blocked.id), 'in-the-way'));
  rmdirSync(activeFile(folder, blocked.id));
  await store.close();
  assert.ok(existsSync(activeFile(folder, blocked.id)));
  assert.equal(readdirSync(journalOf(folder)), []);
});

test('the journal does not grow without limit while files cannot be written', async () => {
  const folder = tempFolder();
  let isFull = true;
  const disk: Disk = {
    ...realDisk,
    async rename(from, to) {
      if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await realDisk.rename(from, to);
    },
  };
  const store = await openIn(folder);
  await store.create(draftFor());
  await store.close();
  const limited = await openIn(folder, disk);
  const [{ id } = { id: 0 }] = await allOf(limited);
  const long = 'a'.repeat(1_000_000);
  for (let count = 0; count < 30; count += 1) await limited.update(id, withClaim(`${count}${long}`));
  assert.ok(lengthOfJournal(folder) < 20_000_000);
  const input = `http://localhost/${long}`;
  let error: unknown = null;
  for (let count = 0; count < 30 && error === null; count += 1)
    error = await limited.create(draftWith({ input })).then(
      () => null,
      (caught: unknown) => caught,
    );
  assert.ok(isVencError(error, 'OutOfSpaceError'));
  assert.ok(lengthOfJournal(folder) < 40_000_000);
  isFull = false;
  await limited.update(id, withClaim('short'));
  await limited.close();
  assert.equal(readdirSync(journalOf(folder)), []);
});

test.run();
