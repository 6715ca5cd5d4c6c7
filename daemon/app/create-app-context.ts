import { join } from 'node:path';
import type { VencError } from '../../src/shared/errors.js';
import { redact } from '../../src/shared/redact.js';
import { realDisk } from '../../src/shared/util/disk.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import type { AppContext } from '../actions/app-context.js';
import { JobEvents } from '../actions/job-events.js';
import { removeHostedFiles } from '../actions/remove-job.js';
import { damagedPrograms, type FfmpegReport, killOrphanProcesses, openFfmpeg } from '../ffmpeg/index.js';
import { createHostedFileStore } from '../hosted-files/create-hosted-file-store.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import { createConcurrencyLimits, runCountFor } from '../pipeline/concurrency-limits.js';
import { ScratchSpace } from '../pipeline/disk-reservations.js';
import { createJobRunner } from '../pipeline/run-job.js';
import { createScratchFolders } from '../pipeline/scratch-folders.js';
import { createLocalQueue } from '../queue/local/local-queue.js';
import { ProgressTracker } from '../queue/progress-tracker.js';
import { recover } from '../queue/recover.js';
import { openAccounts } from '../store/accounts/json-account-store.js';
import { lockDataFolder } from '../store/data-folder/lock.js';
import { openJobStore } from '../store/jobs/json-job-store.js';
import { freeBytes } from '../transfer/folders.js';
import { openCleanupJournal } from '../transfer/stored-cleanup-journal.js';
import { createTransports } from '../transports/create-transports.js';
import { removeOrphans } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';
import { createNotificationDeliverer } from '../webhooks/notification-deliverer.js';
import { createWebhookClient } from '../webhooks/webhook-client.js';
import type { DaemonOptions } from './daemon-options.js';
import { createHealthCheck, resolveMinFreeBytes } from './health.js';
import { rollBackUnfinished } from './roll-back-unfinished.js';
import { createUncaughtErrorHandler } from './uncaught-errors.js';

/** Milliseconds between two sweeps of hosted files and uploads. */
const cleanupIntervalMs = 15 * 60 * 1000;

/** How long a receiver of notices has to answer, in milliseconds. */
const notificationTimeoutMs = 10_000;

/** What a workshop is opened with: a daemon's options, as far as they do not concern its address. */
export type AppOptions = Pick<
  DaemonOptions,
  | 'dataFolder'
  | 'filesRoots'
  | 'allowPrivateNetwork'
  | 'stallTimeoutSeconds'
  | 'minFreeBytes'
  | 'maxOutputs'
  | 'ffmpeg'
  | 'ffprobe'
  | 'apiKey'
  | 'log'
> & {
  readonly isUsageRebuilt?: boolean;
  /** Lets `file:` URLs name any file: for a person's own files in a process of their own (`venc run`). */
  readonly isOwnFiles?: boolean;
};

/** A workshop that holds its data folder. */
export interface OpenAppContext {
  readonly appContext: AppContext;
  readonly report: FfmpegReport;
  /** Resolves to the reason should another daemon take the folder from this one (`DataLock`): the process has to end then. */
  readonly lost: Promise<VencError>;
  /** Takes up what an earlier start left, and begins to run jobs: so many are encoded at once. */
  start(encodes: number): Promise<void>;
  /** Stops the runs after a grace, closes the store and lets go of the folder. Called again, it ends the grace at once. */
  close(graceMs: number): Promise<void>;
}

/**
 * Puts a workshop together on a data folder. Rejects with `InUseError` where another daemon holds the folder, `UsageError` where it
 * can't be written or a given program is none. Encoders that outlived an earlier daemon are ended here.
 */
export async function createAppContext(options: AppOptions): Promise<OpenAppContext> {
  const { dataFolder } = options;
  const log: AppContext['log'] = (level, message) => options.log(level, redact(message));
  const now = () => new Date();
  const stallTimeoutMs = options.stallTimeoutSeconds * 1000;
  const found = openFfmpeg({ ffmpeg: options.ffmpeg, ffprobe: options.ffprobe });
  // Looked at below; a failure in between must not count as unhandled.
  found.catch(() => {});
  const lock = await lockDataFolder(dataFolder, { isPrivate: options.isOwnFiles ?? false });
  const rollbackSteps: (() => Promise<unknown>)[] = [() => lock.release()];
  try {
    const scratchFolder = join(dataFolder, 'scratch');
    const scratch = createScratchFolders(scratchFolder, log);
    const endedCount = await killOrphanProcesses(scratchFolder);
    if (endedCount > 0) log('warn', `ended encoders that an earlier daemon left: ${endedCount}`);
    const isUsageRebuilt = options.isUsageRebuilt ?? false;
    const store = await openJobStore(dataFolder, { log, isUsageRebuilt, disk: lock.guard(realDisk) });
    rollbackSteps.unshift(() => store.close());
    const accounts = await openAccounts(dataFolder, { log });
    rollbackSteps.unshift(() => accounts.close());
    await accounts.ensureOwner(options.apiKey ?? undefined);
    const { ffmpeg, report } = await found;
    for (const sentence of damagedPrograms(report)) log('error', sentence);
    const minFreeBytes = await resolveMinFreeBytes(dataFolder, options.minFreeBytes);
    const fileStoreOptions = { now, randomToken, stallTimeoutMs, minFreeBytes };
    const hosted = createHostedFileStore(join(dataFolder, 'hosted'), fileStoreOptions);
    const uploads = createHostedFileStore(join(dataFolder, 'uploads'), fileStoreOptions);
    const cleanupJournal = openCleanupJournal(join(dataFolder, 'leftovers'));
    const transports = createTransports({
      allowPrivateNetwork: options.allowPrivateNetwork,
      filesRoots: options.filesRoots,
      allowsAnyPath: options.isOwnFiles ?? false,
      stallTimeoutMs,
      hosted,
      uploads,
      services: servicesFrom(process.env),
      cleanupJournal,
      hostKeysPath: join(dataFolder, 'known_hosts'),
    });
    if (store.removedFiles().length > 0 && (await removeHostedFiles({ hosted, log }, store.removedFiles())))
      await store.forgetRemovedFiles();
    await rollBackUnfinished(store, { transports, scratch, log });
    await scratch.clear();
    const progressTracker = new ProgressTracker();
    const events = new JobEvents({ store, progressTracker });
    const uncaughtErrors = createUncaughtErrorHandler(log);
    const queue = createLocalQueue({
      store,
      progressTracker,
      now,
      randomToken,
      log,
      runInErrorScope: uncaughtErrors.runInErrorScope,
    });
    const guard = createSsrfGuard({ allowPrivateNetwork: options.allowPrivateNetwork });
    const deliverer = createNotificationDeliverer({
      store,
      secretOf: (accountId) => accounts.account(accountId)?.notificationSecret ?? null,
      webhookClient: createWebhookClient({ guard, timeoutMs: notificationTimeoutMs }),
      now,
      log,
    });
    let isDraining = false;
    const checkHealth = createHealthCheck({
      dataFolder,
      minFreeBytes,
      hasFfmpeg: ffmpeg !== null,
      isDraining: () => isDraining,
      now,
    });
    const runCleanup = () =>
      Promise.all([hosted.removeExpired(), uploads.removeExpired(), scratch.retryRemovals()]).catch(
        (error: unknown) => log('error', `sweeping: ${String(error)}`),
      );
    const runOrphanCleanup = () =>
      removeOrphans(cleanupJournal, transports, (message) => log('warn', message)).catch((error: unknown) =>
        log('error', `taking away what an earlier daemon left: ${String(error)}`),
      );
    const cleanupTimer = setInterval(runCleanup, cleanupIntervalMs).unref();
    const closed = new AbortController();
    let closing: Promise<void> | null = null;
    let uninstallErrorHandler = (): void => undefined;
    return {
      appContext: {
        store,
        queue,
        progressTracker,
        events,
        accounts,
        transports,
        hosted,
        uploads,
        ffmpeg,
        maxOutputs: options.maxOutputs,
        checkHealth,
        now,
        randomToken,
        log,
      },
      report,
      lost: lock.lost,
      async start(encodes) {
        uninstallErrorHandler = uncaughtErrors.install();
        // Before the recovery, which may bring jobs to their end.
        deliverer.start();
        await recover(store, queue, { now, log, signal: closed.signal });
        void runCleanup();
        void runOrphanCleanup();
        if (ffmpeg === null) return;
        const space = new ScratchSpace({ freeBytes: () => freeBytes(scratchFolder), minFreeBytes });
        const limits = createConcurrencyLimits(encodes);
        const runner = createJobRunner({
          ffmpeg,
          transports,
          scratch,
          space,
          limits,
          deliveries: new Map(),
          log,
        });
        queue.work(runner, { slots: runCountFor(encodes) });
      },
      async close(graceMs) {
        isDraining = true;
        closed.abort();
        const drained = queue.close(graceMs);
        closing ??= drained.then(async () => {
          clearInterval(cleanupTimer);
          hosted.close();
          uploads.close();
          // What became of the jobs has been told by now, and streams without an end would hold up the server's.
          events.close();
          await runAll([() => deliverer.close(), ...rollbackSteps]).finally(() => uninstallErrorHandler());
        });
        await closing;
      },
    };
  } catch (error) {
    // The store before the lock. The error that ended the opening is the one to tell, whatever else fails.
    await runAll(rollbackSteps).catch(() => {});
    throw error;
  }
}

/** Takes each step, even where an earlier one fails. Rejects with the first error. */
async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
