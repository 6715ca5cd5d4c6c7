import type { Job } from '../jobs/job.js';
import type { NotificationAttempt, RunObserver } from '../jobs/run-observer.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Tracing } from '../tracing/tracing.js';

/** What observes a daemon: its metrics, and traces if they are written. */
export interface DaemonObservers {
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
}

/** Where the parts of a daemon report what they do. */
export interface ObserverHooks {
  readonly runObservers: readonly RunObserver[];
  readonly jobChanged: (job: Job, before: Job | null) => void;
  readonly notificationAttempted: (attempt: NotificationAttempt) => void;
  /** A remote worker has lost the claim of a job because it did not report in time. */
  readonly claimExpired: () => void;
}

/** Combines the observers of a daemon; null stands for none, as in a one-shot run. */
export function observerHooks(observers: DaemonObservers | null): ObserverHooks {
  if (observers === null) {
    return {
      runObservers: [],
      jobChanged: () => {},
      notificationAttempted: () => {},
      claimExpired: () => {},
    };
  }
  const { metrics, tracing } = observers;
  return {
    runObservers: [metrics.runObserver, ...(tracing === null ? [] : [tracing.runObserver])],
    jobChanged: metrics.jobChanged,
    notificationAttempted(attempt) {
      metrics.observeNotification(attempt);
      tracing?.observeNotification(attempt);
    },
    claimExpired: metrics.claimExpired,
  };
}
