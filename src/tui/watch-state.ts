import { type ExitCode, exitCodes } from '../api/exit-codes.js';
import { clean } from './clean.js';
import { keysFooter, pressKey } from './watch-keys.js';
import { newsOf } from './watch-news.js';
import type { LogLine, News, Order, Tone, WatchEvent, WatchedJob, WatchState } from './watch-types.js';
import { isOver, unknownJob, withEnd, withLoss, withNames, withProgress } from './watched-job.js';

// Enough for a tall terminal.
const longestLog = 50;

/** The screen before anything is known: the jobs named, or none yet where the service is to say which are active. */
export function startWatch(ids: readonly number[], nowMs: number): WatchState {
  return {
    jobs: [...new Set(ids)].map(unknownJob),
    isListing: ids.length === 0,
    selected: 0,
    isOpen: ids.length === 1,
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
    case 'listed':
      return { ...startWatch(event.ids, before.startedAtMs), nowMs, isListing: false, log: before.log };
    case 'progress':
      return changeJob(state, event.job.id, (job) => withProgress(job, event.job, nowMs));
    case 'details':
      return changeJob(state, event.job.id, (job) => withNames(job, event.job));
    case 'final':
      return changeJob(state, event.job.id, (job) => withEnd(job, event.job));
    case 'lost':
      return changeJob(state, event.id, (job) => withLoss(job, event.loss));
    case 'unreachable':
      if (state.unreachableSinceMs !== null) return state;
      return tell({ ...state, unreachableSinceMs: nowMs }, 'the service does not answer', 'bad');
    case 'back':
      if (state.unreachableSinceMs === null) return state;
      return tell({ ...state, unreachableSinceMs: null }, 'the service answers again', 'good');
    case 'key':
      return pressKey(state, event.key);
    case 'obeyed':
      return obey(state, event.order);
    case 'refused': {
      const text = clean(event.message);
      const told = tell(state, `job ${event.order.jobId}: ${event.order.verb} was refused: ${text}`, 'bad');
      return { ...told, footer: { kind: 'remark', text } };
    }
    case 'tick':
      return state;
  }
}

/** Whether the screen has nothing more to wait for: the person has left, or all jobs are over and nothing is asked. */
export function isDone(state: WatchState): boolean {
  if (state.hasLeft) return true;
  const isAsking = state.footer.kind === 'question' || state.footer.kind === 'sending';
  return !isAsking && isAllOver(state);
}

/** Whether every job is over. */
export function isAllOver(state: WatchState): boolean {
  return !state.isListing && state.jobs.every(isOver);
}

/**
 * What the command ends with: 130 where a job goes on, else the code of the first job that did not finish (1, or what
 * its loss says), else 0.
 */
export function exitCodeOf(state: WatchState): ExitCode {
  if (!isAllOver(state)) return exitCodes.interrupted;
  return state.jobs.map(codeOf).find((code) => code !== exitCodes.done) ?? exitCodes.done;
}

function codeOf(job: WatchedJob): ExitCode {
  if (job.loss !== null) return job.loss.exitCode;
  return job.state === 'finished' ? exitCodes.done : exitCodes.jobFailed;
}

/** The ids of the jobs that go on without the screen. */
export function openIds(state: WatchState): readonly number[] {
  return state.jobs.filter((job) => !isOver(job)).map((job) => job.id);
}

function changeJob(state: WatchState, id: number, change: (job: WatchedJob) => WatchedJob): WatchState {
  const before = state.jobs.find((job) => job.id === id);
  if (before === undefined) return state;
  const after = change(before);
  const jobs = state.jobs.map((job) => (job === before ? after : job));
  return { ...state, jobs, log: extend(state.log, newsOf(before, after, state.nowMs)) };
}

function obey(state: WatchState, order: Order): WatchState {
  const done = order.verb === 'cancel' ? 'cancel was accepted' : 'resubmit was accepted';
  const told = tell({ ...state, footer: keysFooter }, `job ${order.jobId}: ${done}`, 'plain');
  if (order.verb === 'cancel') return told;
  // Until the service tells more, the job is taken for waiting: else the screen could leave at once.
  return {
    ...told,
    jobs: told.jobs.map((job) =>
      job.id === order.jobId ? { ...unknownJob(job.id), names: job.names, state: 'waiting' } : job,
    ),
  };
}

function tell(state: WatchState, text: string, tone: Tone): WatchState {
  return { ...state, log: extend(state.log, [{ atMs: state.nowMs, text, tone }]) };
}

function extend(log: readonly LogLine[], news: readonly News[]): readonly LogLine[] {
  if (news.length === 0) return log;
  const next = (log.at(-1)?.serial ?? 0) + 1;
  return [...log, ...news.map((line, index) => ({ ...line, serial: next + index }))].slice(-longestLog);
}
