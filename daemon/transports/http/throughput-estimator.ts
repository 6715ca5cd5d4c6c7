/** How fast a connection is lately. */
export interface ThroughputEstimator {
  /** Bytes have come. */
  record(bytes: number): void;
  /** Bytes a second over the last second or two, silence included; null in its first moments, and for a second where none have come. */
  bytesPerSecond(): number | null;
}

const windowMs = 1_000;
/** Sooner than this, nothing is known; until the first byte, which a server may be slow to find, sooner than a whole window. */
const minSampleMs = 100;

/** Begins to watch. `clock` only goes forward, in milliseconds. */
export function createThroughputEstimator(
  clock: () => number = () => performance.now(),
): ThroughputEstimator {
  let window = { at: clock(), bytes: 0 };
  let previousWindow = window;
  return {
    record(bytes) {
      const now = clock();
      if (now - window.at >= windowMs) {
        previousWindow = window;
        window = { at: now, bytes: 0 };
      }
      window.bytes += bytes;
    },
    bytesPerSecond() {
      const ms = clock() - previousWindow.at;
      const hasReceived = previousWindow.bytes + window.bytes > 0;
      if (ms < (hasReceived || previousWindow !== window ? minSampleMs : windowMs)) return null;
      return ((previousWindow === window ? 0 : previousWindow.bytes) + window.bytes) / (ms / 1_000);
    },
  };
}
