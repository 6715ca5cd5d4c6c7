import { join } from 'node:path';
import type { Log } from '../../src/shared/util/log.js';
import type { AppContext } from '../actions/app-context.js';
import { WorkerFiles, type WorkerFilesOptions } from '../actions/worker-files.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { workerTiming } from '../jobs/worker-protocol.js';
import { observeRuns } from '../pipeline/observe-runs.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { WorkerAbilities } from '../queue/parts/part-selection.js';
import type { ProgressTracker } from '../queue/queue-run.js';
import { RemoteClaims } from '../queue/remote/remote-claims.js';
import { trackWorkerRuns } from '../queue/remote/worker-runs.js';
import type { ObserverHooks } from './daemon-observers.js';
import type { Records } from './records/records.js';

/** The dependencies of `createRemoteClaims`. */
interface RemoteClaimsDeps {
  readonly queue: JobQueue;
  readonly progressTracker: ProgressTracker;
  /** What all machines that take jobs can do. */
  readonly machines: () => Iterable<WorkerAbilities>;
  readonly records: Pick<Records, 'store' | 'accounts' | 'openWorkers'>;
  readonly log: Log;
  readonly hooks: Pick<ObserverHooks, 'runObservers' | 'claimExpired'>;
  readonly files: Omit<WorkerFilesOptions, 'folder'> & { readonly dataFolder: string };
}

/** Creates the registry of remote workers, the claims that they hold, and the files of these. */
export async function createRemoteClaims(
  deps: RemoteClaimsDeps,
): Promise<Pick<AppContext, 'workers' | 'remoteClaims' | 'workerFiles'>> {
  const leaseMs = workerTiming.lease * 1000;
  const { queue, records, log, hooks } = deps;
  const { store } = records;
  const { dataFolder, ...fileOptions } = deps.files;
  const workers = await records.openWorkers(leaseMs);
  const { progressTracker } = deps;
  const sharedRuns = queue.isShared ? await trackWorkerRuns({ store, progressTracker }) : null;
  const workerFiles = new WorkerFiles({ ...fileOptions, folder: join(dataFolder, 'worker-files') });
  await workerFiles.clear();
  const observe = (handler: RunHandler) => {
    const observed = observeRuns(handler, hooks.runObservers);
    // The handler of a remote run ends with its claim, however that ends.
    return (run: Run) => observed(run).finally(() => workerFiles.release(run.job.claim ?? ''));
  };
  return {
    workers,
    workerFiles,
    remoteClaims: new RemoteClaims({
      queue,
      store,
      registry: workers,
      machines: deps.machines,
      leaseMs,
      log,
      observe,
      onExpired: hooks.claimExpired,
      watchKey: (keyId, onRevoked) => records.accounts.watchKey(keyId, onRevoked),
      ...(sharedRuns === null ? {} : { sharedRuns }),
    }),
  };
}
