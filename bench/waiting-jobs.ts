import { type WaitingJob, WaitingJobs } from '../daemon/queue/waiting-jobs.js';
import { alternate, type Figure, spreadOf, timed } from './measure.js';

const jobCount = 100_000;
const accountCount = 10_000;
/** Operations per sample. */
const repeats = 1000;
const active: ReadonlyMap<string, number> = new Map([['account 0', 3]]);

const forms = {
  'one account': (id: number) => jobOf(id, 'account 0', 0),
  'one account, all priorities': (id: number) => jobOf(id, 'account 0', (id % 21) - 10),
  '10,000 accounts': (id: number) => jobOf(id, `account ${id % accountCount}`, 0),
} as const;

/**
 * Measures the order of waiting jobs with 100,000 of them: 1,000 times the next job and its removal, 1,000 new jobs, and one search by a machine
 * that no job accepts.
 */
export async function measureWaitingJobs(_folder: string, rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [form, make] of Object.entries(forms)) {
    const jobs = new WaitingJobs();
    let id = 0;
    const push = (): void => jobs.push(make(id++));
    while (id < jobCount) push();
    const samples = await alternate(rounds, {
      add: () => timed(async () => repeat(push)),
      take: () => timed(async () => repeat(() => jobs.remove(jobs.next(() => true, active)?.id ?? 0))),
      reject: () => timed(async () => jobs.next(() => false, active)),
    });
    const figureOf = (what: string, milliseconds: readonly number[], atMost: number): Figure => ({
      name: `queue: ${what}, ${form}`,
      unit: 'ms',
      value: spreadOf(milliseconds),
      atMost,
      basis: `${jobCount.toLocaleString('en')} waiting jobs`,
    });
    figures.push(
      figureOf('1,000 times next and remove', samples.take, 20),
      figureOf('1,000 new jobs', samples.add, 20),
      figureOf('all rejected', samples.reject, 5),
    );
  }
  return figures;
}

function repeat(work: () => void): void {
  for (let count = 0; count < repeats; count++) work();
}

function jobOf(id: number, accountId: string, priority: number): WaitingJob {
  return { id, accountId, priority, requires: ['gpu'], needsKey: 'h264' };
}
