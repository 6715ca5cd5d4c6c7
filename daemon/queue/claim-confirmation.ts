/** A moment by two clocks of this machine, in milliseconds. */
export interface Moment {
  readonly monotonicMs: number;
  /** Also runs while the machine sleeps, when the monotonic clock may stand still. */
  readonly wallMs: number;
}

/** Reads the clocks of this machine. */
export function readClocks(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** Options of a confirmation. */
interface ConfirmationOptions {
  /** After this time without a report the daemon gives the claim to another worker. */
  readonly leaseMs: number;
  readonly clocks?: () => Moment;
}

/**
 * When the daemon last confirmed a claim. A process that was frozen learns that its claim is stale from the first timer
 * that fires when it continues, or from the first call of `check`, whichever comes first.
 */
export class ClaimConfirmation {
  readonly #leaseMs: number;
  readonly #clocks: () => Moment;
  #confirmedAt: Moment;
  #stale = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  /** `confirmedAt` is the moment at which the claim was requested. */
  constructor(confirmedAt: Moment, { leaseMs, clocks = readClocks }: ConfirmationOptions) {
    this.#leaseMs = leaseMs;
    this.#clocks = clocks;
    this.#confirmedAt = confirmedAt;
    this.#restartTimer();
  }

  /** Aborted once the last confirmation is older than the lease. A later confirmation has a signal of its own. */
  get signal(): AbortSignal {
    this.check();
    return this.#stale.signal;
  }

  /** The time since the last confirmation, in milliseconds. */
  get ageMs(): number {
    const { monotonicMs, wallMs } = this.#clocks();
    return Math.max(monotonicMs - this.#confirmedAt.monotonicMs, wallMs - this.#confirmedAt.wallMs);
  }

  get isStale(): boolean {
    return this.ageMs >= this.#leaseMs;
  }

  /**
   * Records a confirmation. `sentAt` is the moment before the request was sent: the daemon extends the claim later than
   * that.
   */
  confirm(sentAt: Moment): void {
    this.check();
    this.#confirmedAt = sentAt;
    if (this.#stale.signal.aborted && !this.isStale) this.#stale = new AbortController();
    this.#restartTimer();
  }

  /** Aborts the signal if the confirmation is too old. */
  check(): void {
    if (this.isStale) this.#stale.abort(new Error('the claim was not confirmed in time'));
  }

  /** Ends the timer. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #restartTimer(): void {
    this.close();
    const remainingMs = Math.max(0, this.#leaseMs - this.ageMs);
    this.#timer = setTimeout(() => this.check(), remainingMs + 1).unref();
  }
}
