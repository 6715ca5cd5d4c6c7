import { type ExitCode, exitCodes } from '../api/exit-codes.js';
import type { JobProgressRecord, JobRecord, MediaFileRecord, ProgressRecord } from '../api/records.js';
import { isFinal } from '../api/states.js';
import { progressOfJob } from '../client/normalise.js';
import { clean, fileNameOf } from './clean.js';
import type { Loss, Mark, WatchedFile, WatchedJob } from './watch-types.js';

/** A job of which nothing is known yet. */
export function unknownJob(id: number): WatchedJob {
  const nothing = { files: [], names: new Map(), sizes: new Map(), mark: null, etaMs: null };
  return { id, state: null, percent: 0, ...nothing, loss: null, endedAtMs: null };
}

/** Whether the job will not change any more, as far as the screen can learn. */
export function isOver(job: WatchedJob): boolean {
  return job.loss !== null || (job.state !== null && isFinal(job.state));
}

/** The exit code that follows from a job that is over: 1 where it did not finish, or what its loss says. */
export function codeOf(job: WatchedJob): ExitCode {
  if (job.loss !== null) return job.loss.exitCode;
  return job.state === 'finished' ? exitCodes.done : exitCodes.jobFailed;
}

/** What a job looks like after a progress record. */
export function withProgress(
  job: WatchedJob,
  record: JobProgressRecord & { readonly id: number },
  nowMs: number,
): WatchedJob {
  const state = clean(record.state);
  const files = [
    progressOf('input', record.input, job),
    ...record.outputs.map((one) => progressOf('output', one, job)),
  ];
  // A job that was resubmitted begins anew, and so does the estimate of its end; how fast the input comes tells nothing of what comes then.
  const isUnderWay = isFinal(record.input.state) && job.state === state;
  const goesOn = isUnderWay && job.mark !== null && record.progress >= job.mark.percent;
  const mark = goesOn ? job.mark : { atMs: nowMs, percent: record.progress };
  return {
    ...job,
    state,
    percent: record.progress,
    files,
    mark,
    etaMs: isFinal(state) ? null : (toldEta(files) ?? estimatedEta(mark, record.progress, nowMs)),
    loss: null,
  };
}

/** What a job looks like when a list has shown it. */
export function asListed(record: JobRecord, nowMs: number): WatchedJob {
  const named = withNames(unknownJob(record.id), record);
  return withProgress(named, { id: record.id, ...progressOfJob(record, new Map()) }, nowMs);
}

/** What a job looks like when its end is known. */
export function withEnd(before: WatchedJob, record: JobRecord): WatchedJob {
  const job = withNames(before, record);
  const files = [
    endOf('input', record.input_media_file, job),
    ...record.output_media_files.map((one) => endOf('output', one, job)),
  ];
  const state = clean(record.state);
  const percent = state === 'finished' ? 100 : job.percent;
  return { ...job, state, percent, files, mark: null, etaMs: null, loss: null };
}

/** The job with the names and sizes of its files: a label where there is one, else the file's name. */
export function withNames(job: WatchedJob, record: JobRecord): WatchedJob {
  const names = new Map<number, string>();
  const { input_media_file: input } = record;
  if (input.url) names.set(input.id, fileNameOf(input.url));
  for (const output of record.output_media_files) {
    const name = output.label ? clean(output.label) : output.url ? fileNameOf(output.url) : '';
    if (name !== '') names.set(output.id, name);
  }
  const sizes = new Map<number, number>();
  for (const { id, file_size_bytes: size } of [input, ...record.output_media_files]) {
    if (size !== null && size !== undefined && size > 0) sizes.set(id, size);
  }
  const files = job.files.map((file) => ({ ...file, sizeBytes: sizes.get(file.id) ?? null }));
  return { ...job, names, sizes, files };
}

/** A job that cannot be watched any longer. */
export function withLoss(job: WatchedJob, loss: Loss): WatchedJob {
  return { ...job, etaMs: null, loss: { ...loss, message: clean(loss.message) } };
}

/** What a person would call a file: `input`, `output 14 (web)`. */
export function fileTitle(job: WatchedJob, file: WatchedFile): string {
  if (file.kind === 'input') return 'input';
  const name = job.names.get(file.id);
  return name === undefined ? `output ${file.id}` : `output ${file.id} (${name})`;
}

function progressOf(
  kind: WatchedFile['kind'],
  record: ProgressRecord & { readonly id: number },
  job: WatchedJob,
): WatchedFile {
  return {
    id: record.id,
    kind,
    state: clean(record.state),
    event: record.current_event ? clean(record.current_event) : null,
    eventPercent: record.current_event_progress ?? null,
    percent: record.progress,
    fps: record.fps ?? null,
    speed: record.speed ?? null,
    etaMs: record.eta_in_ms ?? null,
    sizeBytes: job.sizes.get(record.id) ?? null,
    fault: null,
  };
}

function endOf(
  kind: WatchedFile['kind'],
  record: MediaFileRecord & { readonly state: string },
  job: WatchedJob,
): WatchedFile {
  const state = clean(record.state);
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
    fault: faultOf(record),
  };
}

function faultOf({ error_class, error_message }: MediaFileRecord): string | null {
  const parts = [error_class, error_message].filter(
    (part) => part !== null && part !== undefined && part !== '',
  );
  return parts.length === 0 ? null : clean(parts.join(': '));
}

/** The greatest of what the encoders say, where every file that still has work to do says something. */
function toldEta(files: readonly WatchedFile[]): number | null {
  const open = files.filter((file) => !isFinal(file.state));
  const told = open.map((file) => file.etaMs).filter((eta) => eta !== null);
  return told.length === 0 || told.length < open.length ? null : Math.max(...told);
}

// Below one percent of headway the estimate would jump about.
const leastHeadwayPercent = 1;

function estimatedEta(mark: Mark | null, percent: number, nowMs: number): number | null {
  if (mark === null || percent - mark.percent < leastHeadwayPercent) return null;
  return ((nowMs - mark.atMs) * (100 - percent)) / (percent - mark.percent);
}
