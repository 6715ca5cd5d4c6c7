import { progressOfJob } from '../shared/client/normalise.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { inputFileName, outputLabels } from '../shared/file-labels.js';
import type { JobProgressRecord, JobRecord, MediaFileRecord, ProgressRecord } from '../shared/records.js';
import { redact } from '../shared/redact.js';
import { displayProgress, displayState, etaOfFile, etaOfJob, isFinal } from '../shared/states.js';
import { safeText } from '../shared/text/safe-text.js';
import type { JobUnavailable, WatchedFile, WatchedJob } from './watch-types.js';

/** A job without data. */
export function createUnknownJob(id: number): WatchedJob {
  const nothing = { files: [], names: new Map(), sizes: new Map(), etaMs: null };
  const end = { unavailable: null, endedAtMs: null, isSettled: false };
  return { id, state: null, displayState: null, percent: 0, ...nothing, ...end };
}

/** Whether the job has ended or can no longer be watched. */
export function isOver(job: WatchedJob): boolean {
  return job.unavailable !== null || (job.state !== null && isFinal(job.state));
}

/** Whether the job has failed. */
export function isFailed(job: WatchedJob): boolean {
  return job.unavailable === null && job.state === 'failed';
}

/** The word for the state of a job in the totals of the screen. */
export function endWord({ unavailable, displayState }: WatchedJob): string {
  return unavailable === null ? (displayState ?? '') : 'lost';
}

/** The exit code of an ended job: 1 if it did not finish, or that of its `unavailable`. */
export function jobExitCode(job: WatchedJob): ExitCode {
  if (job.unavailable !== null) return job.unavailable.exitCode;
  return job.state === 'finished' ? exitCodes.done : exitCodes.jobFailed;
}

/** Applies a progress record to a job. */
export function withProgress(
  job: WatchedJob,
  record: JobProgressRecord & { readonly id: number },
): WatchedJob {
  const state = sanitize(record.state);
  const files = [
    fileInProgress('input', record.input, job),
    ...record.outputs.map((one) => fileInProgress('output', one, job)),
  ];
  return {
    ...job,
    state,
    displayState: sanitize(displayState(record)),
    percent: displayProgress(record),
    files,
    etaMs: isFinal(state) ? null : etaOfJob(record.outputs),
    unavailable: null,
  };
}

/** Creates a job from a record in a list. */
export function fromListRecord(record: JobRecord): WatchedJob {
  const named = withNames(createUnknownJob(record.id), record);
  return withProgress(named, { id: record.id, ...progressOfJob(record, new Map()) });
}

/** Applies the final record to a job. */
export function withEnd(before: WatchedJob, record: JobRecord): WatchedJob {
  const job = withNames(before, record);
  const files = [
    fileAtEnd('input', record.input_media_file, job),
    ...record.output_media_files.map((one) => fileAtEnd('output', one, job)),
  ];
  const state = sanitize(record.state);
  const percent = state === 'finished' ? 100 : job.percent;
  return { ...job, state, displayState: state, percent, files, etaMs: null, unavailable: null };
}

/** Adds the names and sizes of its files to a job. */
export function withNames(job: WatchedJob, record: JobRecord): WatchedJob {
  const names = new Map<number, string>();
  const { input_media_file: input } = record;
  const inputName = inputFileName(record);
  if (inputName !== null) names.set(input.id, sanitize(inputName));
  for (const [id, name] of outputLabels(record)) names.set(id, sanitize(name));
  const sizes = new Map<number, number>();
  for (const { id, file_size_bytes: size } of [input, ...record.output_media_files]) {
    if (size !== null && size !== undefined && size > 0) sizes.set(id, size);
  }
  const files = job.files.map((file) => ({ ...file, sizeBytes: sizes.get(file.id) ?? null }));
  return { ...job, names, sizes, files };
}

/** Marks a job as unavailable. */
export function withUnavailable(job: WatchedJob, unavailable: JobUnavailable): WatchedJob {
  return { ...job, etaMs: null, unavailable: { ...unavailable, message: sanitize(unavailable.message) } };
}

/** The name of a file for people: `input`, `output 14 (web)`. */
export function fileTitle(job: WatchedJob, file: WatchedFile): string {
  if (file.kind === 'input') return 'input';
  const name = job.names.get(file.id);
  return name === undefined ? `output ${file.id}` : `output ${file.id} (${name})`;
}

function fileInProgress(
  kind: WatchedFile['kind'],
  record: ProgressRecord & { readonly id: number },
  job: WatchedJob,
): WatchedFile {
  return {
    id: record.id,
    kind,
    state: sanitize(record.state),
    event: record.current_event ? sanitize(record.current_event) : null,
    eventPercent: record.current_event_progress ?? null,
    percent: record.progress,
    fps: record.fps ?? null,
    speed: record.speed ?? null,
    etaMs: etaOfFile(record),
    sizeBytes: job.sizes.get(record.id) ?? null,
    failure: null,
  };
}

function fileAtEnd(
  kind: WatchedFile['kind'],
  record: MediaFileRecord & { readonly state: string },
  job: WatchedJob,
): WatchedFile {
  const state = sanitize(record.state);
  const before = job.files.find((file) => file.id === record.id);
  return {
    id: record.id,
    kind,
    state,
    event: null,
    eventPercent: null,
    percent: state === 'finished' ? 100 : (before?.percent ?? 0),
    fps: null,
    speed: null,
    etaMs: null,
    sizeBytes: job.sizes.get(record.id) ?? null,
    failure: formatFailure(record),
  };
}

function formatFailure({ error_class, error_message }: MediaFileRecord): string | null {
  const parts = [error_class, error_message].filter(
    (part) => part !== null && part !== undefined && part !== '',
  );
  return parts.length === 0 ? null : sanitize(parts.join(': '));
}

/** States and events, which need no sanitising. Most texts match. */
const plainWords = /^[a-z]+(?: [a-z]+)*$/;

/** Makes a text from a service safe for a terminal and masks secrets in URLs. */
export function sanitize(text: string): string {
  return plainWords.test(text) ? text : redact(safeText(text)).trim();
}
