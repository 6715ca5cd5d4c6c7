/** Bounds of an exponential backoff, in milliseconds. */
export interface Backoff {
  /** The delay after the first failure. */
  readonly firstMs: number;
  /** The delay never exceeds this. */
  readonly maxMs: number;
}

/** The delay in milliseconds after the given number of consecutive failures, from 1: doubles with each one. */
export function backoffDelayMs(failures: number, { firstMs, maxMs }: Backoff): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}
