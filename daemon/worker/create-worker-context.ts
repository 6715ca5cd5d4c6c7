import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import type { Log, LogSink } from '../../src/shared/util/log.js';
import { createLog, createRetryLog } from '../app/create-log.js';
import { resolveMinFreeBytes } from '../app/health.js';
import { handleUncaughtErrors } from '../app/uncaught-errors.js';
import {
  damagedPrograms,
  type EncodeLimits,
  type FfmpegReport,
  ioIdleWarnings,
  killOrphanProcesses,
  limitWarnings,
  missingFfmpegMessage,
  openFfmpeg,
  type SandboxMode,
  sandboxWarnings,
} from '../ffmpeg/index.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { noSavedCredentials } from '../jobs/saved-credentials.js';
import { createConcurrencyLimits } from '../pipeline/concurrency-limits.js';
import { ScratchSpace } from '../pipeline/disk-reservations.js';
import type { ContextOfRun } from '../pipeline/pipeline-context.js';
import { createJobRunner } from '../pipeline/run-job.js';
import { createScratchFolders } from '../pipeline/scratch-folders.js';
import { createLoadMeter } from '../queue/load-meter.js';
import { encodePausesOf, SlotSchedule, type SlotTimes } from '../queue/slot-schedule.js';
import { readPlaceId } from '../store/data-folder/data-folder.js';
import { type DataLock, lockDataFolder } from '../store/data-folder/lock.js';
import { openCleanupJournal } from '../transfer/cleanup-journal.js';
import type { OnRetry } from '../transfer/with-retry.js';
import { networkTransports } from '../transports/create-transports.js';
import { registerTransports, removeOrphans } from '../transports/registry.js';
import { servicesFrom, servicesWithKeys } from '../transports/services.js';
import type { Transport } from '../transports/transport.js';

/** The options of a worker that concern its machine. */
export interface WorkerMachineOptions {
  /** The folder to work in, which no other worker uses. */
  readonly folder: string;
  /** Number of concurrent encodes. */
  readonly jobs: number;
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox: SandboxMode;
  readonly encodeLimits: EncodeLimits;
  readonly allowPrivateNetwork: boolean;
  readonly stallTimeoutSeconds: number;
  /** When this machine takes jobs. */
  readonly slotTimes: SlotTimes;
  /** Receives the log of the worker. */
  readonly log: LogSink;
  /** Whether `log` also receives the details of jobs, such as the command lines of ffmpeg. */
  readonly isVerbose: boolean;
  /** Receives all lines about a job, also those that only its own log has. */
  readonly onJobLog: LogSink;
}

/** What the runs of a worker share, with the lock of its folder. */
export interface WorkerContext {
  readonly log: Log;
  readonly report: FfmpegReport;
  /** See `JoinRequest.folderId`. */
  readonly folderId: string;
  /** The storage services for which the environment has keys. */
  readonly services: readonly string[];
  /** The transports of the network; each run adds those of the files of the daemon. */
  readonly networkTransports: readonly Transport[];
  readonly stallTimeoutMs: number;
  readonly onRetry: OnRetry;
  /** When this machine takes jobs. */
  readonly schedule: SlotSchedule;
  /** Resolves to the error if another process takes the folder. The process must end at once then. */
  readonly lost: Promise<VencError>;
  /** Creates the handler of all runs. */
  createHandler(contextOfRun: (run: Run) => ContextOfRun): RunHandler;
  /** Releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens what a worker needs on its machine. Ends the encoders that outlived an earlier worker and clears its scratch
 * folder, but removes nothing at destinations: another worker may have delivered there. Rejects with `InUseError` if
 * another worker uses the folder, and with `UnavailableError` if there is no ffmpeg.
 */
export async function createWorkerContext(options: WorkerMachineOptions): Promise<WorkerContext> {
  const stallTimeoutMs = options.stallTimeoutSeconds * 1000;
  const lock = await lockWorkFolder(options.folder);
  try {
    const onLine: LogSink = (entry) => {
      if (entry.jobId !== undefined) options.onJobLog(entry);
      if (entry.isDetail !== true || options.isVerbose) options.log(entry);
    };
    const log = createLog(() => new Date(), [onLine]);
    const { ffmpeg, report } = await openFfmpeg({
      ffmpeg: options.ffmpeg,
      ffprobe: options.ffprobe,
      limits: options.encodeLimits,
      concurrentEncodes: options.jobs,
      sandbox: options.sandbox,
    });
    for (const sentence of damagedPrograms(report)) log('error', sentence);
    if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
    for (const sentence of limitWarnings(report)) log('warn', sentence);
    for (const sentence of sandboxWarnings(report)) log('info', sentence);
    for (const sentence of ioIdleWarnings(report)) log('warn', sentence);
    const scratchFolder = join(options.folder, 'scratch');
    await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
    const scratch = createScratchFolders(scratchFolder, log);
    const endedCount = await killOrphanProcesses(scratchFolder);
    if (endedCount > 0) log('warn', `Ended encoders that an earlier worker had left running: ${endedCount}.`);
    await scratch.clear();
    const folderId = await readPlaceId(join(options.folder, 'worker-id'));
    const minFreeBytes = await resolveMinFreeBytes(options.folder, null);
    const cleanupJournal = openCleanupJournal(join(options.folder, 'leftovers'));
    const services = servicesFrom(process.env);
    const onRetry = createRetryLog(log);
    const network = networkTransports({
      allowPrivateNetwork: options.allowPrivateNetwork,
      stallTimeoutMs,
      onRetry,
      services,
      cleanupJournal,
      hostKeysPath: join(options.folder, 'known_hosts'),
    });
    const transports = registerTransports(network);
    const stopHandlingErrors = handleUncaughtErrors(log);
    void removeOrphans(cleanupJournal, transports, (message) => log('warn', message)).catch(
      (error: unknown) =>
        log('error', `Cleanup of files that an earlier worker left failed: ${String(error)}`),
    );
    const schedule = new SlotSchedule({
      ...{ ...options.slotTimes, log, now: () => new Date() },
      readLoad: createLoadMeter(),
    });
    return {
      ...{ log, report, folderId, schedule },
      services: servicesWithKeys(services),
      networkTransports: network,
      stallTimeoutMs,
      onRetry,
      lost: lock.lost,
      createHandler: (contextOfRun) =>
        createJobRunner(
          {
            ffmpeg,
            transports,
            savedCredentials: noSavedCredentials,
            scratch,
            space: new ScratchSpace({ freeBytes: () => freeBytes(scratchFolder), minFreeBytes }),
            limits: createConcurrencyLimits(options.jobs, encodePausesOf(schedule)),
            deliveries: new Map(),
            log,
          },
          contextOfRun,
        ),
      async close() {
        stopHandlingErrors();
        schedule.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

async function lockWorkFolder(folder: string): Promise<DataLock> {
  try {
    return await lockDataFolder(folder);
  } catch (error) {
    if (!isVencError(error, 'InUseError')) throw error;
    throw new VencError('InUseError', `Another worker on this machine uses the folder ${folder}.`, {
      cause: error,
      hint: 'Give this worker another data folder with --data.',
    });
  }
}
