import * as assert from 'uvu/assert';
import type { JobProgressRecord, JobRecord, VodReport } from '../../../src/shared/records.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import type { JsonClient } from './json-client.js';
import type { StoredJob } from './stored-jobs.js';

/** What an account must find. */
export interface ExpectedJobs {
  /** Its jobs, oldest first. */
  readonly jobs: readonly StoredJob[];
  /** The jobs whose usage counts, also removed ones. */
  readonly used: readonly StoredJob[];
  /** Jobs that it must not find: those of other accounts, and removed ones. */
  readonly hidden: readonly StoredJob[];
  /** How often each question is asked, with other parameters each time. */
  readonly rounds: number;
}

const concurrency = 8;
const states = [null, 'finished', 'failed', 'cancelled', 'waiting'] as const;

/** Compares lists, pages, jobs, progress and reports with what an account must find. */
export async function checkStoredJobs(
  client: JsonClient,
  { jobs, used, hidden, rounds }: ExpectedJobs,
  random: () => number,
): Promise<void> {
  for (const state of states) {
    const ids = jobs
      .filter((job) => state === null || job.state === state)
      .map(({ id }) => id)
      .reverse();
    const pages = [1, Math.ceil(ids.length / 50), Math.ceil(ids.length / 50) + 1, 1_000_000];
    for (let round = 0; round < rounds; round += 1) {
      const perPage = round < pages.length ? 50 : 1 + Math.floor(random() * 50);
      const page = pages[round] ?? 1 + Math.floor((random() * ids.length) / perPage);
      await checkPage(client, ids, { state, page: Math.max(1, page), perPage });
    }
  }
  const pick = (list: readonly StoredJob[]): readonly StoredJob[] =>
    Array.from({ length: 5 * rounds }, () => list[Math.floor(random() * list.length)]).filter(
      (job) => job !== undefined,
    );
  await mapWithConcurrency(pick(jobs), concurrency, (job) => checkJob(client, job));
  await mapWithConcurrency(pick(hidden), concurrency, async ({ id }) => {
    await client.expect(404, 'get hidden', `/v2/jobs/${id}`);
  });
  for (let round = 0; round < rounds / 4; round += 1) await checkReport(client, used);
}

async function checkPage(
  client: JsonClient,
  ids: readonly number[],
  {
    state,
    page,
    perPage,
  }: { readonly state: string | null; readonly page: number; readonly perPage: number },
): Promise<void> {
  const query = `page=${page}&per_page=${perPage}${state === null ? '' : `&state=${state}`}`;
  const answer = await client.expect(200, state === null ? 'list' : 'filter', `/v2/jobs?${query}`);
  assert.is(answer.headers['x-total-count'], String(ids.length), `count of ${query}`);
  const found = answer.json<{ job: JobRecord }[]>().map(({ job }) => job.id);
  assert.equal(found, ids.slice((page - 1) * perPage, page * perPage), `ids of ${query}`);
}

async function checkJob(client: JsonClient, { id, state, encodedMs }: StoredJob): Promise<void> {
  const { job } = await client.read<{ job: JobRecord }>('get', `/v2/jobs/${id}`);
  const output = job.output_media_files[0];
  const isFinished = state === 'finished';
  assert.equal(
    [job.id, job.state, output?.id, output?.duration_in_ms],
    [id, state, id + 2, isFinished ? encodedMs : null],
  );
  const progress = await client.read<JobProgressRecord>('progress', `/v2/jobs/${id}/progress`);
  assert.equal([progress.state, progress.input.id], [state, id + 1]);
  const { state: outputState } = await client.read<{ state: string }>(
    'output',
    `/v2/outputs/${id + 2}/progress`,
  );
  assert.is(outputState, state === 'failed' ? 'no input' : state);
}

async function checkReport(client: JsonClient, used: readonly StoredJob[]): Promise<void> {
  const sums = new Map<string, number>();
  let [from, to] = ['9999', '0000'];
  for (const { day, grouping, encodedMs } of used) {
    if (day < from) from = day;
    if (day > to) to = day;
    const key = `${day} ${grouping}`;
    if (encodedMs > 0) sums.set(key, (sums.get(key) ?? 0) + encodedMs);
  }
  const report = await client.read<VodReport>('report', `/v2/reports/vod?from=${from}&to=${to}`);
  const found = new Map<string, number>();
  for (const { collected_on: day, grouping, encoded_minutes: minutes } of report.statistics)
    if (minutes > 0) found.set(`${day} ${grouping}`, minutes);
  assert.equal([...found.keys()].toSorted(), [...sums.keys()].toSorted(), 'days and groupings of the report');
  for (const [key, ms] of sums) {
    const difference = Math.abs((found.get(key) ?? 0) - ms / 60_000);
    // Reports have four decimals.
    assert.ok(difference < 0.0001, `${key}: ${found.get(key)} minutes are not ${ms} ms`);
  }
}
