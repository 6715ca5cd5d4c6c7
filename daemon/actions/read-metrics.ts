import { VencError } from '../../src/shared/errors.js';
import { type JobState, jobStates } from '../../src/shared/states.js';
import { defaultAccountId } from '../jobs/job.js';
import { type WorkerState, workerTiming } from '../jobs/worker-protocol.js';
import type { WorkerCondition } from '../metrics/state-metrics.js';
import type { Account } from '../store/account-store.js';
import { type AppContext, requireOwner } from './app-context.js';

/**
 * The metrics of the daemon as text, and its media type. They are totals of all accounts: `account` is the one that
 * asks, null for a client on this machine. Rejects with `ForbiddenError` if the account is not that of the owner.
 */
export async function readMetrics(
  appContext: AppContext,
  account: Account | null,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const { metrics, store, queue, pauses, schedule, events, accountEvents, remoteClaims } = appContext;
  if (account !== null)
    requireOwner(
      account,
      'Metrics are totals of all accounts: only a key of the account default may read them.',
    );
  if (metrics === null) throw new VencError('NotFoundError', 'This process has no metrics.');
  // First: it checks the disk, whose free bytes are read below.
  const healthChecks = await appContext.readHealth();
  const counts = await Promise.all(
    jobStates.map(
      async (state) => [state, (await store.list({ state, offset: 0, limit: 0 })).total] as const,
    ),
  );
  const text = await metrics.text({
    // The list has every state.
    jobs: Object.fromEntries(counts) as Record<JobState, number>,
    runs: queue.running().length,
    isPaused: pauses.holds(defaultAccountId),
    closedBy: schedule.state.closedBy,
    workers: countWorkers(remoteClaims.workers(), appContext.now()),
    eventStreams: events.listenerCount + accountEvents.listenerCount,
    healthChecks,
    ...appContext.readMetricSources(),
  });
  return { text, contentType: metrics.contentType };
}

function countWorkers(workers: readonly WorkerState[], now: Date) {
  const found = workers.map((worker) => ({ ...worker, condition: conditionOf(worker, now) }));
  const count = (condition: WorkerCondition) =>
    found.filter((worker) => worker.condition === condition).length;
  const active = found.filter(({ condition }) => condition === 'active');
  return {
    byState: {
      active: count('active'),
      draining: count('draining'),
      paused: count('paused'),
      silent: count('silent'),
    },
    slots: active.reduce((sum, { jobs }) => sum + jobs, 0),
    jobs: found.reduce((sum, { jobIds }) => sum + jobIds.length, 0),
  };
}

function conditionOf({ lastSeenAt, isDraining, isPaused }: WorkerState, now: Date): WorkerCondition {
  if (now.getTime() - Date.parse(lastSeenAt) > workerTiming.lease * 1000) return 'silent';
  if (isDraining) return 'draining';
  return isPaused ? 'paused' : 'active';
}
