import type { QueuePause } from '../client/job-progress.js';

/** A duration as on a clock: `0:07`, `12:30`, `1:02:03`. Fractions of a second are dropped. */
export function clock(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The time of day in UTC, like all times in venc: `09:05:00`. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** Whole percent, rounded down so that 100% means complete. */
export function percentText(percent: number): string {
  return `${Math.floor(percent)}%`;
}

/** Multiple of real time: `0.42x`, `3.1x`, `58x`. */
export function speedText(speed: number): string {
  return `${speed.toFixed(speed < 1 ? 2 : speed < 10 ? 1 : 0)}x`;
}

/** Frames per second: `24 fps`. */
export function fpsText(fps: number): string {
  return `${fps.toFixed(fps < 10 ? 1 : 0)} fps`;
}

/** Bytes: `0 B`, `512 kB`, `12.3 MB`, `1.20 GB`. */
export function sizeText(bytes: number): string {
  const unit = units.find(({ size }) => bytes >= size) ?? { size: 1, name: 'B', digits: 0 };
  return `${(bytes / unit.size).toFixed(unit.digits)} ${unit.name}`;
}

const units = [
  { size: 1e12, name: 'TB', digits: 2 },
  { size: 1e9, name: 'GB', digits: 2 },
  { size: 1e6, name: 'MB', digits: 1 },
  { size: 1e3, name: 'kB', digits: 0 },
] as const;

/** Characters that fill a cell from the left by eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar of `width` cells, filled to an eighth of a cell for `percent`. Readable without colours. */
export function bar(percent: number, width: number): string {
  const filled = Math.floor((Math.min(100, Math.max(0, percent)) / 100) * width * 8);
  const full = '█'.repeat(Math.floor(filled / 8)) + (eighths[filled % 8] ?? '');
  return full.padEnd(width, '░');
}

/** Says that the queue is paused: `queue paused until 14:05:09`, or `queue frozen` if encodes are stopped. */
export function pausedText({ until, isFrozen, isOutsideHours }: QueuePause): string {
  return `${isOutsideHours ? 'outside hours' : `queue ${isFrozen ? 'frozen' : 'paused'}`}${until === null ? '' : ` until ${timeOfDay(Date.parse(until))}`}`;
}
