/** Decides when to draw what. */
export interface RepaintScheduler<Frame> {
  /** Draws a frame soon, unless a newer one comes before; at once where somebody waits for it. */
  requestFrame(frame: Frame, isUrgent?: boolean): void;
  /** Draws nothing more. */
  stop(): void;
}

/** The time that repaints go by. */
export interface RepaintTimers {
  now(): number;
  /** Calls back once after so many milliseconds, unless it is taken back by what it returns. */
  setTimer(milliseconds: number, callback: () => void): () => void;
}

const systemClock: RepaintTimers = {
  now: () => performance.now(),
  setTimer: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

const minGapMs = 480;
const maxGapMs = 2500;
/** The share of its time that a program may spend on drawing: a slow machine draws less often. */
const maxDrawingShare = 1 / 100;

/** Draws a frame every 480 ms at most, fewer where one costs much, and the latest one always. */
export function createRepaintScheduler<Frame>(
  draw: (frame: Frame) => void,
  clock: RepaintTimers = systemClock,
): RepaintScheduler<Frame> {
  let nextAt = 0;
  let pending: { readonly frame: Frame } | null = null;
  let cancelTimer: (() => void) | null = null;
  let isStopped = false;

  function drawNow(frame: Frame): void {
    cancelTimer?.();
    cancelTimer = null;
    pending = null;
    const from = clock.now();
    draw(frame);
    const to = clock.now();
    nextAt = to + Math.min(maxGapMs, Math.max(minGapMs, (to - from) / maxDrawingShare));
  }

  return {
    requestFrame: (frame, isUrgent = false) => {
      if (isStopped) return;
      const waitMs = nextAt - clock.now();
      if (isUrgent || waitMs <= 0) {
        drawNow(frame);
        return;
      }
      pending = { frame };
      cancelTimer ??= clock.setTimer(waitMs, () => {
        cancelTimer = null;
        if (pending !== null) drawNow(pending.frame);
      });
    },
    stop: () => {
      isStopped = true;
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}
