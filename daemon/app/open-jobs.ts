import { join } from 'node:path';
import { AccountEvents } from '../actions/account-events.js';
import { JobEvents } from '../actions/job-events.js';
import { LogEvents } from '../actions/log-events.js';
import { readProgress, readQueue } from '../actions/queue.js';
import { WorkerFiles } from '../actions/worker-files.js';
import { defaultAccountId, type Job } from '../jobs/job.js';
import type { JobProgress } from '../jobs/progress.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { workerTiming } from '../jobs/worker-protocol.js';
import { observeRuns } from '../pipeline/observe-runs.js';
import { createLoadMeter } from '../queue/load-meter.js';
import { OpenHours } from '../queue/open-hours.js';
import type { WorkerAbilities } from '../queue/parts/part-selection.js';
import { QueuePauses } from '../queue/pauses.js';
import { ProgressTracker } from '../queue/progress-tracker.js';
import { RemoteClaims } from '../queue/remote/remote-claims.js';
import { trackWorkerRuns } from '../queue/remote/worker-runs.js';
import { SlotSchedule } from '../queue/slot-schedule.js';
import type { LogStore } from '../store/log-store.js';
import type { TransportRegistry } from '../transports/registry.js';
import type { AppBase } from './app-options.js';

/**
 * Opens the queue, the event streams, and the remote workers with their claims and the files of these.
 * `ownOffer` is what this daemon can do while it runs jobs.
 */
export async function openJobs(
  { options, records, hooks, log, now, onClose, minFreeBytes, stallTimeoutMs }: AppBase,
  transports: TransportRegistry,
  ownOffer: () => readonly WorkerAbilities[],
  logs: LogStore,
) {
  const leaseMs = workerTiming.lease * 1000;
  const { store, accounts } = records;
  const progressTracker = new ProgressTracker();
  const pauses = new QueuePauses({ accounts, now, log });
  onClose(async () => pauses.close());
  const openHours = new OpenHours({ accounts, now, log });
  onClose(async () => openHours.close());
  const readLoad = createLoadMeter();
  const schedule = new SlotSchedule({ ...options.slotTimes, now, log, readLoad, openHours });
  onClose(async () => schedule.close());
  const view = (job: Job, progress: JobProgress) => readProgress({ pauses, schedule }, job, progress);
  const watchQueue = (listener: () => void) => {
    const stops = [pauses.onChange(listener), schedule.onChange(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  };
  const events = new JobEvents({ store, progressTracker, view, watchQueue });
  const queue = await records.openQueue({ progressTracker, pauses, schedule });
  const logEvents = new LogEvents({ logs, store, queue });
  const accountEvents = new AccountEvents({
    ...{ store, progressTracker, logs, logEvents, view, watchQueue },
    nameOf: (accountId) => accounts.account(accountId)?.name ?? accountId,
    readQueue: (accountId) => readQueue({ pauses, schedule }, { id: accountId ?? defaultAccountId }),
  });
  const workers = await records.openWorkers(leaseMs);
  const sharedRuns = queue.isShared ? await trackWorkerRuns({ store, progressTracker }) : null;
  const { maxOutputBytes = null } = options.encodeLimits ?? {};
  const folder = join(options.dataFolder, 'worker-files');
  const workerFiles = new WorkerFiles({ folder, transports, stallTimeoutMs, minFreeBytes, maxOutputBytes });
  await workerFiles.clear();
  const machines = (): readonly WorkerAbilities[] => [...remoteClaims.availableAbilities(), ...ownOffer()];
  const observe = (handler: RunHandler) => {
    const observed = observeRuns(handler, hooks.runObservers);
    // The handler of a remote run ends with its claim, however that ends.
    return (run: Run) => observed(run).finally(() => workerFiles.release(run.job.claim ?? ''));
  };
  const remoteClaims: RemoteClaims = new RemoteClaims({
    ...{ queue, store, machines, leaseMs, log, observe },
    registry: workers,
    onExpired: hooks.claimExpired,
    watchKey: (keyId, onRevoked) => accounts.watchKey(keyId, onRevoked),
    ...(sharedRuns === null ? {} : { sharedRuns }),
  });
  await records.resumeClaims((job) => remoteClaims.resume(job));
  return {
    ...{ queue, pauses, openHours, schedule, progressTracker, events, logEvents, accountEvents },
    ...{ machines, workers, workerFiles, remoteClaims },
  };
}
