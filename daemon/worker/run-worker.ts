import type { VencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { productVersion, workerProtocol } from '../../src/shared/version.js';
import type { FfmpegReport } from '../ffmpeg/index.js';
import type { JoinRequest } from '../jobs/worker-protocol.js';
import {
  createWorkerContext,
  type WorkerContext,
  type WorkerMachineOptions,
} from './create-worker-context.js';
import type { ClaimOutcome, RemoteRun } from './remote-run.js';
import { createWorkerClient } from './worker-client.js';
import { WorkerLoop } from './worker-loop.js';
import { WorkerSession } from './worker-session.js';

/** The options of a worker: the flags of `venc worker`. */
interface WorkerOptions extends Omit<WorkerMachineOptions, 'onJobLog'> {
  /** The URL of the daemon. */
  readonly url: URL;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  /** Runs one job and ends. */
  readonly isOnce: boolean;
  /** How long running jobs may go on after a stop, in seconds. */
  readonly graceSeconds: number;
}

/** A worker that has joined. */
interface RunningWorker {
  /** Its name at the daemon. */
  readonly name: string;
  readonly daemonUrl: string;
  /** Resolves to the error if another process takes the folder. The process must end at once then. */
  readonly lost: Promise<VencError>;
  /**
   * Resolves when the worker has stopped, to how its last claim ended, or null if it had none. Rejects if the daemon no
   * longer admits it.
   */
  readonly ended: Promise<ClaimOutcome | null>;
  /**
   * Takes no further jobs, and gives back those that do not end in the grace period. A second call ends the grace
   * period.
   */
  stop(): void;
}

/** Joins a daemon and begins to run jobs. Rejects with the errors of `createWorkerContext` and `WorkerSession.join`. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const runs = new Map<number, RemoteRun>();
  const onJobLog: WorkerMachineOptions['onJobLog'] = (entry) => runs.get(entry.jobId ?? 0)?.addLog(entry);
  const context = await createWorkerContext({ ...options, onJobLog });
  const client = createWorkerClient(options);
  const { log } = context;
  const onConnection = createConnectionLog(log, client.url);
  const stopping = new AbortController();
  const close = async () => {
    client.close();
    await context.close();
  };
  try {
    const request = joinRequest(options, context);
    const onDrain = () => {
      if (stopping.signal.aborted) return;
      log('info', 'The daemon asks this worker to end: it takes no further jobs.');
      stopping.abort();
    };
    const session = await WorkerSession.join(
      { client, request, log, onConnection, onDrain },
      stopping.signal,
    );
    const deps = { options, context, client, session, runs, stopping, onConnection, onDrain };
    const work = new WorkerLoop(deps);
    return {
      name: session.joined.name,
      daemonUrl: client.url,
      lost: context.lost,
      ended: work.run().finally(close),
      stop: () => work.stop(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function joinRequest(
  { name, jobs, labels, isOnce }: WorkerOptions,
  { report, services, folderId }: WorkerContext,
): JoinRequest {
  const { encoders, filters, muxers, ...rest } = capabilitiesOf(report);
  return {
    ...{ name, jobs, labels, services, folderId },
    processId: randomToken(),
    isOnce,
    protocol: workerProtocol.current,
    version: productVersion,
    ffmpeg: report.ffmpeg?.version ?? '',
    capabilities: { ...rest, encoders: [...encoders], filters: [...filters], muxers: [...muxers] },
  };
}

function capabilitiesOf({ capabilities }: FfmpegReport) {
  if (capabilities === null) throw new TypeError('a worker has an ffmpeg');
  return capabilities;
}

/** Failures in a row after which the daemon counts as unreachable: a single one is common, as when a proxy restarts. */
const maxFailures = 2;

/**
 * Logs when the daemon becomes unreachable, and when it answers again, once each. The returned function receives the
 * error of every request that failed, and null for one that succeeded.
 */
function createConnectionLog(log: Log, url: string): (error: VencError | null) => void {
  let failures = 0;
  return (error) => {
    if (error === null) {
      if (failures >= maxFailures) log('info', `The daemon at ${url} answers again.`);
      failures = 0;
      return;
    }
    failures += 1;
    if (failures !== maxFailures) return;
    const reason = error.message.replace(/\.$/, '');
    log(
      'warn',
      `The daemon at ${url} cannot be reached (${reason}): running jobs go on, and their outputs are delivered once it answers. The worker tries again every few seconds.`,
    );
  };
}
