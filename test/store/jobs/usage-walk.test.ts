import { readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { Change } from '../../../daemon/jobs/legal-changes.js';
import type { AccountDailyUsage } from '../../../daemon/store/job-store.js';
import type { FolderJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import { applying, draftWith, mediaOf } from '../../contracts/job-store/store-facts.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../../helpers/json-store-harness.js';
import { randomNumbers } from '../../helpers/random.js';

const test = suite('usage after a random walk');
const accounts = ['anna', 'bert'] as const;
const file = { sizeBytes: 1, md5: 'd41d8cd98f00b204e9800998ecf8427e' };
const failure = { errorClass: 'TranscodingError', message: 'no' } as const;
const hourMs = 60 * 60 * 1000;

/** A random next change of a job; the state machine rejects illegal ones. */
function someChange(job: Job, random: () => number): Change {
  const output = job.outputs.find(({ state }) => state === 'processing' || state === 'queued');
  const dice = random();
  if (job.state === 'failed' || job.state === 'cancelled') return { type: 'resubmitted' };
  if (dice < 0.04) return { type: 'cancelled' };
  if (dice < 0.07) return { type: 'lost' };
  if (dice < 0.1) return { type: 'released' };
  if (job.state === 'waiting') return { type: 'claimed', token: 't' };
  if (job.input.state === 'processing' && dice < 0.2) return { type: 'input-failed', failure };
  if (job.input.state === 'processing') return { type: 'inspected', media: mediaOf(9), file };
  if (output === undefined) return { type: 'cancelled' };
  if (output.state === 'queued') return { type: 'output-started', id: output.id };
  if (dice < 0.3) return { type: 'output-failed', id: output.id, failure };
  const media = mediaOf(dice < 0.35 ? null : Math.floor(random() * 5_000_000) / 1e6);
  return { type: 'output-finished', id: output.id, media, file };
}

/** The usage of an account's jobs, read from the JSON files and added up output by output. */
function countFiles(folder: string, accountId: string): readonly AccountDailyUsage[] {
  const sums = new Map<string, AccountDailyUsage>();
  for (const name of readdirSync(join(folder, 'jobs'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const { job } = JSON.parse(readFileSync(join(folder, 'jobs', name), 'utf8'));
    if (job.accountId !== accountId) continue;
    for (const { state, finishedAt, media } of job.outputs) {
      if (state !== 'finished' || media.durationSeconds === null) continue;
      const ms = Math.round(media.durationSeconds * 1000);
      const day = finishedAt.substring(0, 10);
      const { grouping } = job;
      const before = sums.get(`${day} ${grouping}`) ?? { day, grouping, encodedMs: 0, billableMs: 0 };
      const billableMs = before.billableMs + (job.test ? 0 : ms);
      sums.set(`${day} ${grouping}`, { ...before, encodedMs: before.encodedMs + ms, billableMs });
    }
  }
  const keyOf = ({ day, grouping }: AccountDailyUsage) => `${day} ${grouping ?? ''}`;
  return [...sums.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

async function check(harness: JsonStoreHarness, store: FolderJobStore, where: string): Promise<number> {
  let records = 0;
  await store.writeFiles();
  for (const accountId of accounts) {
    const usage = await store.usage({ accountId, from: '0000', to: '9999' });
    assert.equal(usage, countFiles(harness.folder, accountId), where);
    records += usage.length;
  }
  return records;
}

/** Damages the file of one final job in place, so that only a read detects it, and reads it. */
async function damageOne(
  harness: JsonStoreHarness,
  store: FolderJobStore,
  jobs: Map<number, Job>,
): Promise<void> {
  // The job was not read since the restart, so it is not cached.
  const found = [...jobs.values()].find(
    ({ state, outputs }) => isFinal(state) && outputs.some((output) => output.state === 'finished'),
  );
  if (found === undefined) throw new Error('there is no job to damage');
  const name = join(harness.folder, 'jobs', 'done', String(Math.floor(found.id / 1000)), `${found.id}.json`);
  writeFileSync(name, readFileSync(name, 'utf8').slice(0, -9));
  const error = await store.get(found.id).catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'GoneError'));
  jobs.delete(found.id);
}

for (const seed of [1, 2]) {
  test(`usage matches the files through restarts, crashes and damage (walk ${seed})`, async () => {
    const random = randomNumbers(seed);
    const harness = await createJsonStoreHarness();
    let store = await harness.open();
    const jobs = new Map<number, Job>();
    let now = Date.parse('2024-02-28T00:00:00.000Z');

    const walk = async (steps: number) => {
      for (let step = 0; step < steps; step += 1) {
        now += Math.floor(random() * hourMs);
        const at = new Date(now);
        // Only the latest few: a walk over all jobs would finish too few.
        const job = [...jobs.values()].at(-1 - Math.floor(random() * 6));
        if (job === undefined || random() < 0.08) {
          const [accountId = 'anna', grouping] = random() < 0.5 ? ['anna', 'news'] : ['bert'];
          const options = {
            accountId,
            test: random() < 0.3,
            outputCount: 1 + Math.floor(random() * 3),
            now: at,
          };
          const draft = draftWith(
            random() < 0.5 || grouping === undefined ? options : { ...options, grouping },
          );
          const made = await store.create(draft);
          jobs.set(made.id, made);
          continue;
        }
        const changed = store.update(job.id, applying(someChange(job, random), at));
        jobs.set(job.id, await changed.catch(() => job));
      }
    };

    for (const round of ['a restart', 'a crash', 'a lost index', 'an aged index', 'a rebuild']) {
      await walk(100);
      assert.ok((await check(harness, store, `before ${round}`)) > 2);
      if (round === 'a crash') {
        await harness.crash('process');
      } else {
        const done = join(harness.folder, 'jobs', 'done');
        // The folders look long unchanged: the index trusts only such folders.
        if (round === 'an aged index')
          for (const name of readdirSync(done)) utimesSync(join(done, name), 9, 9);
        await store.close();
      }
      if (round === 'a lost index') unlinkSync(join(harness.folder, 'jobs', 'index'));
      store = await harness.open({ isUsageRebuilt: round === 'a rebuild' });
      await check(harness, store, `after ${round}`);
      if (round === 'an aged index') {
        const lines = readFileSync(join(harness.folder, 'jobs', 'index'), 'utf8').split('\n');
        assert.ok(lines.length > 2, 'the index has a line for a folder');
      }
      await damageOne(harness, store, jobs);
      await check(harness, store, `after damage that came after ${round}`);
    }
    await store.close();
    await check(harness, await harness.open({ isUsageRebuilt: true }), 'at the end');
  });
}

test.run();
