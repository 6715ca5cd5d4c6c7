import type { HealthCheckResult } from '../actions/app-context.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { JobStore } from '../store/job-store.js';
import { checkResult } from './health.js';

/** How long jobs may wait while none runs and none changes, in milliseconds. Recovery and retries of writes take less. */
const blockedAfterMs = 60_000;
/** The number of failed notifications, without a delivered one in between, that are reported. */
const failingAfterAttempts = 5;

/** The dependencies of the advisory checks. */
interface AdvisoryCheckOptions {
  readonly store: Pick<JobStore, 'list' | 'watch'>;
  readonly queue: Pick<JobQueue, 'running'>;
  /** Number of concurrent encodes (`--jobs`); null before the queue has started. */
  readonly maxEncodes: () => number | null;
  /** Why ffmpeg runs without a sandbox although one is wanted if possible, as a sentence; null if it does not. */
  readonly sandboxProblem: () => string | null;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/** Checks of things that deserve attention while jobs are still accepted. */
export interface AdvisoryChecks {
  results(): Promise<readonly HealthCheckResult[]>;
  /** Takes note of an attempt to deliver a notification. */
  observeNotification(attempt: Pick<NotificationAttempt, 'result'>): void;
}

/** Creates the advisory checks: the sandbox, the queue and the notifications. */
export function createAdvisoryChecks(options: AdvisoryCheckOptions): AdvisoryChecks {
  const { store, queue, elapsedMs = () => performance.now() } = options;
  let changedAtMs = elapsedMs();
  let failedAttempts = 0;
  store.watch(() => {
    changedAtMs = elapsedMs();
  });
  const checkQueue = async (): Promise<string | null> => {
    const maxEncodes = options.maxEncodes();
    if (maxEncodes === null || queue.running().length > 0) return null;
    const { total } = await store.list({ state: 'waiting', offset: 0, limit: 0 });
    if (total === 0) return null;
    if (maxEncodes === 0) return 'Jobs are waiting, and this daemon encodes none (--jobs 0).';
    const isBlocked = elapsedMs() - changedAtMs >= blockedAfterMs;
    return isBlocked ? 'Jobs are waiting, and none has started for a minute: the log says why.' : null;
  };
  const checkNotifications = (): string | null =>
    failedAttempts < failingAfterAttempts
      ? null
      : 'The latest attempts to deliver notifications all failed: the log says why.';
  return {
    results: async () => [
      // Passed in any case: `--sandbox auto` permits ffmpeg to run without one, and `bwrap` does not start without one.
      { name: 'sandbox', ok: true, isRequired: false, reason: options.sandboxProblem() },
      checkResult('queue', await checkQueue(), false),
      checkResult('notifications', checkNotifications(), false),
    ],
    observeNotification({ result }) {
      failedAttempts = result === 'delivered' ? 0 : failedAttempts + 1;
    },
  };
}
