import { inScope } from '../../../src/shared/util/error-scope.js';
import { openSuspension } from '../../../src/shared/util/suspension.js';
import { maxTimerMs } from '../../../src/shared/util/timing.js';

/** Sends a signal to a running program and to what it has started. */
type SendSignal = (signal: NodeJS.Signals) => void;

/** A time limit that stands still while programs are frozen. */
export interface TimeLimit {
  /** Starts the time again. */
  refresh(): void;
  /** Ends the limit without effect. */
  clear(): void;
}

/** The shortest delay after which a limit that was frozen looks at the clock again. */
const minCheckMs = 1000;

/** Stops programs and lets them continue. One that is started while they are stopped is stopped as well. */
export class Freezer {
  readonly #clock: () => number;
  readonly #programs = new Set<SendSignal>();
  #frozenAtMs: number | null = null;
  #frozenMs = 0;

  /** `clock` is in milliseconds and never set back. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether programs are stopped. */
  get isFrozen(): boolean {
    return this.#frozenAtMs !== null;
  }

  /** Milliseconds of a clock that stands still while programs are frozen. */
  readonly elapsedMs = (): number => (this.#frozenAtMs ?? this.#clock()) - this.#frozenMs;

  /** Adds a program that was just started. Call the returned function at its end. */
  add(send: SendSignal): () => void {
    this.#programs.add(send);
    if (this.isFrozen) send('SIGSTOP');
    return () => void this.#programs.delete(send);
  }

  /** Stops all programs. */
  readonly freeze = (): void => {
    this.#frozenAtMs ??= this.#clock();
    for (const send of this.#programs) send('SIGSTOP');
  };

  /** Lets all programs continue. */
  readonly thaw = (): void => {
    this.#frozenMs += this.#frozenAtMs === null ? 0 : this.#clock() - this.#frozenAtMs;
    this.#frozenAtMs = null;
    for (const send of this.#programs) send('SIGCONT');
  };

  /** Calls `onEnd` after a time, in the scope of the caller. A limit that is never cleared does not keep the process. */
  startLimit(ms: number, onEnd: () => void): TimeLimit {
    let endsAtMs = this.elapsedMs() + ms;
    let timer: NodeJS.Timeout;
    const end = inScope(onEnd);
    const arm = (delayMs: number) => {
      timer = setTimeout(check, Math.min(Math.ceil(delayMs), maxTimerMs)).unref();
    };
    const check = () => {
      const remainingMs = endsAtMs - this.elapsedMs();
      if (remainingMs <= 0) end();
      else arm(this.isFrozen ? Math.max(minCheckMs, remainingMs) : remainingMs);
    };
    arm(ms);
    return {
      refresh: () => {
        endsAtMs = this.elapsedMs() + ms;
      },
      clear: () => clearTimeout(timer),
    };
  }
}

/** Freezes the programs that this process has started. There is one, because a stop of the process concerns them all. */
export const freezer = new Freezer();

/** Freezes the programs while Ctrl-Z stops this process. Returns a function that ends this. */
export function freezeOnSuspend(): () => void {
  return openSuspension({ release: freezer.freeze, reacquire: freezer.thaw }).dispose;
}

/** A signal that is aborted after a time in which programs are not frozen. */
export function limitSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  freezer.startLimit(ms, () => controller.abort());
  return controller.signal;
}
