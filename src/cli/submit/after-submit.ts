import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import type { FollowEvent } from '../../client/follow-context.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { shellLine } from '../../shared/text/shell-words.js';
import type { DownloadOptions } from '../download/download-job.js';
import { awaitJobs, withStillRunningHint } from '../jobs/await-jobs.js';
import { activityText, type JobProgressState, jobsProgress } from '../output/progress-text.js';
import { type Interruption, listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { openProgressDisplay, type ProgressDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';
import type { SubmitOptions } from './requests.js';

/** How to continue with jobs that were just created. */
interface WaitOptions {
  readonly io: Io;
  readonly mode: ProgressMode;
  readonly options: Pick<SubmitOptions, 'download' | 'force'>;
  /** The folder for the downloads of each job, relative to `download`. */
  readonly folders: ReadonlyMap<number, string>;
  readonly interruption: Interruption;
}

/** Waits for created jobs and downloads their outputs if requested. Resolves to the first exit code that is not 0. */
export async function waitAndDownload(
  client: Client,
  ids: readonly number[],
  { io, mode, options, folders, interruption }: WaitOptions,
): Promise<ExitCode> {
  const ended = await waitWithProgress(client, ids, { interruption, mode, io });
  // Download the finished outputs of failed jobs as well.
  const isOver = ended === exitCodes.done || ended === exitCodes.jobFailed || ids.length > 1;
  if (options.download === undefined || !isOver) return ended;
  const isForced = options.force === true;
  const downloaded = await downloadFinishedJobs(client, ids, io, {
    folder: options.download,
    folders,
    isForced,
    mode,
  });
  return ended === exitCodes.done ? downloaded : ended;
}

/**
 * Waits for jobs that were just submitted and shows their progress on stderr: detailed for one job, combined for
 * several. Disposes the interruption.
 */
async function waitWithProgress(
  client: Client,
  ids: readonly number[],
  options: Pick<WaitOptions, 'interruption' | 'mode' | 'io'>,
): Promise<ExitCode> {
  const { io, mode } = options;
  const { signal, dispose } = options.interruption;
  const display = await openProgressDisplay(
    io,
    mode,
    ids.length === 1 ? `job ${ids[0]}` : `${ids.length} jobs`,
  );
  const onEvent = ids.length === 1 ? showOne(display) : showAll(display, ids);
  try {
    return await awaitJobs(client, ids, display, { signal, isKnownReachable: true, onEvent });
  } catch (error) {
    throw withStillRunningHint(error, ids);
  } finally {
    display.stop();
    dispose();
  }
}

function showOne(display: ProgressDisplay): (event: FollowEvent) => void {
  return (event) => {
    if (event.type === 'progress') {
      display.update(event.job.progress, activityText(event.job), event.job);
    } else if (event.type === 'final') {
      const { id, state } = event.job;
      if (state === 'finished') display.update(100, state, { id });
      display.stop();
    }
  };
}

function showAll(display: ProgressDisplay, ids: readonly number[]): (event: FollowEvent) => void {
  const progressStates = new Map<number, JobProgressState>();
  return (event) => {
    if (event.type === 'rejected') progressStates.set(event.id, { state: 'failed', progress: 100 });
    if (event.type !== 'progress' && event.type !== 'final') return;
    const { job } = event;
    const progress = event.type === 'progress' ? event.job.progress : 100;
    progressStates.set(job.id, { state: job.state, progress });
    const { percent, activity } = jobsProgress(progressStates.values(), ids.length - progressStates.size);
    display.update(percent, activity, event.type === 'progress' ? job : { id: job.id, state: job.state });
  };
}

/**
 * Downloads the files of jobs that have just ended. A failed job may have no files. The error of one of several jobs is
 * reported, and the others are still downloaded; resolves to the exit code of the first error. Rejects with the error
 * of a single job.
 */
async function downloadFinishedJobs(
  client: Client,
  ids: readonly number[],
  io: Io,
  options: Omit<DownloadOptions, 'signal' | 'usedNames'> & Pick<WaitOptions, 'folders'>,
): Promise<ExitCode> {
  const { downloadJob } = await import('../download/download-job.js');
  const { signal, dispose } = listenForInterrupt(io);
  const usedNames = new Map<string, Set<string>>();
  let code: ExitCode = exitCodes.done;
  try {
    for (const [index, id] of ids.entries()) {
      try {
        const job = await client.job(id, signal);
        const folder = join(options.folder, options.folders.get(id) ?? '');
        const used = usedNames.get(folder) ?? new Set();
        usedNames.set(folder, used);
        await downloadJob(job, client.target, io, { ...options, folder, signal, usedNames: used }).catch(
          (error: unknown) => {
            if (job.state === 'finished' || !isVencError(error, 'NotFoundError')) throw error;
          },
        );
      } catch (error) {
        if (isVencError(error, 'InterruptedError')) throw interruptedError(error, ids.slice(index), options);
        const hintedError = withRetryHint(error, id);
        if (ids.length === 1 || signal.aborted || !isVencError(hintedError)) throw hintedError;
        code = reportError(io, hintedError, `Job ${id}`, code);
      }
    }
  } finally {
    dispose();
  }
  return code;
}

function interruptedError(
  error: VencError,
  ids: readonly number[],
  { folder, folders }: Pick<DownloadOptions, 'folder'> & Pick<WaitOptions, 'folders'>,
): VencError {
  const byFolder = new Map<string, readonly string[]>();
  for (const id of ids) {
    const out = join(folder, folders.get(id) ?? '');
    byFolder.set(out, [...(byFolder.get(out) ?? []), String(id)]);
  }
  const commands = [...byFolder].map(([out, jobs]) => shellLine(['venc', 'download', ...jobs, '--out', out]));
  return new VencError('InterruptedError', error.message, { hint: `to continue: ${commands.join('; ')}` });
}

/** Replaces the hint: repeating the submit with --force would encode everything again. */
function withRetryHint(error: unknown, id: number): unknown {
  if (!isVencError(error, 'UsageError')) return error;
  const retryCommand = shellLine(['venc', 'download', String(id)]);
  return new VencError('UsageError', error.message, {
    hint: `the job has ended: ${retryCommand} --force, or with --out another folder`,
  });
}
