import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes, realDisk } from '../../src/shared/util/disk.js';
import type { Log } from '../../src/shared/util/log.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import type { AppContext } from '../actions/app-context.js';
import { JobEvents } from '../actions/job-events.js';
import { LogEvents } from '../actions/log-events.js';
import {
  damagedPrograms,
  killOrphanProcesses,
  limitWarnings,
  openFfmpeg,
  sandboxWarnings,
} from '../ffmpeg/index.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import { createConcurrencyLimits, runCountFor } from '../pipeline/concurrency-limits.js';
import { ScratchSpace } from '../pipeline/disk-reservations.js';
import { observeRuns } from '../pipeline/observe-runs.js';
import { createJobRunner } from '../pipeline/run-job.js';
import { createScratchFolders } from '../pipeline/scratch-folders.js';
import { ownAbilities, selectionFor, type WorkerAbilities } from '../queue/parts/part-selection.js';
import { ProgressTracker } from '../queue/queue-run.js';
import { lockDataFolder } from '../store/data-folder/lock.js';
import type { JobStore } from '../store/job-store.js';
import { openCleanupJournal } from '../transfer/cleanup-journal.js';
import { createTransports } from '../transports/create-transports.js';
import { observeTransports, removeOrphans, type TransportRegistry } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';
import { createMailSender } from '../webhooks/mail-sender.js';
import { createWebhookClient } from '../webhooks/webhook-client.js';
import { createAdvisoryChecks } from './advisory-checks.js';
import type { AppOptions, OpenAppContext } from './app-options.js';
import { createRetryLog, openLogs } from './create-log.js';
import { createRemoteClaims } from './create-remote-claims.js';
import { type ObserverHooks, observerHooks } from './daemon-observers.js';
import { createHealthCheck, resolveMinFreeBytes } from './health.js';
import { type LeaderWork, openLeaderWork } from './leader-work.js';
import { createNeededFiles, renewUploads } from './needed-files.js';
import { openHostedFiles } from './open-hosted-files.js';
import { openRecords } from './records/open-records.js';
import type { Records } from './records/records.js';
import { rollBackUnfinished } from './roll-back-unfinished.js';
import { createUncaughtErrorHandler } from './uncaught-errors.js';

/** Interval between two cleanups of hosted files and uploads, in milliseconds. */
const cleanupIntervalMs = 15 * 60 * 1000;

/** Timeout of a webhook request, in milliseconds. */
const notificationTimeoutMs = 10_000;

/** Timeout of the program that sends mail, in milliseconds: it may connect to a mail server. */
const mailTimeoutMs = 60_000;

/**
 * Leaves the memory of this process and of the programs that it starts, which inherit this, out of core dumps: it
 * contains keys and passwords, and a core dump may be kept where others read it. Only Linux has this file.
 */
function excludeMemoryFromCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Elsewhere the limit of the operator applies (`ulimit -c`).
  }
}

type Programs = Awaited<ReturnType<typeof openFfmpeg>>;

/** What the parts of a daemon share. */
interface Base extends Programs {
  readonly options: AppOptions;
  readonly records: Records;
  /** What this machine can do; null without ffmpeg. */
  readonly ownMachine: WorkerAbilities | null;
  readonly hooks: ObserverHooks;
  readonly uncaughtErrors: ReturnType<typeof createUncaughtErrorHandler>;
  readonly log: Log;
  readonly now: () => Date;
  readonly minFreeBytes: number;
  readonly stallTimeoutMs: number;
  /** Adds a step of the close, before all earlier ones. */
  readonly onClose: (step: () => Promise<unknown>) => void;
}

/**
 * Creates the `AppContext` of a data folder. Rejects with `InUseError` if another daemon holds the folder,
 * `UsageError` if the folder cannot be written or a given program is not the expected one. Ends the encoders
 * that outlived an earlier daemon.
 */
export async function createAppContext(options: AppOptions): Promise<OpenAppContext> {
  const { dataFolder, observers = null } = options;
  excludeMemoryFromCoreDumps();
  const found = findPrograms(options);
  const lock = await lockDataFolder(dataFolder, { isPrivate: options.isOwnFiles ?? false });
  const closeSteps: (() => Promise<unknown>)[] = [() => lock.release()];
  const onClose: Base['onClose'] = (step) => void closeSteps.unshift(step);
  try {
    const now = () => new Date();
    const disk = lock.guard(realDisk);
    const stores: JobStore[] = [];
    const hasJob = async (id: number) => (await stores[0]?.has(id)) ?? false;
    const createdAtOf = async (id: number) => (await stores[0]?.get(id))?.createdAt ?? null;
    const { log, logs } = openLogs({ dataFolder, disk, hasJob, createdAtOf, now, sink: options.log });
    onClose(() => logs.close());
    const scratchFolder = join(dataFolder, 'scratch');
    const scratch = createScratchFolders(scratchFolder, log);
    const endedCount = await killOrphanProcesses(scratchFolder);
    if (endedCount > 0) log('warn', `Ended encoders that an earlier daemon had left running: ${endedCount}.`);
    const records = await openRecords(options, {
      ...{ dataFolder, disk, now, randomToken, log },
      onRemoved: (id) => logs.removeJob(id),
    });
    const { store, accounts, savedCredentials, isOwnRun } = records;
    stores.push(store);
    onClose(() => records.close());
    await records.ensureOwner(options.apiKey ?? undefined);
    const { ffmpeg, report } = await found;
    logPrograms({ ffmpeg, report }, log);
    const ownMachine = ffmpeg === null ? null : ownAbilities(ffmpeg.capabilities);
    const base: Base = {
      ...{ options, records, ffmpeg, report, ownMachine, log, now, onClose },
      hooks: observerHooks(observers),
      uncaughtErrors: createUncaughtErrorHandler(log),
      minFreeBytes: await resolveMinFreeBytes(dataFolder, options.minFreeBytes),
      stallTimeoutMs: options.stallTimeoutSeconds * 1000,
    };
    const { cleanupJournal, ...files } = await openFiles(base);
    const { hosted, uploads, transports } = files;
    await rollBackUnfinished(store, { transports, savedCredentials, scratch, log, isOwnRun });
    await scratch.clear();
    let maxEncodes: number | null = null;
    const ownOffer = () => (ownMachine !== null && (maxEncodes ?? 0) > 0 ? [ownMachine] : []);
    const { machines, ...jobs } = await openJobs(base, transports, ownOffer);
    const { queue, progressTracker, events } = jobs;
    const logEvents = new LogEvents({ logs, store, queue });
    let isDraining = false;
    const health = openHealth(base, {
      ...{ hosted, jobs, isDraining: () => isDraining, maxEncodes: () => maxEncodes },
    });
    const onAttempt = health.observeNotification;
    const sharedWork = createSharedWork(base, { queue, hosted, onAttempt });
    const runCleanup = () =>
      Promise.all([hosted.removeExpired(), uploads.removeExpired(), scratch.retryRemovals()]).catch(
        (error: unknown) => log('error', `Cleanup failed: ${String(error)}`),
      );
    const closed = new AbortController();
    const cleanupTimer = setInterval(runCleanup, cleanupIntervalMs).unref();
    let closing: Promise<void> | null = null;
    let uninstallErrorHandler = (): void => undefined;
    return {
      appContext: {
        ...{ store, queue, progressTracker, events, logs, logEvents, accounts, savedCredentials, ffmpeg },
        ...files,
        ...{ workers: jobs.workers, remoteClaims: jobs.remoteClaims, workerFiles: jobs.workerFiles },
        maxOutputs: options.maxOutputs,
        sendsMail: (options.sendmail ?? null) !== null,
        checkHealth: health.reasons,
        readHealth: health.results,
        metrics: observers?.metrics ?? null,
        readMetricSources: () => ({
          waitingNotifications: sharedWork.waitingNotifications(),
          maxEncodes: maxEncodes ?? 0,
          diskFreeBytes: health.freeBytes(),
          diskMinFreeBytes: base.minFreeBytes,
        }),
        ...(observers?.tracing == null ? {} : { continueTrace: observers.tracing.continueTrace }),
        ...{ now, randomToken, log },
      },
      report,
      lost: lock.lost,
      async start(encodes) {
        uninstallErrorHandler = base.uncaughtErrors.install();
        // Started before the recovery, which may finish jobs.
        records.startSharedWork(sharedWork.open);
        await records.recover({ queue, signal: closed.signal });
        void runCleanup();
        void removeOrphans(cleanupJournal, transports, (message) => log('warn', message)).catch(
          (error: unknown) =>
            log('error', `Cleanup of files that an earlier daemon left failed: ${String(error)}`),
        );
        void logs.removeOrphans();
        if (ffmpeg === null || ownMachine === null) return;
        maxEncodes = encodes;
        const { minFreeBytes, hooks } = base;
        const space = new ScratchSpace({ freeBytes: () => freeBytes(scratchFolder), minFreeBytes });
        const limits = createConcurrencyLimits(encodes);
        const runner = createJobRunner(
          { ffmpeg, transports, savedCredentials, scratch, space, limits, deliveries: new Map(), log },
          (run) => ({ savedCredentials: records.credentialsOfRun(run) }),
        );
        const selection = selectionFor(ownMachine, machines);
        queue.work(observeRuns(runner, hooks.runObservers), { slots: runCountFor(encodes), selection });
      },
      async close(graceMs) {
        isDraining = true;
        closed.abort();
        const drained = queue.close(graceMs);
        closing ??= drained.then(async () => {
          clearInterval(cleanupTimer);
          await records.closeSharedWork();
          // The final states of the jobs have been emitted by now, and endless streams would block the close
          // of the server.
          events.close();
          logEvents.close();
          await runAll([() => jobs.workers.close(), ...closeSteps]).finally(() => uninstallErrorHandler());
        });
        await closing;
      },
    };
  } catch (error) {
    // Closes the store before it releases the lock. The first error is reported, whatever fails during the
    // rollback.
    await runAll(closeSteps).catch(() => {});
    throw error;
  }
}

/** Looks for the programs. Started before the folder is locked, and awaited after the records are open. */
function findPrograms(options: AppOptions): Promise<Programs> {
  const { observers = null } = options;
  const found = openFfmpeg({
    ffmpeg: options.ffmpeg,
    ffprobe: options.ffprobe,
    limits: options.encodeLimits ?? {},
    concurrentEncodes: options.encodes ?? 1,
    sandbox: options.sandbox ?? 'auto',
    ...(observers === null ? {} : { onProgramEnd: observers.metrics.observeProgram }),
  });
  // A failure before it is awaited must not count as unhandled.
  found.catch(() => {});
  return found;
}

function logPrograms({ ffmpeg, report }: Programs, log: Log): void {
  for (const sentence of damagedPrograms(report)) log('error', sentence);
  if (ffmpeg === null) return;
  for (const sentence of limitWarnings(report)) log('warn', sentence);
  for (const sentence of sandboxWarnings(report)) log('info', sentence);
}

/** Opens what files go through: hosted files, uploads and transports. */
async function openFiles(base: Base) {
  const { options, records, log, now, minFreeBytes, stallTimeoutMs, uncaughtErrors } = base;
  const { dataFolder, observers = null } = options;
  const cleanupJournal = openCleanupJournal(join(dataFolder, 'leftovers'));
  const { needOf } = createNeededFiles(records.store);
  const storeOptions = { now, randomToken, stallTimeoutMs, minFreeBytes, needOf, cleanupJournal, log };
  const { hosted, uploads, closeFiles } = await openHostedFiles(options, storeOptions);
  base.onClose(closeFiles);
  const unobserved = createTransports({
    allowPrivateNetwork: options.allowPrivateNetwork,
    filesRoots: options.filesRoots,
    allowsAnyPath: options.isOwnFiles ?? false,
    ...{ stallTimeoutMs, hosted, uploads, cleanupJournal },
    services: servicesFrom(process.env),
    onRetry: createRetryLog(log, () => uncaughtErrors.currentJob()),
    hostKeysPath: join(dataFolder, 'known_hosts'),
  });
  const transports =
    observers === null ? unobserved : observeTransports(unobserved, observers.metrics.observeBytes);
  records.watchOwn(base.hooks.jobChanged);
  records.watchOwn(renewUploads(uploads, log));
  return { hosted, uploads, transports, cleanupJournal };
}

/**
 * Opens the queue, the remote workers and the event streams of jobs. `ownOffer` is what this daemon can do while it
 * runs jobs.
 */
async function openJobs(
  { options, records, hooks, log, minFreeBytes, stallTimeoutMs, uncaughtErrors }: Base,
  transports: TransportRegistry,
  ownOffer: () => readonly WorkerAbilities[],
) {
  const progressTracker = new ProgressTracker();
  const events = new JobEvents({ store: records.store, progressTracker });
  const { runInErrorScope } = uncaughtErrors;
  const queue = await records.openQueue({ progressTracker, runInErrorScope });
  const { maxOutputBytes = null } = options.encodeLimits ?? {};
  const { dataFolder } = options;
  const files = { dataFolder, transports, stallTimeoutMs, minFreeBytes, maxOutputBytes };
  const machines = (): readonly WorkerAbilities[] => [
    ...remote.remoteClaims.availableAbilities(),
    ...ownOffer(),
  ];
  const remote = await createRemoteClaims({
    ...{ queue, progressTracker, records, log, hooks, files, machines },
  });
  await records.resumeClaims((job) => remote.remoteClaims.resume(job));
  return { queue, progressTracker, events, machines, ...remote };
}

/** Opens the checks of the health: those that decide whether jobs are accepted, and the others. */
function openHealth(
  { options, records, ffmpeg, report, ownMachine, log, now, minFreeBytes }: Base,
  parts: {
    readonly hosted: HostedFileStore;
    readonly jobs: Pick<AppContext, 'queue' | 'workers' | 'remoteClaims'>;
    readonly isDraining: () => boolean;
    readonly maxEncodes: () => number | null;
  },
) {
  const { hosted, isDraining, maxEncodes } = parts;
  const { workers, queue, remoteClaims } = parts.jobs;
  const { store, databaseProblem } = records;
  const health = createHealthCheck({
    ...{ dataFolder: options.dataFolder, minFreeBytes, databaseProblem, isDraining },
    hostedProblem: (maxWaitMs) => hosted.problem(maxWaitMs),
    hasFfmpeg: () => ffmpeg !== null || workers.abilities().length > 0,
  });
  const advisory = createAdvisoryChecks({
    ...{ store, queue, databaseProblem, maxEncodes, now, log },
    workers: () => remoteClaims.workers(),
    sandboxProblem: () => sandboxWarnings(report)[0] ?? null,
    machines: { workers, own: ownMachine },
  });
  return {
    reasons: health.reasons,
    results: async () => [...(await health.results()), ...(await advisory.results())],
    freeBytes: health.freeBytes,
    observeNotification: advisory.observeNotification,
  };
}

/** The work that one daemon does for all, once it is to be opened. */
function createSharedWork(
  { options, records, hooks, log, now }: Base,
  {
    onAttempt: observe,
    ...parts
  }: Pick<AppContext, 'queue' | 'hosted'> & { readonly onAttempt: (attempt: NotificationAttempt) => void },
) {
  const { sendmail = null, allowPrivateNetwork } = options;
  const { store, accounts } = records;
  const guard = createSsrfGuard({ allowPrivateNetwork });
  let opened: LeaderWork | null = null;
  const open = () => {
    opened = openLeaderWork({
      ...{ ...parts, store, log, now },
      notifications: {
        onAttempt(attempt) {
          hooks.notificationAttempted(attempt);
          observe(attempt);
        },
        secretOf: (accountId) => accounts.account(accountId)?.notificationSecret ?? null,
        webhookClient: createWebhookClient({ guard, timeoutMs: notificationTimeoutMs }),
        sendMail: sendmail === null ? null : createMailSender(sendmail, mailTimeoutMs),
      },
      limits: { keepDays: options.keepDays ?? null, keepJobs: options.keepJobs ?? null },
    });
    return opened;
  };
  return { open, waitingNotifications: () => opened?.waitingNotifications ?? 0 };
}

/** Runs each step even if an earlier one fails. Rejects with the first error. */
async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
