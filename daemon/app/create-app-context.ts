import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes, realDisk } from '../../src/shared/util/disk.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { JobEvents } from '../actions/job-events.js';
import { LogEvents } from '../actions/log-events.js';
import {
  damagedPrograms,
  killOrphanProcesses,
  limitWarnings,
  openFfmpeg,
  sandboxWarnings,
} from '../ffmpeg/index.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import { createConcurrencyLimits, runCountFor } from '../pipeline/concurrency-limits.js';
import { ScratchSpace } from '../pipeline/disk-reservations.js';
import { observeRuns } from '../pipeline/observe-runs.js';
import { createJobRunner } from '../pipeline/run-job.js';
import { createScratchFolders } from '../pipeline/scratch-folders.js';
import { ProgressTracker } from '../queue/queue-run.js';
import { ownAbilities, selectionFor, type WorkerAbilities } from '../queue/remote/machine-abilities.js';
import { lockDataFolder } from '../store/data-folder/lock.js';
import type { JobStore } from '../store/job-store.js';
import { openCleanupJournal } from '../transfer/cleanup-journal.js';
import { createTransports } from '../transports/create-transports.js';
import { observeTransports } from '../transports/observed-transports.js';
import { removeOrphans } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';
import { createMailSender } from '../webhooks/mail-sender.js';
import { createWebhookClient } from '../webhooks/webhook-client.js';
import { createAdvisoryChecks } from './advisory-checks.js';
import type { AppOptions, OpenAppContext } from './app-options.js';
import { createRetryLog, openLogs } from './create-log.js';
import { createRemoteClaims } from './create-remote-claims.js';
import { observerHooks } from './daemon-observers.js';
import { createHealthCheck, resolveMinFreeBytes } from './health.js';
import { type LeaderWork, openLeaderWork } from './leader-work.js';
import { createNeededFiles, renewUploads } from './needed-files.js';
import { openHostedFiles } from './open-hosted-files.js';
import { openRecords } from './records/open-records.js';
import { rollBackUnfinished } from './roll-back-unfinished.js';
import { createUncaughtErrorHandler } from './uncaught-errors.js';

/** Interval between two cleanups of hosted files and uploads, in milliseconds. */
const cleanupIntervalMs = 15 * 60 * 1000;

/** Timeout of a webhook request, in milliseconds. */
const notificationTimeoutMs = 10_000;

/** Timeout of the program that sends mail, in milliseconds: it may connect to a mail server. */
const mailTimeoutMs = 60_000;

/**
 * Leaves the memory of this process and of the programs that it starts, which inherit this, out of core dumps: it contains keys and
 * passwords, and a core dump may be kept where others read it. Only Linux has this file.
 */
function excludeMemoryFromCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Elsewhere the limit of the operator applies (`ulimit -c`).
  }
}

/**
 * Creates the `AppContext` of a data folder. Rejects with `InUseError` if another daemon holds the folder,
 * `UsageError` if the folder cannot be written or a given program is not the expected one. Ends the encoders
 * that outlived an earlier daemon.
 */
export async function createAppContext(options: AppOptions): Promise<OpenAppContext> {
  const { dataFolder, sendmail = null, observers = null } = options;
  const hooks = observerHooks(observers);
  const now = () => new Date();
  const stallTimeoutMs = options.stallTimeoutSeconds * 1000;
  excludeMemoryFromCoreDumps();
  const found = openFfmpeg({
    ffmpeg: options.ffmpeg,
    ffprobe: options.ffprobe,
    limits: options.encodeLimits ?? {},
    concurrentEncodes: options.encodes ?? 1,
    sandbox: options.sandbox ?? 'auto',
    ...(observers === null ? {} : { onProgramEnd: observers.metrics.observeProgram }),
  });
  // Awaited below; a failure in between must not count as unhandled.
  found.catch(() => {});
  const lock = await lockDataFolder(dataFolder, { isPrivate: options.isOwnFiles ?? false });
  const rollbackSteps: (() => Promise<unknown>)[] = [() => lock.release()];
  const stores: JobStore[] = [];
  try {
    const disk = lock.guard(realDisk);
    const hasJob = async (id: number) => (await stores[0]?.has(id)) ?? false;
    const { log, logs } = openLogs({ dataFolder, disk, hasJob, now, sink: options.log });
    rollbackSteps.unshift(() => logs.close());
    const scratchFolder = join(dataFolder, 'scratch');
    const scratch = createScratchFolders(scratchFolder, log);
    const endedCount = await killOrphanProcesses(scratchFolder);
    if (endedCount > 0) log('warn', `Ended encoders that an earlier daemon had left running: ${endedCount}.`);
    const records = await openRecords(options, {
      ...{ dataFolder, disk, now, randomToken, log },
      onRemoved: (id) => logs.removeJob(id),
    });
    const { store, accounts, savedCredentials } = records;
    stores.push(store);
    rollbackSteps.unshift(() => records.close());
    await records.ensureOwner(options.apiKey ?? undefined);
    const { ffmpeg, report } = await found;
    for (const sentence of damagedPrograms(report)) log('error', sentence);
    if (ffmpeg !== null) {
      for (const sentence of limitWarnings(report)) log('warn', sentence);
      for (const sentence of sandboxWarnings(report)) log('info', sentence);
    }
    const minFreeBytes = await resolveMinFreeBytes(dataFolder, options.minFreeBytes);
    const cleanupJournal = openCleanupJournal(join(dataFolder, 'leftovers'));
    const { needOf } = createNeededFiles(store);
    const fileStoreOptions = {
      now,
      randomToken,
      stallTimeoutMs,
      minFreeBytes,
      needOf,
      cleanupJournal,
      log,
    };
    const { hosted, uploads, closeFiles } = await openHostedFiles(options, fileStoreOptions);
    rollbackSteps.unshift(closeFiles);
    const uncaughtErrors = createUncaughtErrorHandler(log);
    const unobserved = createTransports({
      allowPrivateNetwork: options.allowPrivateNetwork,
      filesRoots: options.filesRoots,
      allowsAnyPath: options.isOwnFiles ?? false,
      stallTimeoutMs,
      hosted,
      uploads,
      services: servicesFrom(process.env),
      onRetry: createRetryLog(log, () => uncaughtErrors.currentJob()),
      cleanupJournal,
      hostKeysPath: join(dataFolder, 'known_hosts'),
    });
    const transports =
      observers === null ? unobserved : observeTransports(unobserved, observers.metrics.observeBytes);
    records.watchOwn(hooks.jobChanged);
    records.watchOwn(renewUploads(uploads, log));
    const { isOwnRun } = records;
    await rollBackUnfinished(store, { transports, savedCredentials, scratch, log, isOwnRun });
    await scratch.clear();
    const progressTracker = new ProgressTracker();
    const events = new JobEvents({ store, progressTracker });
    const { runInErrorScope } = uncaughtErrors;
    const queue = await records.openQueue({ progressTracker, runInErrorScope });
    const { maxOutputBytes = null } = options.encodeLimits ?? {};
    const files = { dataFolder, transports, stallTimeoutMs, minFreeBytes, maxOutputBytes };
    const ownMachine = ffmpeg === null ? null : ownAbilities(ffmpeg.capabilities);
    let maxEncodes: number | null = null;
    const machines = (): readonly WorkerAbilities[] => [
      ...remote.remoteClaims.availableAbilities(),
      ...(ownMachine !== null && (maxEncodes ?? 0) > 0 ? [ownMachine] : []),
    ];
    const remote = await createRemoteClaims({
      ...{ queue, progressTracker, records, log, hooks, files, machines },
    });
    await records.resumeClaims((job) => remote.remoteClaims.resume(job));
    const logEvents = new LogEvents({ logs, store, queue });
    const guard = createSsrfGuard({ allowPrivateNetwork: options.allowPrivateNetwork });
    let isDraining = false;
    const health = createHealthCheck({
      dataFolder,
      minFreeBytes,
      databaseProblem: records.databaseProblem,
      hostedProblem: (maxWaitMs) => hosted.problem(maxWaitMs),
      hasFfmpeg: () => ffmpeg !== null || remote.workers.abilities().length > 0,
      isDraining: () => isDraining,
    });
    const advisory = createAdvisoryChecks({
      store,
      queue,
      databaseProblem: records.databaseProblem,
      maxEncodes: () => maxEncodes,
      workers: () => remote.remoteClaims.workers(),
      now,
      sandboxProblem: () => sandboxWarnings(report)[0] ?? null,
      machines: { workers: remote.workers, own: ownMachine },
      log,
    });
    let leaderWork: LeaderWork | null = null;
    const openSharedWork = () => {
      leaderWork = openLeaderWork({
        ...{ store, queue, hosted, log, now },
        notifications: {
          onAttempt(attempt) {
            hooks.notificationAttempted(attempt);
            advisory.observeNotification(attempt);
          },
          secretOf: (accountId) => accounts.account(accountId)?.notificationSecret ?? null,
          webhookClient: createWebhookClient({ guard, timeoutMs: notificationTimeoutMs }),
          sendMail: sendmail === null ? null : createMailSender(sendmail, mailTimeoutMs),
        },
        limits: { keepDays: options.keepDays ?? null, keepJobs: options.keepJobs ?? null },
      });
      return leaderWork;
    };
    const runCleanup = () =>
      Promise.all([hosted.removeExpired(), uploads.removeExpired(), scratch.retryRemovals()]).catch(
        (error: unknown) => log('error', `Cleanup failed: ${String(error)}`),
      );
    const runOrphanCleanup = () =>
      removeOrphans(cleanupJournal, transports, (message) => log('warn', message)).catch((error: unknown) =>
        log('error', `Cleanup of files that an earlier daemon left failed: ${String(error)}`),
      );
    const closed = new AbortController();
    const cleanupTimer = setInterval(runCleanup, cleanupIntervalMs).unref();
    let closing: Promise<void> | null = null;
    let uninstallErrorHandler = (): void => undefined;
    return {
      appContext: {
        store,
        queue,
        ...remote,
        progressTracker,
        events,
        logs,
        logEvents,
        accounts,
        transports,
        savedCredentials,
        hosted,
        uploads,
        ffmpeg,
        maxOutputs: options.maxOutputs,
        sendsMail: sendmail !== null,
        checkHealth: health.reasons,
        readHealth: async () => [...(await health.results()), ...(await advisory.results())],
        metrics: observers?.metrics ?? null,
        readMetricSources: () => ({
          waitingNotifications: leaderWork?.waitingNotifications ?? 0,
          maxEncodes: maxEncodes ?? 0,
          diskFreeBytes: health.freeBytes(),
          diskMinFreeBytes: minFreeBytes,
        }),
        ...(observers?.tracing == null ? {} : { continueTrace: observers.tracing.continueTrace }),
        now,
        randomToken,
        log,
      },
      report,
      lost: lock.lost,
      async start(encodes) {
        uninstallErrorHandler = uncaughtErrors.install();
        // Started before the recovery, which may finish jobs.
        records.startSharedWork(openSharedWork);
        await records.recover({ queue, signal: closed.signal });
        void runCleanup();
        void runOrphanCleanup();
        void logs.removeOrphans();
        if (ffmpeg === null || ownMachine === null) return;
        maxEncodes = encodes;
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
          await runAll([() => remote.workers.close(), ...rollbackSteps]).finally(() =>
            uninstallErrorHandler(),
          );
        });
        await closing;
      },
    };
  } catch (error) {
    // Closes the store before it releases the lock. The first error is reported, whatever fails during the
    // rollback.
    await runAll(rollbackSteps).catch(() => {});
    throw error;
  }
}

/** Runs each step even if an earlier one fails. Rejects with the first error. */
async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
