/** Limits how often frames are drawn. */
interface RepaintScheduler<Frame> {
  /** Draws a frame soon, unless a newer one replaces it; immediately if urgent. */
  requestFrame(frame: Frame, isUrgent?: boolean): void;
  /** Stops drawing. */
  stop(): void;
}

/** The clock and the timers of a scheduler. */
interface RepaintTimers {
  now(): number;
  /** Calls `callback` once after a delay. Returns a function that cancels it. */
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
/** Maximum share of time spent on drawing, so that a slow machine draws less often. */
const maxDrawingShare = 1 / 100;

/** Draws a frame at most every 480 ms, less often if drawing is slow, and always draws the latest one. */
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
