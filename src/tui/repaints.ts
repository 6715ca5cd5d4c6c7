/** Decides when to draw what. */
export interface Repaints<Frame> {
  /** Draws a frame soon, unless a newer one comes before; at once where somebody waits for it. */
  ask(frame: Frame, isUrgent?: boolean): void;
  /** Draws nothing more. */
  stop(): void;
}

/** The time that repaints go by. */
export interface RepaintClock {
  now(): number;
  /** Calls back once after so many milliseconds, unless it is taken back by what it returns. */
  after(milliseconds: number, callback: () => void): () => void;
}

const realClock: RepaintClock = {
  now: () => performance.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

const leastGapMs = 480;
const greatestGapMs = 2500;
/** The share of its time that a program may spend on drawing: a slow machine draws less often. */
const share = 1 / 100;

/** Draws a frame every 480 ms at most, fewer where one costs much, and the latest one always. */
export function createRepaints<Frame>(
  draw: (frame: Frame) => void,
  clock: RepaintClock = realClock,
): Repaints<Frame> {
  let nextAt = 0;
  let waiting: { readonly frame: Frame } | null = null;
  let takeBack: (() => void) | null = null;
  let isStopped = false;

  function drawNow(frame: Frame): void {
    takeBack?.();
    takeBack = null;
    waiting = null;
    const from = clock.now();
    draw(frame);
    const to = clock.now();
    nextAt = to + Math.min(greatestGapMs, Math.max(leastGapMs, (to - from) / share));
  }

  return {
    ask: (frame, isUrgent = false) => {
      if (isStopped) return;
      const waitMs = nextAt - clock.now();
      if (isUrgent || waitMs <= 0) {
        drawNow(frame);
        return;
      }
      waiting = { frame };
      takeBack ??= clock.after(waitMs, () => {
        takeBack = null;
        if (waiting !== null) drawNow(waiting.frame);
      });
    },
    stop: () => {
      isStopped = true;
      takeBack?.();
      takeBack = null;
    },
  };
}
