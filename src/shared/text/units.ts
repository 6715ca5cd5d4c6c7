import { formatBytes } from './numbers.js';

/** Shown for an unknown value. */
export const unknownMark = '-';

/** An id for people. 0 means that the service sent no id, or one that is too large to be exact. */
export function humanId(id: number): string {
  return id === 0 ? unknownMark : String(id);
}

/** A size in bytes for people: `512 B`, `4.2 MB` (decimal units). */
export function humanSize(bytes: number | null): string {
  return bytes === null ? unknownMark : formatBytes(bytes);
}

/** A size and its share of another one: `1.2 MB (29%)`. */
export function sizeAndShare(bytes: number | null, ofBytes: number | null): string {
  const share =
    ofBytes === null || ofBytes === 0 || bytes === null ? '' : ` (${Math.round((bytes / ofBytes) * 100)}%)`;
  return `${humanSize(bytes)}${share}`;
}

/** A duration for people: `0.4s`, `12s`, `3m 05s`, `2h 07m`, `4d 3h`. */
export function humanDuration(seconds: number | null): string {
  if (seconds === null) return unknownMark;
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)}s`;
  const totalSeconds = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  if (totalSeconds < 60) return `${totalSeconds}s`;
  if (totalSeconds < 3600) return `${Math.floor(totalSeconds / 60)}m ${two(totalSeconds % 60)}s`;
  if (totalSeconds < 86_400)
    return `${Math.floor(totalSeconds / 3600)}h ${two(Math.floor((totalSeconds % 3600) / 60))}m`;
  return `${Math.floor(totalSeconds / 86_400)}d ${Math.floor((totalSeconds % 86_400) / 3600)}h`;
}

/** How long ago a time was, in one unit: `12s`, `5m`, `3h`, `8d`. */
export function humanAge(time: string, now: Date): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return unknownMark;
  const seconds = Math.max(0, Math.floor((now.getTime() - then) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** The time until a moment, in one unit, rounded down: `45 s`, `30 min`, `23 h`, `8 d`. */
export function humanUntil(time: string, now: Date): string {
  const age = humanAge(now.toISOString(), new Date(time));
  return age.replace(/[smhd]$/, (unit) => ` ${unit === 'm' ? 'min' : unit}`);
}

/** A time in UTC for people: `2026-03-01 14:05:09 UTC`. Invalid times stay unchanged. */
export function humanTime(time: string | null): string {
  if (time === null || time === '') return unknownMark;
  const then = new Date(time);
  return Number.isNaN(then.getTime()) ? time : `${then.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A pause of the queue: when it ends, in ISO 8601 or null, and whether running encodes are stopped as well. */
interface Paused {
  readonly until: string | null;
  readonly isFrozen: boolean;
  /** Whether nothing is paused, and the daemon is outside its hours. */
  readonly isOutsideHours?: boolean;
}

/** Says that the queue is paused: `the queue is paused until 2026-03-01 14:05:09 UTC`. */
export function pausedText({ until, isFrozen, isOutsideHours = false }: Paused): string {
  const what = isOutsideHours ? 'the daemon is outside its hours' : 'the queue is paused';
  return `${what}${isFrozen ? ' and its encodes are stopped' : ''}${until === null ? '' : ` until ${humanTime(until)}`}`;
}

/** The same, and what to do. */
export function pausedHint(pause: Paused): string {
  const command = pause.isOutsideHours === true ? 'venc resume --for 2h' : 'venc resume';
  return `${pausedText(pause)}; no further job starts (${command})`;
}

/** A percentage: `7%`, `42.5%`. */
export function humanPercent(percent: number): string {
  return `${Math.floor(percent * 10) / 10}%`;
}

/** A rate of data: `1.4 MB/s`. */
export function humanRate(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? unknownMark : `${humanSize(bytesPerSecond)}/s`;
}

/** Sizes before and after: `8.1 GB to 3.2 GB (40%)`. */
export function sizesText(before: number | null, after: number | null): string {
  return `${humanSize(before)} to ${sizeAndShare(after, before)}`;
}
