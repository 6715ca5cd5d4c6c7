import { exitCodes } from '../shared/exit-codes.js';
import type { JobRecord } from '../shared/records.js';
import { appendEntries } from './log-entries.js';
import type { LogEntry, WatchedJob, WatchState } from './watch-types.js';
import { fromListRecord, jobExitCode } from './watched-job.js';

/** How long an ended job stays on the screen if all active jobs are watched. */
const endedJobDisplayMs = 20_000;

/** Adds jobs that were found active. A known job that had ended was resubmitted, so it is replaced. */
export function addFoundJobs(state: WatchState, records: readonly JobRecord[]): WatchState {
  const found = records.map(fromListRecord);
  const isNew = (job: WatchedJob): boolean => !state.jobs.some(({ id }) => id === job.id);
  const known = state.jobs.map((job) => found.find(({ id }) => id === job.id) ?? job);
  const jobs = [...known, ...found.filter(isNew)].sort((a, b) => a.id - b.id);
  const entries = state.isFindingJobs ? [] : found.map((job) => newJobEntry(job, state.nowMs));
  const log = appendEntries(state.log, entries);
  return { ...select({ ...state, jobs }, state.jobs[state.selected]), isFindingJobs: false, log };
}

function newJobEntry(job: WatchedJob, atMs: number): LogEntry {
  const input = job.files.find(({ kind }) => kind === 'input');
  const name = input === undefined ? undefined : job.names.get(input.id);
  const text = [`job ${job.id}: new`, name, job.state].filter((part) => part !== undefined).join(', ');
  return { atMs, text, tone: 'plain' };
}

/** Removes jobs that ended a while ago, except the one that is open or has a pending command. */
export function removeEndedJobs(state: WatchState): WatchState {
  const { footer, nowMs, selected, isOpen } = state;
  const commandJobId = footer.kind === 'question' || footer.kind === 'sending' ? footer.command.jobId : null;
  const isRemovable = (job: WatchedJob, index: number): boolean =>
    job.endedAtMs !== null &&
    nowMs - job.endedAtMs >= endedJobDisplayMs &&
    job.id !== commandJobId &&
    !(isOpen && index === selected);
  const removed = state.jobs.filter(isRemovable);
  if (removed.length === 0) return state;
  const codes = [state.removedExitCode, ...removed.map(jobExitCode)];
  const removedExitCode = codes.find((code) => code !== exitCodes.done) ?? exitCodes.done;
  const jobs = state.jobs.filter((job) => !removed.includes(job));
  return select({ ...state, jobs, removedExitCode }, state.jobs[selected]);
}

/** Selects the same job in another list, or the one at its position if it is gone. */
function select(state: WatchState, job: WatchedJob | undefined): WatchState {
  const index = job === undefined ? -1 : state.jobs.findIndex(({ id }) => id === job.id);
  const last = Math.max(0, state.jobs.length - 1);
  return { ...state, selected: index === -1 ? Math.min(state.selected, last) : index };
}
