/** The longest that Node's timers can wait. */
const maxDelayMs = 2 ** 31 - 1;

/** What an expiry needs to know. */
export interface ExpiryTimerOptions {
  readonly now: () => Date;
  /** How long a file is kept. */
  readonly retentionMs: number;
  /** Deletes what of a token is past its time. Resolves to when it is to be looked at again; null where nothing is left. */
  readonly expire: (token: string) => Promise<Date | null>;
}

/** Deletes files when their time is over, with one timer however many there are. */
export class ExpiryTimer {
  readonly #options: ExpiryTimerOptions;
  /** When each token is due, in milliseconds. */
  readonly #dueMsByToken = new Map<string, number>();
  #nextMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: ExpiryTimerOptions) {
    this.#options = options;
  }

  /** Has a token looked at when a file that was put there at a time is past its own. */
  schedule(token: string, storedAt: Date): void {
    this.scheduleAt(token, new Date(storedAt.getTime() + this.#options.retentionMs));
  }

  /** Has a token looked at when it is due. */
  scheduleAt(token: string, due: Date): void {
    this.#dueMsByToken.set(token, due.getTime());
    if (due.getTime() < this.#nextMs) this.#schedule(due.getTime());
  }

  /** Deletes nothing more. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(atMs: number): void {
    if (this.#isClosed) return;
    this.#nextMs = atMs;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const delayMs = Math.max(0, atMs - this.#options.now().getTime());
    this.#timer = setTimeout(() => void this.#expireDue(), Math.min(delayMs, maxDelayMs)).unref();
  }

  async #expireDue(): Promise<void> {
    const nowMs = this.#options.now().getTime();
    const tokens = [...this.#dueMsByToken].filter(([, dueMs]) => dueMs <= nowMs).map(([token]) => token);
    for (const token of tokens) {
      this.#dueMsByToken.delete(token);
      // The sweep that comes every few minutes tries again what fails here.
      const due = await this.#options.expire(token).catch(() => null);
      if (due !== null && !this.#dueMsByToken.has(token)) this.#dueMsByToken.set(token, due.getTime());
    }
    this.#nextMs = Number.POSITIVE_INFINITY;
    if (this.#dueMsByToken.size > 0)
      this.#schedule([...this.#dueMsByToken.values()].reduce((earliest, dueMs) => Math.min(earliest, dueMs)));
  }
}
