import type { Job } from '../../jobs/job.js';
import type { JobProgress } from '../../jobs/progress.js';
import type { WorkerState } from '../../jobs/worker-protocol.js';
import type { JobStore } from '../../store/job-store.js';
import type { ListedWorker } from './workers.js';

/** A job that a remote worker runs. */
export interface WorkerRun {
  readonly jobId: number;
  /** The name of the worker. */
  readonly worker: string;
  /** How fast its encoders run, as a multiple of real time; null if nothing is being encoded. */
  readonly speed: number | null;
}

/** The dependencies of `trackWorkerRuns`. */
interface WorkerRunsOptions {
  readonly store: Pick<JobStore, 'list' | 'watch'>;
  readonly progressTracker: { read(jobId: number): JobProgress };
}

/** The jobs that remote workers run, whichever daemon gave them these. */
export interface WorkerRuns {
  list(): readonly WorkerRun[];
  close(): void;
}

/** Follows a store that several daemons share. Costs nothing between changes of jobs. */
export async function trackWorkerRuns({ store, progressTracker }: WorkerRunsOptions): Promise<WorkerRuns> {
  const workers = new Map<number, string>();
  let changed: Set<number> | null = new Set();
  const follow = ({ id, state, worker }: Job) => {
    if (state === 'processing' && worker !== undefined) workers.set(id, worker.name);
    else workers.delete(id);
  };
  const close = store.watch((job) => {
    changed?.add(job.id);
    follow(job);
  });
  // What has changed meanwhile may be older in the list.
  const running = await store.list({ state: 'processing', offset: 0, limit: Number.MAX_SAFE_INTEGER });
  for (const job of running.jobs.toReversed()) if (!changed?.has(job.id)) follow(job);
  changed = null;
  return {
    list: () =>
      [...workers].map(([jobId, worker]) => ({ jobId, worker, speed: speedOf(progressTracker.read(jobId)) })),
    close,
  };
}

/** Workers with the jobs that they run, and how fast all of these are encoded. */
export function withRuns(
  workers: readonly ListedWorker[],
  runs: readonly WorkerRun[],
): readonly WorkerState[] {
  return workers.map((worker) => {
    const own = runs.filter((run) => run.worker === worker.name);
    const speeds = own.flatMap(({ speed }) => speed ?? []);
    const speed = speeds.length === 0 ? null : speeds.reduce((sum, one) => sum + one, 0);
    return { ...worker, jobIds: own.map(({ jobId }) => jobId), speed };
  });
}

function speedOf(progress: JobProgress): number | null {
  const speeds = [...progress.values()].flatMap(({ speed }) => speed ?? []);
  return speeds.length === 0 ? null : Math.max(...speeds);
}
