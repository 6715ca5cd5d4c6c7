import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { pausedText } from './format.js';
import { selectedJob, shownJobs } from './shown-jobs.js';
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
  endWord,
  fileTitle,
  fromListRecord,
  isFailed,
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
    removed: { finishedCount: 0, unfinished: new Map(), exitCode: exitCodes.done },
    showsOnlyFailed: false,
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
      return event.key === 'dismiss' ? dismiss(state) : pressKey(state, event.key);
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
      return state.watchesAllActive ? settleEndedJobs(state) : state;
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
    [state.removed.exitCode, ...state.jobs.map(jobExitCode)].find((code) => code !== exitCodes.done) ??
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
  const changed = change(before);
  const after = { ...changed, endedAtMs: isOver(changed) ? (before.endedAtMs ?? state.nowMs) : null };
  const jobs = state.jobs.map((job) => (job === before ? after : job));
  const log = appendEntries(state.log, logEntriesFor(before, after, state.nowMs));
  const next = { ...state, jobs, log };
  // The selection is an index of the jobs that are shown.
  return state.showsOnlyFailed && isFailed(before) !== isFailed(after)
    ? select(next, selectedJob(state)?.id)
    : next;
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

/** Adds jobs that were found. A known job that had ended was resubmitted, so it is replaced. */
function addFoundJobs(state: WatchState, records: readonly JobRecord[]): WatchState {
  const found = records.map(fromListRecord);
  const isNew = (job: WatchedJob): boolean => !state.jobs.some(({ id }) => id === job.id);
  const known = state.jobs.map((job) => found.find(({ id }) => id === job.id) ?? job);
  const jobs = inOrder([...known, ...found.filter(isNew)]);
  const isAgain = found.some(({ id }) => state.removed.unfinished.has(id));
  const unfinished = isAgain
    ? new Map([...state.removed.unfinished].filter(([id]) => !found.some((job) => job.id === id)))
    : state.removed.unfinished;
  const entries = state.isFindingJobs ? [] : found.map((job) => newJobEntry(job, state.nowMs));
  const next = { ...state, jobs, removed: { ...state.removed, unfinished }, isFindingJobs: false };
  return { ...select(next, selectedJob(state)?.id), log: appendEntries(state.log, entries) };
}

/** Jobs by their ids, those that ended a while ago last, so that they do not push the others from the screen. */
function inOrder(jobs: readonly WatchedJob[]): readonly WatchedJob[] {
  return jobs.toSorted((a, b) => Number(a.isSettled) - Number(b.isSettled) || a.id - b.id);
}

function newJobEntry(job: WatchedJob, atMs: number): LogEntry {
  const input = job.files.find(({ kind }) => kind === 'input');
  const name = input === undefined ? undefined : job.names.get(input.id);
  const text = [`job ${job.id}: new`, name, job.state].filter((part) => part !== undefined).join(', ');
  return { atMs, text, tone: 'plain' };
}

/**
 * Removes jobs that ended a while ago, except the open one and one with a pending command. Failed ones stay, below the
 * others.
 */
function settleEndedJobs(state: WatchState): WatchState {
  const { footer, nowMs, isOpen } = state;
  const selected = selectedJob(state);
  const commandJobId = footer.kind === 'question' || footer.kind === 'sending' ? footer.command.jobId : null;
  const isDue = (job: WatchedJob): boolean =>
    !job.isSettled &&
    job.endedAtMs !== null &&
    nowMs - job.endedAtMs >= endedJobDisplayMs &&
    job.id !== commandJobId &&
    !(isOpen && job === selected);
  const due = new Set(state.jobs.filter(isDue));
  if (due.size === 0) return state;
  const removed = [...due].filter((job) => !isFailed(job));
  const jobs = state.jobs.map((job) => (due.has(job) ? { ...job, isSettled: true } : job));
  return remove(select({ ...state, jobs: inOrder(jobs) }, selected?.id), removed);
}

/** Removes jobs that have ended. They stay in the totals. */
function remove(state: WatchState, gone: readonly WatchedJob[]): WatchState {
  if (gone.length === 0) return state;
  const ids = new Set(gone.map(({ id }) => id));
  const unfinished = gone.flatMap((job) =>
    job.state === 'finished' ? [] : [[job.id, endWord(job)] as const],
  );
  const codes = [state.removed.exitCode, ...gone.map(jobExitCode)];
  const removed = {
    finishedCount: state.removed.finishedCount + gone.length - unfinished.length,
    unfinished: new Map([...state.removed.unfinished, ...unfinished]),
    exitCode: codes.find((code) => code !== exitCodes.done) ?? exitCodes.done,
  };
  const jobs = state.jobs.filter(({ id }) => !ids.has(id));
  return select({ ...state, jobs, removed }, selectedJob(state)?.id);
}

/** Removes the selected job from the screen if it has ended. */
function dismiss(state: WatchState): WatchState {
  const job = selectedJob(state);
  if (job === undefined || state.isHelp || state.footer.kind === 'question') return state;
  if (isOver(job)) return remove({ ...state, footer: keysFooter, isOpen: false }, [job]);
  return {
    ...state,
    footer: { kind: 'message', text: `Job ${job.id} has not ended: only ended jobs can be dismissed.` },
  };
}

/** Selects the job with an id, or the one at its position if it is not shown. */
function select(state: WatchState, id: number | undefined): WatchState {
  const shown = shownJobs(state);
  const index = id === undefined ? -1 : shown.findIndex((job) => job.id === id);
  const last = Math.max(0, shown.length - 1);
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
