import type { JobRecord } from '../../shared/records.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanDuration, humanSize } from './units.js';

/** An encode that has ended, and its measurements. */
export interface FinishedEncode {
  readonly job: JobRecord;
  /** Path or URL of each output, in order. */
  readonly destinations: readonly string[];
  /** Start time in milliseconds, on the clock of the times of the job. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** A line for each finished output: `film.mp4: 4.1 MB to 1.2 MB (29%), took 5.1s (5.9x)`. */
export function encodedText({ job, destinations, startedAtMs, endedAtMs }: FinishedEncode): string {
  const inputBytes = job.input_media_file.file_size_bytes;
  return job.output_media_files
    .flatMap((output, index) => {
      if (output.state !== 'finished') return [];
      const until = Date.parse(output.finished_at ?? '');
      const seconds = Math.max(0, (Number.isNaN(until) ? endedAtMs : until) - startedAtMs) / 1000;
      const speed = output.duration_in_ms === null ? null : output.duration_in_ms / 1000 / seconds;
      const speedLabel = `${sizesText(inputBytes, output.file_size_bytes)}, took ${humanDuration(seconds)}${speedText(speed)}`;
      return [`venc: ${safeText(destinations[index] ?? '')}: ${speedLabel}\n`];
    })
    .join('');
}

/** The total of several inputs: `3 of 4 files encoded, 12 MB to 3.6 MB (30%), took 15s`. */
export function encodedTotalText(encodes: readonly FinishedEncode[], count: number, seconds: number): string {
  const done = encodes.filter(({ job }) => job.state === 'finished');
  const made = done.flatMap(({ job }) => job.output_media_files.map((one) => one.file_size_bytes));
  const sizes = sizesText(sumOf(done.map(({ job }) => job.input_media_file.file_size_bytes)), sumOf(made));
  const speedLabel = done.length === 0 ? '' : `, ${sizes}`;
  return `venc: ${done.length} of ${count} files encoded${speedLabel}, took ${humanDuration(seconds)}\n`;
}

function sumOf(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}

function sizesText(before: number | null, after: number | null): string {
  const ratio =
    before === null || before === 0 || after === null ? '' : ` (${Math.round((after / before) * 100)}%)`;
  return `${humanSize(before)} to ${humanSize(after)}${ratio}`;
}

function speedText(speed: number | null): string {
  if (speed === null || !Number.isFinite(speed)) return '';
  return ` (${speed < 9.95 ? speed.toFixed(1) : Math.round(speed)}x)`;
}
