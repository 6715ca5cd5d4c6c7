import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { clean } from './clean.js';
import { letGo, takeIn } from './live-list.js';
import { newsOf } from './log-entries.js';
import { keysFooter, pressKey } from './watch-keys.js';
import { extend } from './watch-log.js';
import type { Order, Tone, WatchEvent, WatchedJob, WatchState } from './watch-types.js';
import { codeOf, isOver, unknownJob, withEnd, withLoss, withNames, withProgress } from './watched-job.js';

/** The screen before anything is known: the jobs named, or none yet where the service is to say which are active. */
export function startWatch(ids: readonly number[], nowMs: number): WatchState {
  return {
    jobs: [...new Set(ids)].map(unknownJob),
    isLive: ids.length === 0,
    isListing: ids.length === 0,
    leftCode: exitCodes.done,
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
      return takeIn(state, event.jobs);
    case 'progress':
      return changeJob(state, event.job.id, (job) => withProgress(job, event.job));
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
      return state.isLive ? letGo(state) : state;
  }
}

/**
 * Whether the screen has nothing more to wait for: the person has left, or all jobs are over and nothing is asked. Where every active
 * job is watched there is always another one to wait for.
 */
export function isDone(state: WatchState): boolean {
  if (state.hasLeft) return true;
  const isAsking = state.footer.kind === 'question' || state.footer.kind === 'sending';
  return !isAsking && !state.isHelp && !state.isLive && isAllOver(state);
}

/** Whether every job is over. */
function isAllOver(state: WatchState): boolean {
  return !state.isListing && state.jobs.every(isOver);
}

/**
 * What the command ends with: 130 where a job goes on, else the code of the first job that did not finish (1, or what
 * its loss says), else 0.
 */
export function exitCodeOf(state: WatchState): ExitCode {
  if (!isAllOver(state)) return exitCodes.interrupted;
  return (
    [state.leftCode, ...state.jobs.map(codeOf)].find((code) => code !== exitCodes.done) ?? exitCodes.done
  );
}

/** The ids of the jobs that go on without the screen. */
export function openIds(state: WatchState): readonly number[] {
  return state.jobs.filter((job) => !isOver(job)).map((job) => job.id);
}

function changeJob(state: WatchState, id: number, change: (job: WatchedJob) => WatchedJob): WatchState {
  const before = state.jobs.find((job) => job.id === id);
  if (before === undefined) return state;
  const after = change(before);
  const endedAtMs = isOver(after) ? (before.endedAtMs ?? state.nowMs) : null;
  const jobs = state.jobs.map((job) => (job === before ? { ...after, endedAtMs } : job));
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
      job.id === order.jobId
        ? { ...unknownJob(job.id), names: job.names, state: 'waiting', shownState: 'waiting' }
        : job,
    ),
  };
}

function tell(state: WatchState, text: string, tone: Tone): WatchState {
  return { ...state, log: extend(state.log, [{ atMs: state.nowMs, text, tone }]) };
}
