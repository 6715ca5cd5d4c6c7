/** How fast a connection is lately. */
export interface Pace {
  /** Bytes have come. */
  came(bytes: number): void;
  /** Bytes a second over the last second or two, silence included; null in its first moments, and for a second where none have come. */
  bytesPerSecond(): number | null;
}

const windowMs = 1_000;
/** Sooner than this, nothing is known; until the first byte, which a server may be slow to find, sooner than a whole window. */
const firstMs = 100;

/** Begins to watch. `clock` only goes forward, in milliseconds. */
export function createPace(clock: () => number = () => performance.now()): Pace {
  let window = { at: clock(), bytes: 0 };
  let before = window;
  return {
    came(bytes) {
      const now = clock();
      if (now - window.at >= windowMs) {
        before = window;
        window = { at: now, bytes: 0 };
      }
      window.bytes += bytes;
    },
    bytesPerSecond() {
      const ms = clock() - before.at;
      const hasCome = before.bytes + window.bytes > 0;
      if (ms < (hasCome || before !== window ? firstMs : windowMs)) return null;
      return ((before === window ? 0 : before.bytes) + window.bytes) / (ms / 1_000);
    },
  };
}
