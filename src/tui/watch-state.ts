import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { addFoundJobs, removeEndedJobs } from './active-jobs.js';
import { appendEntries, logEntriesFor } from './log-entries.js';
import { keysFooter, pressKey } from './watch-keys.js';
import type { Command, Tone, WatchEvent, WatchedJob, WatchState } from './watch-types.js';
import {
  createUnknownJob,
  isOver,
  jobExitCode,
  sanitize,
  withEnd,
  withNames,
  withProgress,
  withUnavailable,
} from './watched-job.js';

/** The screen before anything is known: the jobs named, or none yet where the service is to say which are active. */
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
    startedAtMs: nowMs,
    nowMs,
    hasLeft: false,
  };
}

/** What the screen becomes by an event. Pure; `nowMs` is the time of the event. */
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
    case 'key':
      return pressKey(state, event.key);
    case 'obeyed':
      return commandAccepted(state, event.command);
    case 'refused': {
      const text = sanitize(event.message);
      const logged = appendLog(
        state,
        `job ${event.command.jobId}: ${event.command.verb} was refused: ${text}`,
        'bad',
      );
      return { ...logged, footer: { kind: 'remark', text } };
    }
    case 'tick':
      return state.watchesAllActive ? removeEndedJobs(state) : state;
  }
}

/**
 * Whether the screen has nothing more to wait for: the person has left, or all jobs are over and nothing is asked. Where every active
 * job is watched there is always another one to wait for.
 */
export function isDone(state: WatchState): boolean {
  if (state.hasLeft) return true;
  const isAsking = state.footer.kind === 'question' || state.footer.kind === 'sending';
  return !isAsking && !state.isHelp && !state.watchesAllActive && areAllJobsOver(state);
}

/** Whether every job is over. */
function areAllJobsOver(state: WatchState): boolean {
  return !state.isFindingJobs && state.jobs.every(isOver);
}

/**
 * What the command ends with: 130 where a job goes on, else the code of the first job that did not finish (1, or what
 * its loss says), else 0.
 */
export function watchExitCode(state: WatchState): ExitCode {
  if (!areAllJobsOver(state)) return exitCodes.interrupted;
  return (
    [state.removedExitCode, ...state.jobs.map(jobExitCode)].find((code) => code !== exitCodes.done) ??
    exitCodes.done
  );
}

/** The ids of the jobs that go on without the screen. */
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
  // Until the service tells more, the job is taken for waiting: else the screen could leave at once.
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
