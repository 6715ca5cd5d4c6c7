import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { pausedText } from './format.js';
import { toneOf } from './tones.js';
import { keysFooter, pressKey } from './watch-keys.js';
import type {
  Command,
  LogEntry,
  LogLine,
  Tone,
  WatchEvent,
  WatchedFile,
  WatchedJob,
  WatchState,
} from './watch-types.js';
import {
  createUnknownJob,
  fileTitle,
  fromListRecord,
  isOver,
  jobExitCode,
  sanitize,
  withEnd,
  withNames,
  withProgress,
  withUnavailable,
} from './watched-job.js';

/** The initial state: the named jobs, or none if all active jobs are watched. */
export function startWatch(ids: readonly number[], nowMs: number): WatchState {
  return {
    jobs: [...new Set(ids)].map(createUnknownJob),
    watchesAllActive: ids.length === 0,
    isFindingJobs: ids.length === 0,
    removedExitCode: exitCodes.done,
    selected: 0,
    isOpen: ids.length === 1,
    isHelp: false,
    footer: keysFooter,
    log: [],
    unreachableSinceMs: null,
    pause: null,
    startedAtMs: nowMs,
    nowMs,
    hasLeft: false,
  };
}

/** Applies an event to the state. Pure; `nowMs` is the time of the event. */
export function reduceWatch(before: WatchState, event: WatchEvent, nowMs: number): WatchState {
  const state = { ...before, nowMs };
  switch (event.type) {
    case 'found':
      return addFoundJobs(state, event.jobs);
    case 'progress':
      return changeJob(state, event.job.id, (job) => withProgress(job, event.job));
    case 'details':
      return changeJob(state, event.job.id, (job) => withNames(job, event.job));
    case 'final':
      return changeJob(state, event.job.id, (job) => withEnd(job, event.job));
    case 'lost':
      return changeJob(state, event.id, (job) => withUnavailable(job, event.unavailable));
    case 'unreachable':
      if (state.unreachableSinceMs !== null) return state;
      return appendLog({ ...state, unreachableSinceMs: nowMs }, 'the service does not answer', 'bad');
    case 'back':
      if (state.unreachableSinceMs === null) return state;
      return appendLog({ ...state, unreachableSinceMs: null }, 'the service answers again', 'good');
    case 'queue': {
      const { pause } = event;
      return appendLog(
        { ...state, pause },
        pause === null ? 'the queue is resumed' : pausedText(pause),
        'quiet',
      );
    }
    case 'key':
      return pressKey(state, event.key);
    case 'accepted':
      return commandAccepted(state, event.command);
    case 'rejected': {
      const text = sanitize(event.message);
      const logged = appendLog(
        state,
        `job ${event.command.jobId}: ${event.command.verb} was rejected: ${text}`,
        'bad',
      );
      return { ...logged, footer: { kind: 'message', text } };
    }
    case 'tick':
      return state.watchesAllActive ? removeEndedJobs(state) : state;
  }
}

/**
 * Whether the screen can end: the user has left, or all jobs have ended and no question is open. With all active jobs
 * it ends only when the user leaves.
 */
export function isDone(state: WatchState): boolean {
  if (state.hasLeft) return true;
  const isAsking = state.footer.kind === 'question' || state.footer.kind === 'sending';
  return !isAsking && !state.isHelp && !state.watchesAllActive && areAllJobsOver(state);
}

/** Whether every job has ended. */
function areAllJobsOver(state: WatchState): boolean {
  return !state.isFindingJobs && state.jobs.every(isOver);
}

/** The exit code of the command: 130 if a job has not ended, else that of the first job that did not finish, else 0. */
export function watchExitCode(state: WatchState): ExitCode {
  if (!areAllJobsOver(state)) return exitCodes.interrupted;
  return (
    [state.removedExitCode, ...state.jobs.map(jobExitCode)].find((code) => code !== exitCodes.done) ??
    exitCodes.done
  );
}

/** The ids of the jobs that have not ended. */
export function unfinishedIds(state: WatchState): readonly number[] {
  return state.jobs.filter((job) => !isOver(job)).map((job) => job.id);
}

function changeJob(state: WatchState, id: number, change: (job: WatchedJob) => WatchedJob): WatchState {
  const before = state.jobs.find((job) => job.id === id);
  if (before === undefined) return state;
  const after = change(before);
  const endedAtMs = isOver(after) ? (before.endedAtMs ?? state.nowMs) : null;
  const jobs = state.jobs.map((job) => (job === before ? { ...after, endedAtMs } : job));
  return { ...state, jobs, log: appendEntries(state.log, logEntriesFor(before, after, state.nowMs)) };
}

function commandAccepted(state: WatchState, command: Command): WatchState {
  const done = command.verb === 'cancel' ? 'cancel was accepted' : 'resubmit was accepted';
  const logged = appendLog({ ...state, footer: keysFooter }, `job ${command.jobId}: ${done}`, 'plain');
  if (command.verb === 'cancel') return logged;
  // Show the job as waiting until the service reports its state; otherwise the screen could end immediately.
  return {
    ...logged,
    jobs: logged.jobs.map((job) =>
      job.id === command.jobId
        ? { ...createUnknownJob(job.id), names: job.names, state: 'waiting', displayState: 'waiting' }
        : job,
    ),
  };
}

function appendLog(state: WatchState, text: string, tone: Tone): WatchState {
  return { ...state, log: appendEntries(state.log, [{ atMs: state.nowMs, text, tone }]) };
}

/** Milliseconds for which an ended job stays on the screen if all active jobs are watched. */
const endedJobDisplayMs = 20_000;

/** Adds newly active jobs. A known job that had ended was resubmitted, so it is replaced. */
function addFoundJobs(state: WatchState, records: readonly JobRecord[]): WatchState {
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

/** Removes jobs that ended a while ago, except the open one and one with a pending command. */
function removeEndedJobs(state: WatchState): WatchState {
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

/** Selects the same job in a changed list, or the one at its position if it is gone. */
function select(state: WatchState, job: WatchedJob | undefined): WatchState {
  const index = job === undefined ? -1 : state.jobs.findIndex(({ id }) => id === job.id);
  const last = Math.max(0, state.jobs.length - 1);
  return { ...state, selected: index === -1 ? Math.min(state.selected, last) : index };
}

/** The log entries for the change of a job between two updates. */
function logEntriesFor(before: WatchedJob, after: WatchedJob, atMs: number): readonly LogEntry[] {
  const toEntry = (text: string, tone: Tone): LogEntry => ({ atMs, text: `job ${after.id}: ${text}`, tone });
  if (after.unavailable !== null)
    return before.unavailable === null ? [toEntry(after.unavailable.message, 'bad')] : [];
  const ofFiles =
    before.files.length === 0 ? [] : after.files.flatMap((file) => fileEntries(before, after, file));
  const ofJob = before.state === after.state ? [] : [jobEntry(after)];
  return [...ofFiles, ...ofJob].map(([text, tone]) => toEntry(text, tone));
}

type TextAndTone = readonly [text: string, tone: Tone];

function jobEntry(job: WatchedJob): TextAndTone {
  const failedFile = job.files.find((file) => file.failure !== null);
  const reason = failedFile === undefined ? '' : `, ${fileTitle(job, failedFile)}: ${failedFile.failure}`;
  return [`${job.state ?? 'unknown'}${reason}`, toneOf(job.state)];
}

function fileEntries(before: WatchedJob, after: WatchedJob, file: WatchedFile): readonly TextAndTone[] {
  const known = before.files.find((one) => one.id === file.id);
  if (known?.state !== file.state && isFinal(file.state))
    return [[`${fileTitle(after, file)} ${file.state}`, toneOf(file.state)]];
  if (file.event !== null && known?.event !== file.event)
    return [[`${fileTitle(after, file)} ${file.event}`, 'plain']];
  return [];
}

// More lines than a tall terminal has.
const maxLogLines = 50;

/** Appends entries to the log and drops the oldest lines beyond the limit. */
function appendEntries(log: readonly LogLine[], entries: readonly LogEntry[]): readonly LogLine[] {
  if (entries.length === 0) return log;
  const next = (log.at(-1)?.serial ?? 0) + 1;
  return [...log, ...entries.map((line, index) => ({ ...line, serial: next + index }))].slice(-maxLogLines);
}
