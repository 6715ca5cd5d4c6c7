import { humanDuration, humanRate, humanSize } from './units.js';

/** Formats the activity of a transfer: `12.0 MB of 40.0 MB, 3.2 MB/s, 9s left`. */
type TransferText = (doneBytes: number, totalBytes: number | null) => string;

/** Time constant of the smoothing of the rate, in milliseconds. */
const smoothingMs = 3000;

/** Creates the formatter for one transfer. `clock` is a monotonic clock in milliseconds. */
export function transferText(clock: () => number): TransferText {
  let first: { readonly atMs: number; readonly bytes: number } | null = null;
  let last = { atMs: 0, bytes: 0 };
  let rate: number | null = null;
  return (doneBytes, totalBytes) => {
    const atMs = clock();
    // Bytes from an earlier run do not count towards the rate.
    first ??= { atMs, bytes: doneBytes };
    const elapsedMs = atMs - last.atMs;
    if (atMs > first.atMs && elapsedMs >= 100) {
      const now = Math.max(0, ((doneBytes - Math.max(last.bytes, first.bytes)) / elapsedMs) * 1000);
      const weight = rate === null ? 1 : 1 - Math.exp(-elapsedMs / smoothingMs);
      rate = (rate ?? 0) + weight * (now - (rate ?? 0));
      last = { atMs, bytes: doneBytes };
    } else if (atMs === first.atMs) {
      last = { atMs, bytes: doneBytes };
    }
    const size =
      totalBytes === null ? humanSize(doneBytes) : `${humanSize(doneBytes)} of ${humanSize(totalBytes)}`;
    if (rate === null || rate <= 0) return size;
    const hasRemaining = totalBytes !== null && doneBytes < totalBytes;
    const left = hasRemaining ? `, ${humanDuration((totalBytes - doneBytes) / rate)} left` : '';
    return `${size}, ${humanRate(rate)}${left}`;
  };
}
