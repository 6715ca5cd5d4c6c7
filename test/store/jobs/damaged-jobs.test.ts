import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import { applying, draftFor, draftWith, withClaim } from '../../contracts/job-store/store-facts.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../../helpers/json-store-harness.js';

interface Context {
  harness: JsonStoreHarness;
  jobs: readonly Job[];
  /** The file of a job that is not final. */
  active: (job: Job | undefined) => string;
  damaged: string;
}

const test = suite<Context>('damaged job files');
const page = { offset: 0, limit: 50 };

/** Three jobs of a store that was closed cleanly. */
test.before.each(async (context) => {
  context.harness = await createJsonStoreHarness();
  const store = await context.harness.open();
  context.jobs = [
    await store.create(draftFor()),
    await store.create(draftFor()),
    await store.create(draftFor()),
  ];
  context.active = (job) => join(context.harness.folder, 'jobs', 'active', `${job?.id}.json`);
  context.damaged = join(context.harness.folder, 'damaged');
  await store.close();
});

async function isGone(store: JobStore, id: number | undefined): Promise<boolean> {
  const error = await store.get(id ?? 0).catch((caught: unknown) => caught);
  return isVencError(error, 'GoneError');
}

const damages: Readonly<Record<string, (text: string, path: string) => void>> = {
  'is empty': (_text, path) => writeFileSync(path, ''),
  'was cut off': (text, path) => writeFileSync(path, text.slice(0, -20)),
  'is no JSON': (_text, path) => writeFileSync(path, 'hello'),
  'holds other JSON': (_text, path) => writeFileSync(path, '[1, 2]'),
  'lacks a field': (text, path) => writeFileSync(path, text.replace('"accountId"', '"account"')),
  'has a wrong type deep inside': (text, path) =>
    writeFileSync(path, text.replace('"thumbnails":[]', '"thumbnails":{}')),
  'holds a state that does not exist': (text, path) =>
    writeFileSync(path, text.replaceAll('"waiting"', '"wating"')),
  'holds notifications of a wrong shape': (text, path) =>
    writeFileSync(path, text.replace('"pendingNotifications":[]', '"pendingNotifications":[{}]')),
  'holds notification settings of a wrong shape': (text, path) =>
    writeFileSync(path, text.replace('"notifications":[]', '"notifications":[{"url":7}]')),
  'holds an idempotency key of a wrong shape': (text, path) =>
    writeFileSync(path, text.replace('"idempotency":null', '"idempotency":{"key":"k"}')),
  'holds the job of another id': (text, path) => writeFileSync(path, text.replace('"id":', '"id":1')),
};

for (const [what, damage] of Object.entries(damages)) {
  test(`a job whose file ${what} is quarantined and named in the log, and all others are unaffected`, async (context) => {
    const { harness, jobs, active, damaged } = context;
    const [first, second, third] = jobs;
    const path = active(second);
    damage(readFileSync(path, 'utf8'), path);
    const store = await harness.open();
    assert.ok(await isGone(store, second?.id));
    assert.equal(await store.list(page), { jobs: [third, first], total: 2 });
    assert.equal(await store.active(), [first, third]);
    assert.is(await store.findByFile(second?.input.id ?? 0), null);
    assert.equal(readdirSync(damaged), [`${second?.id}.json`]);
    assert.not.ok(existsSync(path));
    assert.is(harness.logLines.length, 1);
    assert.ok(harness.logLines[0]?.startsWith('error ') && harness.logLines[0].includes(path));
  });
}

test('a job file from before keys and notifications is valid', async (context) => {
  const { harness, jobs, active } = context;
  const path = active(jobs[1]);
  const { revision, job } = JSON.parse(readFileSync(path, 'utf8'));
  const { idempotency, notifications, pendingNotifications, ...former } = job;
  assert.equal([idempotency, notifications, pendingNotifications], [null, [], []]);
  writeFileSync(path, JSON.stringify({ revision, job: former }));
  const store = await harness.open();
  assert.equal(await store.get(jobs[1]?.id ?? 0), jobs[1]);
  assert.equal(harness.logLines, []);
});

const lengths = [65_535, 65_536, 65_537, 300_000];
for (const length of lengths) {
  test(`a start reads a job file of ${length} bytes, damaged or not`, async ({ harness, jobs, active }) => {
    const [first, second, third] = jobs;
    const { revision, job } = JSON.parse(readFileSync(active(first), 'utf8'));
    const textWith = (passThrough: string) => JSON.stringify({ revision, job: { ...job, passThrough } });
    const missing = length - Buffer.byteLength(textWith(''));
    const passThrough = `${'é'.repeat(missing >> 1)}${'x'.repeat(missing % 2)}`;
    writeFileSync(active(first), textWith(passThrough));
    writeFileSync(active(second), textWith(passThrough).replace('"accountId"', '"account"'));
    assert.is(statSync(active(first)).size, length);
    const store = await harness.open();
    assert.equal(await store.active(), [{ ...job, passThrough }, third]);
    assert.ok(await isGone(store, second?.id));
  });
}

test('a job whose file has the former names of its fields is read under the current names', async (context) => {
  const { harness } = context;
  const first = await harness.open();
  const { id } = await first.create(draftWith({ key: 'k' }));
  const failed = await first.update(id, applying({ type: 'cancelled' }));
  await first.close();
  const path = join(harness.folder, 'jobs', 'done', '0', `${id}.json`);
  const { revision, job } = JSON.parse(readFileSync(path, 'utf8'));
  const { idempotency: once, pendingNotifications: notices, lastProgress: reached, ...rest } = job;
  const withFault = ({ failure: fault, ...file }: { failure: unknown }) => ({ ...file, fault });
  const outputs = rest.outputs.map(withFault);
  const former = { ...rest, once, notices, reached, input: withFault(rest.input), outputs };
  writeFileSync(path, JSON.stringify({ revision, job: former }));
  const store = await harness.open();
  assert.is(failed.idempotency?.key, 'k');
  assert.equal(await store.get(id), failed);
  assert.equal(harness.logLines, []);
});

test('the key of a damaged job is released', async ({ harness }) => {
  const first = await harness.open();
  const { id } = await first.create(draftWith({ key: 'k' }));
  await first.update(id, applying({ type: 'cancelled' }));
  await first.close();
  const store = await harness.open();
  writeFileSync(join(harness.folder, 'jobs', 'done', '0', `${id}.json`), '');
  assert.is(await store.findByIdempotencyKey('anna', 'k', new Date(0)), null);
  const again = await store.create(draftWith({ key: 'k' }));
  assert.ok(again.id > id);
  assert.equal(await store.create(draftWith({ key: 'k' })), again);
});

test('a damaged job stays gone after further starts, and its id is not reused', async (context) => {
  const { harness, jobs, active } = context;
  const last = jobs[2];
  writeFileSync(active(last), '');
  unlinkSync(join(harness.folder, 'sequence.json'));
  await (await harness.open()).close();
  const store = await harness.open();
  assert.ok(await isGone(store, last?.id));
  assert.ok((await store.create(draftFor())).id > (last?.outputs[0]?.id ?? 0));
  assert.is(harness.logLines.length, 1);
});

test('a final job that turns out damaged when it is read disappears from the list', async ({
  harness,
  jobs,
}) => {
  const first = await harness.open();
  for (const { id } of jobs) await first.update(id, applying({ type: 'cancelled' }));
  await first.close();
  const store = await harness.open();
  // Written in place, so that the modification time of the folder does not change: only a read detects it.
  writeFileSync(join(harness.folder, 'jobs', 'done', '0', `${jobs[1]?.id}.json`), '{}');
  const listed = await store.list(page);
  assert.equal(
    listed.jobs.map(({ id }) => id),
    [jobs[2]?.id, jobs[0]?.id],
  );
  assert.is(listed.total, 2);
  assert.ok(await isGone(store, jobs[1]?.id));
  const error = await store.update(jobs[1]?.id ?? 0, withClaim('a')).catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'GoneError'));
});

test('a final job whose file has disappeared is removed, and logged', async ({ harness, jobs }) => {
  const first = await harness.open();
  for (const { id } of jobs) await first.update(id, applying({ type: 'cancelled' }));
  await first.close();
  const store = await harness.open();
  unlinkSync(join(harness.folder, 'jobs', 'done', '0', `${jobs[0]?.id}.json`));
  assert.ok(await isGone(store, jobs[0]?.id));
  assert.is((await store.list(page)).total, 2);
  assert.is(harness.logLines.length, 1);
});

test('a repaired file that was restored is a job again', async ({ harness, jobs, active, damaged }) => {
  const path = active(jobs[0]);
  const text = readFileSync(path);
  writeFileSync(path, '');
  await (await harness.open()).close();
  writeFileSync(join(damaged, `${jobs[0]?.id}.json`), text);
  renameSync(join(damaged, `${jobs[0]?.id}.json`), path);
  const store = await harness.open();
  assert.equal(await store.get(jobs[0]?.id ?? 0), jobs[0]);
});

test('a second damaged file of one job is kept next to the first', async ({
  harness,
  jobs,
  active,
  damaged,
}) => {
  for (const text of ['first', 'second']) {
    writeFileSync(active(jobs[0]), text);
    await (await harness.open()).close();
  }
  assert.equal(readdirSync(damaged).sort(), [`${jobs[0]?.id}.1.json`, `${jobs[0]?.id}.json`]);
});

test('a folder in place of a job file blocks nothing', async ({ harness, jobs, active }) => {
  const path = active(jobs[0]);
  unlinkSync(path);
  mkdirSync(path);
  const store = await harness.open();
  assert.ok(await isGone(store, jobs[0]?.id));
  assert.is((await store.list(page)).total, 2);
});

test.run();
