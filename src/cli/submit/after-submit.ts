import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import type { FollowEvent } from '../../client/follow-context.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { JobRecord } from '../../shared/records.js';
import { displayState } from '../../shared/states.js';
import { safeText } from '../../shared/text/safe-text.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { humanTime, humanUntil, sizesText } from '../../shared/text/units.js';
import { type BatchDisplay, openBatchDisplay, writeSummary } from '../batch/batch-display.js';
import type { Context } from '../context.js';
import type { DownloadOptions } from '../download/download-job.js';
import { awaitJobs, withStillRunningHint } from '../jobs/await-jobs.js';
import { type BatchFailure, failureReason, sumOf } from '../output/batch-text.js';
import { activityText, failureOf } from '../output/progress-text.js';
import { type Interruption, listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { openProgressDisplay, type ProgressDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';
import type { SubmitOptions } from './requests.js';

/** The input of a job that was just created. */
export interface SubmittedInput {
  /** Its name in messages. */
  readonly name: string;
  /** Null if it is not on this machine. */
  readonly path: string | null;
}

/** How to continue with jobs that were just created. */
export interface WaitOptions {
  /** The inputs of the jobs, if there are several. */
  readonly inputs: ReadonlyMap<number, SubmittedInput>;
  /** The inputs without a job. */
  readonly failures: readonly BatchFailure[];
  /** The command that submits some inputs again; null if they came from stdin. */
  readonly repeat: ((names: readonly string[]) => Promise<readonly string[]>) | null;
  /** The ffprobe of this machine, for the lengths of local inputs. */
  readonly programs: () => ReturnType<Context['programs']>;
  readonly io: Io;
  readonly mode: ProgressMode;
  readonly options: Pick<SubmitOptions, 'download' | 'force' | 'skipExisting'>;
  /** The folder for the downloads of each job, relative to `download`. */
  readonly folders: ReadonlyMap<number, string>;
  readonly interruption: Interruption;
}

/** Waits for created jobs and downloads their outputs if requested. Resolves to the first exit code that is not 0. */
export async function waitAndDownload(
  client: Client,
  ids: readonly number[],
  waiting: WaitOptions,
): Promise<ExitCode> {
  const isBatch = waiting.inputs.size > 0 && ids.length + waiting.failures.length > 1;
  if (!isBatch) return download(client, ids, waiting, await waitWithProgress(client, ids, waiting));
  const startedAtMs = Date.now();
  const { code, finished, failures } = await waitForBatch(client, ids, waiting);
  const ended = await download(client, ids, waiting, code);
  const { io, mode, repeat } = waiting;
  if (mode !== 'tty' && mode !== 'plain') return ended;
  const count = ids.length + waiting.failures.length;
  await writeSummary(io, { count, finished, failures, startedAtMs, repeat });
  return ended;
}

async function download(
  client: Client,
  ids: readonly number[],
  { io, mode, options, folders }: WaitOptions,
  ended: ExitCode,
): Promise<ExitCode> {
  // Download the finished outputs of failed jobs as well.
  const isOver = ended === exitCodes.done || ended === exitCodes.jobFailed || ids.length > 1;
  if (options.download === undefined || !isOver) {
    if (ended === exitCodes.done && io.isTerminal.stderr) await printExpiry(client, ids, io);
    return ended;
  }
  // Downloads that are there and not whole are made again.
  const isForced = options.force === true || options.skipExisting === true;
  const downloaded = await downloadFinishedJobs(client, ids, io, {
    folder: options.download,
    folders,
    isForced,
    mode,
  });
  return ended === exitCodes.done ? downloaded : ended;
}

/** Waits for the job that was just submitted and shows its progress on stderr. Disposes the interruption. */
async function waitWithProgress(
  client: Client,
  ids: readonly number[],
  options: Pick<WaitOptions, 'interruption' | 'mode' | 'io'>,
): Promise<ExitCode> {
  const { io, mode } = options;
  const { signal, dispose } = options.interruption;
  const display = await openProgressDisplay(io, mode, `job ${ids[0]}`);
  const onEvent = showOne(display);
  try {
    return await awaitJobs(client, ids, display, { signal, isKnownReachable: true, onEvent });
  } catch (error) {
    throw withStillRunningHint(error, ids);
  } finally {
    display.stop();
    dispose();
  }
}

/** Says how long the service hosts the outputs of finished jobs: those of the first one expire first. */
async function printExpiry(client: Client, ids: readonly number[], io: Io): Promise<void> {
  const [first = 0] = ids;
  const job = await client.job(first).catch(() => null);
  const times = (job?.output_media_files ?? []).flatMap(({ expires_at: time }) => time ?? []);
  const [earliest] = times.toSorted();
  if (earliest === undefined) return;
  const which = ids.length === 1 ? `venc download ${first}` : `from ${humanTime(earliest)} on`;
  io.writeInfo(`venc: the hosted outputs expire in ${humanUntil(earliest, new Date())}: ${which}\n`);
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

/** What became of a batch. */
interface WaitedBatch {
  readonly code: ExitCode;
  readonly finished: readonly JobRecord[];
  readonly failures: readonly BatchFailure[];
}

/** Waits for jobs that were just submitted and shows their progress in one line. Disposes the interruption. */
async function waitForBatch(
  client: Client,
  ids: readonly number[],
  { io, mode, inputs, failures: before, interruption, programs }: WaitOptions,
): Promise<WaitedBatch> {
  const nameOf = (id: number) => inputs.get(id)?.name ?? `job ${id}`;
  const display = await openBatchDisplay(io, mode, [...ids.map(nameOf), ...before.map(({ name }) => name)]);
  for (const index of before.keys()) display.end(ids.length + index, 'failed', null);
  const [finished, failures]: [JobRecord[], BatchFailure[]] = [[], [...before]];
  const onEvent = (event: FollowEvent) => {
    if (event.type === 'queue') display.setFrozen(event.pause?.isFrozen === true);
    if (event.type === 'rejected') failures.push({ name: nameOf(event.id), reason: event.error.message });
    if (event.type === 'rejected') display.end(ids.indexOf(event.id), 'failed', null);
    if (event.type === 'progress') {
      const { job } = event;
      display.update(ids.indexOf(job.id), job.progress, displayState(job) === 'processing', job, '');
    }
    if (event.type !== 'final') return;
    const { job } = event;
    const isFinished = job.state === 'finished';
    const { input_media_file: input, output_media_files: outputs } = job;
    display.end(ids.indexOf(job.id), isFinished ? 'finished' : 'failed', input.duration_in_ms);
    if (!isFinished) {
      failures.push({ name: nameOf(job.id), reason: failureReason(failureOf(job)) || job.state });
      return;
    }
    finished.push(job);
    const after = sumOf(outputs.map(({ file_size_bytes: size }) => size));
    if (mode === 'tty' || mode === 'plain')
      display.writeInfo(
        `venc: ${safeText(nameOf(job.id))}: ${sizesText(input.file_size_bytes, after)}, job ${job.id}\n`,
      );
  };
  const { signal, dispose } = interruption;
  const end = new AbortController();
  const paths = ids.map((id) => inputs.get(id)?.path ?? null);
  const reading = mode === 'none' ? null : readLocalLengths(paths, display, { programs, signal: end.signal });
  try {
    const options = { signal, isKnownReachable: true, nameOf, onEvent };
    return { code: await awaitJobs(client, ids, display, options), finished, failures };
  } catch (error) {
    throw withStillRunningHint(error, ids);
  } finally {
    display.stop();
    dispose();
    end.abort();
    await reading;
  }
}

/** Reads the lengths of the inputs on this machine, if it has ffprobe. Never rejects. */
async function readLocalLengths(
  paths: readonly (string | null)[],
  { setLength: onLength }: Pick<BatchDisplay, 'setLength'>,
  { programs, signal }: Pick<WaitOptions, 'programs'> & { readonly signal: AbortSignal },
): Promise<void> {
  if (paths.every((path) => path === null)) return;
  const { readLengths } = await import('../../../daemon/app/read-lengths.js');
  const found = await programs().catch(() => null);
  if (found !== null) await readLengths(paths, { ...found, signal, onLength });
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
