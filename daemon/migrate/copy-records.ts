import { chunksOf } from '../../src/shared/util/chunks-of.js';
import type { IdRange, StoredJob, StoredRecords, WritableRecords } from '../store/stored-records.js';
import { checksumOfJob } from './compare-records.js';

/** The options of `copyRecords`. */
interface CopyOptions {
  /** Whether the target may contain a part of the records, and ones that the source no longer has. */
  readonly isContinued: boolean;
  /** Called before each write. Throws if nothing more may be written. */
  readonly check: () => void;
  readonly onJobs: (count: number) => void;
}

/** Makes the records of the target those of the source. What the target already has is not written again. */
export async function copyRecords(
  source: StoredRecords,
  target: WritableRecords,
  { isContinued, check, onJobs }: CopyOptions,
): Promise<void> {
  let lastId = 0;
  for await (const jobs of source.jobs()) {
    const last = jobs.at(-1);
    if (last === undefined) continue;
    const range = { after: lastId, upTo: last.job.id };
    const missing = isContinued ? await missingIn(target, jobs, range) : jobs;
    check();
    if (isContinued) await removeOthers(target, jobs, range);
    await target.putJobs(missing);
    lastId = last.job.id;
    onJobs(jobs.length);
  }
  if (isContinued) await removeOthers(target, [], { after: lastId, upTo: Number.POSITIVE_INFINITY });
  check();
  await target.replaceRemoved(source.removed());
  check();
  await target.replaceLastId(await source.lastId());
  check();
  await target.replaceSetup(await source.setup());
}

/** The jobs that the target does not have in the same version. */
async function missingIn(
  target: WritableRecords,
  jobs: readonly StoredJob[],
  range: IdRange,
): Promise<readonly StoredJob[]> {
  const found = new Map<number, string>();
  for await (const some of target.jobs(range))
    for (const stored of some) found.set(stored.job.id, checksumOfJob(stored));
  return jobs.filter((stored) => found.get(stored.job.id) !== checksumOfJob(stored));
}

const maxDeleted = 1000;

/** Removes the jobs of the target in a range that are not among these. */
async function removeOthers(
  target: WritableRecords,
  jobs: readonly StoredJob[],
  range: IdRange,
): Promise<void> {
  const kept = new Set(jobs.map(({ job }) => job.id));
  const others = (await target.idsOf(range)).filter((id) => !kept.has(id));
  for (const some of chunksOf(others, maxDeleted)) await target.deleteJobs(some);
}
