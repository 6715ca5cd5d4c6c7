import { currentScope, type ErrorScope, inScope } from './error-scope.js';
import { openSuspension } from './suspension.js';
import { maxTimerMs } from './timing.js';

/** Sends a signal to a running program and to what it has started. */
type SendSignal = (signal: NodeJS.Signals) => void;

/** A program that can be stopped. */
interface Program {
  readonly send: SendSignal;
  isReady: boolean;
}

/** A time limit that stands still while programs are frozen. */
export interface TimeLimit {
  /** Starts the time again. */
  refresh(): void;
  /** Ends the limit without effect. */
  clear(): void;
}

/** The shortest delay after which a limit that was frozen looks at the clock again. */
const minCheckMs = 1000;

/**
 * Stops programs and lets them continue: those of a run of a job, or of the process, which include those of its runs.
 * One that is started while they are stopped is stopped as well.
 */
export class Freezer {
  readonly #clock: () => number;
  readonly #parent: Freezer | null;
  readonly #programs = new Set<Program>();
  readonly #children = new Set<Freezer>();
  #isHeld = false;
  #frozenAtMs: number | null = null;
  #frozenMs = 0;

  /** `clock` is in milliseconds and never set back. */
  constructor(clock: () => number = () => performance.now(), parent: Freezer | null = null) {
    this.#clock = clock;
    this.#parent = parent;
  }

  /** A freezer of some programs, which from `begin` to `end` are stopped with those of this one as well. */
  child(): Freezer {
    return new Freezer(this.#clock, this);
  }

  /** Begins the use of a child. */
  begin(): void {
    if (this.#parent !== null) this.#parent.#children.add(this);
    this.#update();
  }

  /** Ends the use of a child. */
  end(): void {
    if (this.#parent !== null) this.#parent.#children.delete(this);
  }

  /** Whether programs are stopped. */
  get isFrozen(): boolean {
    return this.#frozenAtMs !== null;
  }

  /** Milliseconds of a clock that stands still while programs are frozen. */
  readonly elapsedMs = (): number => (this.#frozenAtMs ?? this.#clock()) - this.#frozenMs;

  /**
   * Adds a program that was just started. Call `markReady` once it runs, and `remove` at its end. Before it runs, it has not
   * asked for a signal at the end of this process yet: stopped at that moment, it would remain if this process is killed.
   * Therefore it is stopped later, unless this process is about to be stopped itself.
   */
  add(send: SendSignal): { readonly markReady: () => void; readonly remove: () => void } {
    const program: Program = { send, isReady: false };
    this.#programs.add(program);
    if (this.isFrozen) this.#stop(program);
    const markReady = () => {
      if (program.isReady) return;
      program.isReady = true;
      if (this.isFrozen) this.#stop(program);
    };
    return { markReady, remove: () => void this.#programs.delete(program) };
  }

  #stop({ send, isReady }: Program): void {
    if (isReady || this.#parent === null || this.#parent.isFrozen) send('SIGSTOP');
  }

  /** Stops all programs. */
  readonly freeze = (): void => this.set(true);

  /** Lets all programs continue, unless those of the parent are stopped. */
  readonly thaw = (): void => this.set(false);

  /** Stops all programs, or lets them continue. */
  set(isFrozen: boolean): void {
    this.#isHeld = isFrozen;
    this.#update();
  }

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

  #update(): void {
    const isFrozen = this.#isHeld || this.#parent?.isFrozen === true;
    if (isFrozen === this.isFrozen) return;
    const nowMs = this.#clock();
    this.#frozenMs += this.#frozenAtMs === null ? 0 : nowMs - this.#frozenAtMs;
    this.#frozenAtMs = isFrozen ? nowMs : null;
    for (const program of this.#programs)
      if (isFrozen) this.#stop(program);
      else program.send('SIGCONT');
    for (const child of this.#children) child.#update();
  }
}

/** Stops the programs that this process has started, because a stop of the process concerns them all. */
export const processFreezer = new Freezer();

const freezersOfRuns = new WeakMap<ErrorScope, Freezer>();

/** Lets a freezer stop the programs that are started in the scope of a run. */
export function setFreezer(scope: ErrorScope, freezer: Freezer): void {
  freezersOfRuns.set(scope, freezer);
}

/** The freezer of the run of a job that the caller belongs to; that of the process outside of any. */
export function currentFreezer(): Freezer {
  const scope = currentScope();
  return (scope && freezersOfRuns.get(scope)) ?? processFreezer;
}

/** Freezes all programs while Ctrl-Z stops this process. Returns a function that ends this. */
export function freezeOnSuspend(): () => void {
  return openSuspension({ release: processFreezer.freeze, reacquire: processFreezer.thaw }).dispose;
}

/** A signal that is aborted after a time in which the programs of the caller are not frozen. */
export function limitSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  currentFreezer().startLimit(ms, () => controller.abort());
  return controller.signal;
}
