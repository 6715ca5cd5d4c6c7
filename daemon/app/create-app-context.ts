import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes, realDisk, unsyncedDisk } from '../../src/shared/util/disk.js';
import type { Log } from '../../src/shared/util/log.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import type { AppContext } from '../actions/app-context.js';
import { InPlaceFiles } from '../actions/in-place-files.js';
import { PageSessions } from '../actions/page-sessions.js';
import { Turns } from '../actions/turns.js';
import {
  damagedPrograms,
  ioIdleWarnings,
  killOrphanProcesses,
  limitWarnings,
  openFfmpeg,
  sandboxWarnings,
} from '../ffmpeg/index.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import { defaultAccountId, type Job } from '../jobs/job.js';
import { createConcurrencyLimits, runCountFor } from '../pipeline/concurrency-limits.js';
import { type DeliveredUrls, ownerOf, rollBack } from '../pipeline/deliver.js';
import { ScratchSpace } from '../pipeline/disk-reservations.js';
import { observeRuns } from '../pipeline/observe-runs.js';
import type { PipelineContext } from '../pipeline/pipeline-context.js';
import { createJobRunner } from '../pipeline/run-job.js';
import { createScratchFolders } from '../pipeline/scratch-folders.js';
import { ownAbilities, selectionFor } from '../queue/parts/part-selection.js';
import { encodePausesOf } from '../queue/slot-schedule.js';
import { readFolderId } from '../store/data-folder/data-folder.js';
import { dataLayout } from '../store/data-folder/layout.js';
import { lockDataFolder } from '../store/data-folder/lock.js';
import type { JobStore } from '../store/job-store.js';
import { removeOrphans } from '../transports/registry.js';
import { createAdvisoryChecks } from './advisory-checks.js';
import type { AppBase, AppOptions, OpenAppContext, Programs } from './app-options.js';
import { openLogs } from './create-log.js';
import { observerHooks } from './daemon-observers.js';
import { createHealthCheck, resolveMinFreeBytes } from './health.js';
import { createSharedWork } from './leader-work.js';
import { openFiles } from './open-files.js';
import { openJobs } from './open-jobs.js';
import { openRecords } from './records/open-records.js';
import { handleUncaughtErrors } from './uncaught-errors.js';

/** Interval between two cleanups of hosted files and uploads, in milliseconds. */
const cleanupIntervalMs = 15 * 60 * 1000;

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

/**
 * Creates the `AppContext` of a data folder. Rejects with `InUseError` if another daemon holds the folder,
 * `UsageError` if the folder cannot be written or a given program is not the expected one. Ends the encoders
 * that outlived an earlier daemon.
 */
export async function createAppContext(options: AppOptions): Promise<OpenAppContext> {
  const { dataFolder, observers = null } = options;
  if (options.isEmbedded !== true) excludeMemoryFromCoreDumps();
  const found = findPrograms(options);
  const lock = await lockDataFolder(dataFolder, { isPrivate: options.isOwnFiles ?? false });
  const closeSteps: (() => Promise<unknown>)[] = [() => lock.release()];
  const onClose: AppBase['onClose'] = (step) => void closeSteps.unshift(step);
  try {
    const now = () => new Date();
    const disk = lock.guard(options.isOwnFiles === true ? unsyncedDisk : realDisk);
    const stores: JobStore[] = [];
    const hasJob = async (id: number) => (await stores[0]?.has(id)) ?? false;
    const createdAtOf = async (id: number) => (await stores[0]?.get(id))?.createdAt ?? null;
    const { log, logs } = openLogs({
      ...{ dataFolder, disk, hasJob, createdAtOf, now },
      ...{ sink: options.log, hasDetails: options.isVerbose },
    });
    onClose(() => logs.close());
    const scratchFolder = join(dataFolder, 'scratch');
    const scratch = createScratchFolders(scratchFolder, log);
    const endedCount = await killOrphanProcesses(scratchFolder);
    if (endedCount > 0) log('warn', `Ended encoders that an earlier daemon had left running: ${endedCount}.`);
    const records = await openRecords(options, {
      ...{ dataFolder, disk, now, randomToken, log },
      onRemoved: (id) => logs.removeJob(id),
    });
    const { store, accounts, setup, savedCredentials, isOwnRun } = records;
    stores.push(store);
    onClose(() => records.close());
    await records.ensureOwner(options.apiKey ?? undefined);
    const { ffmpeg: opened, report } = await found;
    const { wrapFfmpeg = (one) => one } = options;
    const hasPage = (options.page ?? null) !== null;
    const ffmpeg = opened && wrapFfmpeg(opened);
    logPrograms({ ffmpeg, report }, log);
    // A one-shot run reads all its inputs in place, without offers.
    const daemonId = options.isOwnFiles === true ? '' : await readFolderId(dataLayout(dataFolder).folderId);
    const ownMachine = ffmpeg === null ? null : ownAbilities(ffmpeg.capabilities, daemonId);
    const base: AppBase = {
      ...{ options, records, ffmpeg, report, ownMachine, log, now, onClose },
      hooks: observerHooks(observers),
      minFreeBytes: await resolveMinFreeBytes(dataFolder, options.minFreeBytes),
      stallTimeoutMs: options.stallTimeoutSeconds * 1000,
    };
    const { cleanupJournal, keptOutputs, ...files } = await openFiles(base);
    const { hosted, uploads, unfinishedUploads, transports } = files;
    await rollBackUnfinished(store, { transports, savedCredentials, scratch, log, isOwnRun });
    await scratch.clear();
    let maxEncodes: number | null = null;
    const ownOffer = () => (ownMachine !== null && (maxEncodes ?? 0) > 0 ? [ownMachine] : []);
    const { machines, ...jobs } = await openJobs(base, transports, ownOffer, logs);
    const { queue, pauses, openHours, schedule, progressTracker, events, logEvents, accountEvents } = jobs;
    let isDraining = false;
    const health = openHealth(base, {
      ...{ hosted, jobs, isDraining: () => isDraining, maxEncodes: () => maxEncodes },
    });
    const onAttempt = health.observeNotification;
    const sharedWork = createSharedWork(base, { queue, hosted, onAttempt });
    // Hosted outputs are kept before those that have expired are removed.
    const removeExpiredOutputs = async () => {
      await keptOutputs?.keepAll();
      await hosted.removeExpired();
    };
    const runCleanup = () =>
      Promise.all([
        removeExpiredOutputs(),
        uploads.removeExpired(),
        unfinishedUploads.removeExpired(),
        scratch.retryRemovals(),
      ]).catch((error: unknown) => log('error', `Cleanup failed: ${String(error)}`));
    const closed = new AbortController();
    const cleanupTimer = setInterval(runCleanup, cleanupIntervalMs).unref();
    let closing: Promise<void> | null = null;
    let stopHandlingErrors = (): void => undefined;
    return {
      appContext: {
        ...{ store, queue, pauses, openHours, schedule, progressTracker },
        ...{ events, logs, logEvents, accountEvents },
        ...{ accounts, setup, savedCredentials, scratch, ffmpeg },
        pageSessions: hasPage ? new PageSessions({ accounts, now, randomToken, log }) : null,
        ...files,
        // A search reads the records of many jobs.
        searchTurns: new Turns({ perClient: 2, rejection: 'Another search with this key is running.' }),
        inPlaceFiles: new InPlaceFiles({ daemonId, randomToken }),
        ...{ workers: jobs.workers, remoteClaims: jobs.remoteClaims, workerFiles: jobs.workerFiles },
        maxOutputs: options.maxOutputs,
        maxKeepSeconds: (options.hostedHours ?? 24) * 3600,
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
        if (options.isEmbedded !== true) stopHandlingErrors = handleUncaughtErrors(log);
        // Started before the recovery, which may finish jobs.
        records.startSharedWork(sharedWork.open);
        const freezes = (accountId: string) => schedule.state.isFrozen || pauses.freezes(accountId);
        await records.recover({ queue, pauses: { freezes }, signal: closed.signal });
        void runCleanup();
        void removeOrphans(cleanupJournal, transports, (message) => log('warn', message)).catch(
          (error: unknown) =>
            log('error', `Cleanup of files that an earlier daemon left failed: ${String(error)}`),
        );
        void logs.removeOrphans();
        if (ffmpeg === null || ownMachine === null) return;
        maxEncodes = encodes;
        const { minFreeBytes, hooks } = base;
        // What uploads have announced is about to be written.
        const free = async () => (await freeBytes(scratchFolder)) - unfinishedUploads.announcedBytes();
        const space = new ScratchSpace({ freeBytes: free, minFreeBytes });
        const limits = {
          ...createConcurrencyLimits(encodes, encodePausesOf(schedule, pauses)),
          ...(options.encodeTurns === undefined ? {} : { encodes: options.encodeTurns }),
        };
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
          accountEvents.close();
          logEvents.close();
          await runAll([() => jobs.workers.close(), ...closeSteps]).finally(() => stopHandlingErrors());
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
  for (const sentence of ioIdleWarnings(report)) log('warn', sentence);
}

/** Opens the checks of the health: those that decide whether jobs are accepted, and the others. */
function openHealth(
  { options, records, ffmpeg, report, ownMachine, log, now, minFreeBytes }: AppBase,
  parts: {
    readonly hosted: HostedFileStore;
    readonly jobs: Pick<AppContext, 'queue' | 'pauses' | 'schedule' | 'workers' | 'remoteClaims'>;
    readonly isDraining: () => boolean;
    readonly maxEncodes: () => number | null;
  },
) {
  const { hosted, isDraining, maxEncodes } = parts;
  const { workers, queue, pauses, schedule, remoteClaims } = parts.jobs;
  const { store, databaseProblem } = records;
  const health = createHealthCheck({
    ...{ dataFolder: options.dataFolder, minFreeBytes, databaseProblem, isDraining },
    hostedProblem: (maxWaitMs) => hosted.problem(maxWaitMs),
    hasFfmpeg: () => ffmpeg !== null || workers.abilities().length > 0,
  });
  const advisory = createAdvisoryChecks({
    ...{ store, queue, databaseProblem, maxEncodes, now, log },
    workers: () => remoteClaims.workers(),
    heldBackBy: () => (pauses.holds(defaultAccountId) ? 'pause' : schedule.state.closedBy),
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

/** Runs each step even if an earlier one fails. Rejects with the first error. */
async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/**
 * Removes what a killed daemon had delivered of unfinished outputs, so that nothing partial stays at their
 * destinations. If files are copied to another volume, a file that arrived at the moment of the kill stays.
 * Never rejects.
 */
async function rollBackUnfinished(
  store: JobStore,
  context: Pick<PipelineContext, 'transports' | 'savedCredentials' | 'scratch' | 'log'> & {
    /** Whether no other daemon has run the job since. */
    readonly isOwnRun: (job: Job) => boolean;
  },
): Promise<void> {
  const deliveries = new Map<number, DeliveredUrls>();
  for (const { jobId, outputId, url } of await context.scratch.listDelivered()) {
    try {
      const job = await store.get(jobId);
      const output = job?.outputs.find(({ id }) => id === outputId);
      if (job === null || output === undefined || output.state === 'finished' || !context.isOwnRun(job))
        continue;
      const urls = deliveries.get(outputId)?.urls ?? [];
      deliveries.set(outputId, { urls: [...urls, url], job, ownerOfUrl: (one) => ownerOf(job, output, one) });
    } catch (error) {
      context.log('warn', `Delivered files of job ${jobId} could not be removed: ${String(error)}`, {
        jobId,
      });
    }
  }
  // Concurrently: an unresponsive server delays the start once, not once per output.
  await Promise.all([...deliveries.values()].map((delivered) => rollBack(context, delivered)));
}
