import { VencError } from '../../src/shared/errors.js';
import type { WorkerRecord } from '../../src/shared/records.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { WorkerState } from '../jobs/worker-protocol.js';
import { type AppContext, requireOwner } from './app-context.js';

const ownersOnly =
  'Workers process the jobs of all accounts: only keys of the account default may list and drain them.';

/** Who asks. */
interface WorkersReader {
  readonly id: string;
}

/** The remote workers that have joined, by name. Throws `ForbiddenError` unless the account is that of the owner. */
export function listWorkers(
  { remoteClaims }: Pick<AppContext, 'remoteClaims'>,
  reader: WorkersReader,
): { readonly workers: readonly WorkerRecord[] } {
  requireOwner(reader, ownersOnly);
  return { workers: remoteClaims.workers().map(toRecord) };
}

/**
 * Makes a worker take no further jobs and end after those that it runs. Rejects with
 * `ForbiddenError` unless the account is that of the owner, and `NotFoundError` with suggestions if there is no worker
 * with this name.
 */
export async function drainWorker(
  { workers, log }: Pick<AppContext, 'workers' | 'log'>,
  reader: WorkersReader,
  name: string,
): Promise<void> {
  requireOwner(reader, ownersOnly);
  if (!(await workers.setDraining(name, true))) throw noSuchWorker(name, workers.list());
  log('info', `The worker ${name} takes no further jobs.`);
}

/**
 * Makes a worker take no jobs for now. It stays joined and finishes those that it runs. Rejects as `drainWorker`.
 */
export async function pauseWorker(
  { workers, log }: Pick<AppContext, 'workers' | 'log'>,
  reader: WorkersReader,
  name: string,
): Promise<void> {
  requireOwner(reader, ownersOnly);
  if (!(await workers.setPaused(name, true))) throw noSuchWorker(name, workers.list());
  log('info', `The worker ${name} is paused: it takes no jobs for now.`);
}

/** Ends the pause and the drain of a worker. Rejects as `drainWorker`. */
export async function resumeWorker(
  appContext: Pick<AppContext, 'workers' | 'log'>,
  reader: WorkersReader,
  name: string,
): Promise<void> {
  requireOwner(reader, ownersOnly);
  const { workers, log } = appContext;
  const wasPaused = await workers.setPaused(name, false);
  if (!(await workers.setDraining(name, false)) && !wasPaused) throw noSuchWorker(name, workers.list());
  log('info', `The worker ${name} takes jobs again.`);
}

function toRecord({
  jobIds,
  isDraining,
  isPaused,
  closed,
  joinedAt,
  lastSeenAt,
  ...worker
}: WorkerState): WorkerRecord {
  const { name, version, ffmpeg, jobs, labels, speed } = worker;
  return {
    ...{ name, version, ffmpeg, jobs, labels },
    job_ids: jobIds,
    draining: isDraining,
    paused: isPaused,
    closed_by: closed?.by ?? null,
    closed_until: closed?.until ?? null,
    speed,
    joined_at: joinedAt,
    last_seen_at: lastSeenAt,
  };
}

function noSuchWorker(name: string, workers: readonly { readonly name: string }[]): VencError {
  const suggestions = findSuggestions(
    name,
    workers.map((worker) => worker.name),
  );
  const advice = suggestions.length === 0 ? '.' : `; did you mean ${suggestions.join(', ')}?`;
  return new VencError('NotFoundError', `There is no worker with the name ${name}${advice}`);
}
