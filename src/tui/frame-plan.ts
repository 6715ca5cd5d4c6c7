import { stateLines } from '../shared/state-texts.js';
import { detailCount } from './file-rows.js';
import { columnGap } from './fit-columns.js';
import { clock, pausedText, timeOfDay } from './format.js';
import { selectedJob, shownJobs } from './shown-jobs.js';
import type { StyledText } from './tones.js';
import type { Command, Tone, WatchState } from './watch-types.js';
import { endWord } from './watched-job.js';

/** The terminal that a frame is drawn for. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of a state that fits on the screen. */
interface FramePlan {
  /** The number of rows of each part. */
  readonly rows: RowAllocation;
  /** The index of the first job shown, and of the first one after them. */
  readonly from: number;
  readonly to: number;
}

/** The first and the last line of the frame, and the line below it, where the cursor is. */
const otherRows = 3;

/** Distributes the rows of a terminal among the parts of a state. */
export function planFrame(state: WatchState, size: FrameSize): FramePlan {
  const { length } = shownJobs(state);
  const opened = state.isOpen ? selectedJob(state) : undefined;
  const rows = allocateRows(size.rows - otherRows, {
    jobs: length,
    details: opened === undefined ? 0 : detailCount(opened),
    log: state.log.length,
  });
  return { rows, ...windowAround(state.selected, length, rows.jobs) };
}

/** The number of rows for each part of the screen. */
export interface RowAllocation {
  readonly jobs: number;
  readonly details: number;
  readonly log: number;
}

// The log shows the latest lines, at least three of them before the details use the remaining rows.
const maxLogRows = 6;
const minLogRows = 3;
const minJobRows = 3;

/**
 * Distributes `rows` among the parts between the first and the last line, with a row for the gap above the log. The sum
 * never exceeds `rows`, because a frame that is taller than the terminal cannot be redrawn in place.
 */
export function allocateRows(rows: number, requested: RowAllocation): RowAllocation {
  const available = Math.max(1, rows);
  const keptForLog = available >= 12 ? Math.min(requested.log, minLogRows) + 1 : 0;
  const keptForJobs = Math.min(requested.jobs, minJobRows, available);
  const details = Math.min(requested.details, Math.max(0, available - keptForLog - keptForJobs));
  const jobs = Math.min(
    requested.jobs,
    available - details - Math.min(keptForLog, available - details - keptForJobs),
  );
  const log = Math.min(requested.log, maxLogRows, Math.max(0, available - details - jobs - 1));
  return { jobs, details, log };
}

/** The range of a list to show, which includes the selected row: `from`, and `to` (exclusive). */
export function windowAround(
  selected: number,
  length: number,
  available: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.min(selected - Math.floor(available / 2), length - available));
  return { from, to: Math.min(length, from + available) };
}

/** The lines around the table: the first is above it, the others are below. The last frame has no key hints. */
export function surroundingLinesOf(
  state: WatchState,
  size: FrameSize,
  isLast: boolean,
): readonly StyledText[] {
  const footer = footerText(state, size.columns);
  if (state.isHelp && !isLast) {
    const lines = helpLines(size.rows - otherRows);
    return [{ text: 'Keys', tone: 'plain', isBold: true }, ...lines, footer];
  }
  const { rows, from, to } = planFrame(state, size);
  const { text, tone } = headerText(state);
  const part = to - from < shownJobs(state).length ? ` · ${from + 1}-${to} shown` : '';
  const entries = state.log.slice(Math.max(0, state.log.length - rows.log));
  return [
    { text: text + part, tone, isBold: true },
    ...(rows.log > 0 ? [{ text: logRule(size.columns), tone: 'quiet' } as const] : []),
    ...entries.map((line) => ({ text: `${timeOfDay(line.atMs)} ${line.text}`, tone: line.tone })),
    ...(isLast ? [] : [footer]),
  ];
}

/** The line above the log, with the time zone of all lines below. */
function logRule(columns: number): string {
  return `── UTC ${'─'.repeat(columns)}`.slice(0, columns);
}

function plain(text: string): StyledText {
  return { text, tone: 'plain' };
}

/** The first line of the screen: the number of jobs in each state, and the time since the start. */
function headerText(state: WatchState): { readonly text: string; readonly tone: Tone } {
  if (state.unreachableSinceMs !== null) {
    const since = clock(state.nowMs - state.unreachableSinceMs);
    return { text: `The service has not answered for ${since}, trying again ...`, tone: 'bad' };
  }
  if (state.isFindingJobs) return { text: 'Asking which jobs are active ...', tone: 'quiet' };
  const counts = countsOf(state);
  const total = counts.reduce((sum, [, count]) => sum + count, 0) + unknownCount(state);
  if (total === 0) {
    const text = state.watchesAllActive ? 'No job is active. New ones appear here.' : 'No job is active.';
    const paused = state.pause === null ? '' : ` · ${pausedText(state.pause)}`;
    return { text: text + paused, tone: 'plain' };
  }
  const parts = [
    ...(state.showsOnlyFailed ? ['only failed'] : []),
    `${total} ${total === 1 ? 'job' : 'jobs'}`,
    counts.map(([word, count]) => `${count} ${word}`).join(', '),
    ...(state.pause === null ? [] : [pausedText(state.pause)]),
    clock(state.nowMs - state.startedAtMs),
  ];
  return { text: parts.filter((part) => part !== '').join(' · '), tone: 'plain' };
}

function unknownCount({ jobs }: WatchState): number {
  return jobs.filter((job) => endWord(job) === '').length;
}

/** The states in which jobs end, in the order of the first line: those that matter most are not cut off. */
const endWords = ['failed', 'lost', 'cancelled', 'finished'] as const;

/**
 * The number of jobs in each state, of all jobs since the screen began: first those that have not ended, in the order
 * of the table.
 */
function countsOf({ jobs, removed }: WatchState): readonly (readonly [word: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const word of [...jobs.map(endWord), ...removed.unfinished.values()])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  counts.set('finished', (counts.get('finished') ?? 0) + removed.finishedCount);
  const ends = endWords.map((word) => [word, counts.get(word) ?? 0] as const);
  const others = [...counts].filter(([word]) => word !== '' && !endWords.some((end) => end === word));
  return [...others, ...ends].filter(([, count]) => count > 0);
}

/** The help of at most `rows` lines: the keys, and below them the states if they fit. */
function helpLines(rows: number): readonly StyledText[] {
  const states = stateLines().map(plain);
  const all = [...keyLines.map(plain), { text: 'States', tone: 'plain', isBold: true } as const, ...states];
  return all.slice(0, Math.max(1, rows));
}

/** The help for the keys, most important first. */
const keyLines = [
  'Up Down  j k  select a job',
  'PgUp PgDn     move by ten',
  'Home End      first job, last job',
  'enter         show or hide the files of a job',
  'c             cancel the job (asks y/n)',
  'r             resubmit the job (asks y/n)',
  'f             show only failed jobs, or all again',
  'd             dismiss the job, if it has ended',
  '?             show or hide this help',
  'Ctrl-Z        suspend; fg resumes',
  'q  Ctrl-C     leave; the jobs keep running',
] as const;

const onlyFailedHint = 'f only failed';
// Most important first: a narrow terminal shows only the first ones.
const hints = [
  'q quit',
  '? help',
  'c cancel',
  'r resubmit',
  'enter details',
  onlyFailedHint,
  'd dismiss',
  '↑↓ move',
] as const;
const separator = ' '.repeat(columnGap + 1);

/** The last line of the screen, for a terminal of `width` cells. */
function footerText(state: WatchState, width: number): { readonly text: string; readonly tone: Tone } {
  const { footer } = state;
  if (state.isHelp) return { text: '? back  q quit', tone: 'quiet' };
  switch (footer.kind) {
    case 'question':
      return { text: `${verbs[footer.command.verb].ask} job ${footer.command.jobId}? y/n`, tone: 'busy' };
    case 'sending':
      return { text: `${verbs[footer.command.verb].doing} job ${footer.command.jobId} ...`, tone: 'quiet' };
    case 'message':
      return { text: footer.text, tone: 'bad' };
    case 'keys':
      return { text: fittingHints(state, width), tone: 'quiet' };
  }
}

const verbs = {
  cancel: { ask: 'Cancel', doing: 'Cancelling' },
  resubmit: { ask: 'Resubmit', doing: 'Resubmitting' },
} as const satisfies Record<Command['verb'], { readonly ask: string; readonly doing: string }>;

function fittingHints({ showsOnlyFailed }: WatchState, width: number): string {
  let shown: readonly string[] = showsOnlyFailed
    ? ['f all jobs', ...hints.filter((hint) => hint !== onlyFailedHint)]
    : hints;
  while (shown.length > 1 && shown.join(separator).length > width) shown = shown.slice(0, -1);
  return shown.join(separator);
}
