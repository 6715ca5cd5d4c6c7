import { humanDuration, humanRate, humanSize } from './units.js';

/** What is told of a transfer behind its bar: `12.0 MB of 40.0 MB, 3.2 MB/s, 9s left`. */
export type TransferText = (doneBytes: number, totalBytes: number | null) => string;

/** Milliseconds that a change of speed takes to be told for the most part. */
const smoothingMs = 3000;

/** Tells of one transfer from its first report on. `clock` goes forward, in milliseconds; nothing else is asked. */
export function transferText(clock: () => number): TransferText {
  let first: { readonly atMs: number; readonly bytes: number } | null = null;
  let last = { atMs: 0, bytes: 0 };
  let rate: number | null = null;
  return (doneBytes, totalBytes) => {
    const atMs = clock();
    // What was there before is no speed.
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
