import type { JobRecord } from '../../shared/records.js';
import { displayWidth } from '../../shared/text/display-width.js';
import { safeText } from '../../shared/text/safe-text.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { humanDuration, humanPercent, sizesText } from '../../shared/text/units.js';

/** The progress of a batch at a moment. */
export interface BatchView {
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  /** 0-100, by seconds of film. */
  readonly percent: number;
  /** Seconds of film per second; null if unknown. */
  readonly speed: number | null;
  /** Null if unknown. */
  readonly secondsLeft: number | null;
}

/** The words about a batch, most important first: `12 of 35`, `2 failed`, `12m 05s left`, `4.7x`. */
function batchWords({ count, done, failed, speed, secondsLeft }: BatchView) {
  return {
    counts: [`${done} of ${count}`, ...(failed === 0 ? [] : [`${failed} failed`])],
    speed: speed === null ? [] : [`${speed < 9.95 ? speed.toFixed(1) : Math.round(speed)}x`],
    left: secondsLeft === null ? [] : [`${humanDuration(secondsLeft)} left`],
  };
}

/** The activity of a batch in plain lines: `12 of 35, 2 failed, 4.7x, 12m 05s left, film.mov`. */
export function batchActivity(batch: BatchView, name: string): string {
  const { counts, speed, left } = batchWords(batch);
  return [...counts, ...speed, ...left, ...(name === '' ? [] : [safeText(name)])].join(', ');
}

/**
 * The line of a batch on a terminal: `[####----]  45.2% 12 of 35, 2 failed, 4.7x, 12m 05s left, film.mov`. On narrow
 * terminals the name, a part of the bar, the speed, the bar and the time left go, in this order.
 */
export function batchLine(batch: BatchView, name: string, columns: number): string {
  const { counts, speed, left } = batchWords(batch);
  const percent = humanPercent(batch.percent).padStart(6);
  const all = [...counts, ...speed, ...left];
  const lines = [
    ...(name === '' ? [] : [lineOf(20, [...all, safeText(name)])]),
    ...[lineOf(20, all), lineOf(10, all), lineOf(10, [...counts, ...left])],
    ...[lineOf(0, [...counts, ...left]), lineOf(0, counts), lineOf(0, counts.slice(0, 1)), lineOf(0, [])],
  ];
  return lines.find((line) => displayWidth(line) <= columns) ?? '';

  function lineOf(barColumns: number, words: readonly string[]): string {
    const done = Math.floor((batch.percent / 100) * barColumns);
    const bar = barColumns === 0 ? [] : [`[${'#'.repeat(done)}${'-'.repeat(barColumns - done)}]`];
    return [...bar, percent, ...(words.length === 0 ? [] : [words.join(', ')])].join(' ');
  }
}

/** A file of a batch that failed, and why. */
export interface BatchFailure {
  /** The input as it was typed or found. */
  readonly name: string;
  /** One sentence, perhaps with its class. */
  readonly reason: string;
}

/** Why a file failed: the class and the message of its error; empty if neither is known. */
export function failureReason(
  failure: Readonly<Record<'error_class' | 'error_message', string | null>>,
): string {
  return [failure.error_class, failure.error_message].filter(Boolean).join(': ');
}

/** What a batch came to. */
export interface BatchResult {
  readonly count: number;
  readonly failures: readonly BatchFailure[];
  /** The records of the jobs that finished. */
  readonly finished: readonly JobRecord[];
  readonly seconds: number;
  /** The command that repeats only the failed files; null if there is none. */
  readonly repeat: readonly string[] | null;
}

/**
 * The end of a batch: `30 of 35, 5 failed, 8.1 GB to 3.2 GB (40%), 41m 10s`, then a line for each failed file, and the
 * command that repeats only these.
 */
export function batchSummary({ count, finished, failures, seconds, repeat }: BatchResult): string {
  const before = sumOf(finished.map((job) => job.input_media_file.file_size_bytes));
  const after = sumOf(
    finished.flatMap(({ output_media_files: outputs }) =>
      outputs.flatMap(({ state, file_size_bytes: size }) => (state === 'finished' ? [size] : [])),
    ),
  );
  const totals = [
    `${finished.length} of ${count}`,
    ...(failures.length === 0 ? [] : [`${failures.length} failed`]),
    ...(finished.length === 0 ? [] : [sizesText(before, after)]),
    humanDuration(seconds),
  ];
  const failed = failures.map(({ name, reason }) => `  ${safeText(name)}: ${safeText(reason)}`);
  const again = repeat === null ? [] : [`to repeat only these: ${safeText(shellLine(repeat))}`];
  return [totals.join(', '), ...failed, ...again].map((line) => `venc: ${line}\n`).join('');
}

/** The sum of sizes; null if one is unknown. */
export function sumOf(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}
