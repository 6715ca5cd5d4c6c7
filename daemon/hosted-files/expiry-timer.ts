import { maxTimerMs } from '../../src/shared/util/timing.js';
import { expiryOfFile } from './hosted-file-store-state.js';

/** Options of an expiry timer. */
interface ExpiryTimerOptions {
  readonly now: () => Date;
  /** Deletes the expired files of a token. Resolves to the time of the next check, or null if no file is left. */
  readonly expire: (token: string) => Promise<Date | null>;
}

/** Deletes files when they expire. One timer serves all files. */
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

  /** Schedules the expiry check of a token whose file was stored at `storedAt`. */
  schedule(token: string, storedAt: Date): void {
    this.scheduleAt(token, expiryOfFile(token, storedAt));
  }

  /** Schedules the expiry check of a token. */
  scheduleAt(token: string, due: Date): void {
    this.#dueMsByToken.set(token, due.getTime());
    if (due.getTime() < this.#nextMs) this.#schedule(due.getTime());
  }

  /** Whether an expiry check of a token is scheduled for a later time. */
  isScheduled(token: string): boolean {
    return (this.#dueMsByToken.get(token) ?? 0) > this.#options.now().getTime();
  }

  /** Stops the timer. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(atMs: number): void {
    if (this.#isClosed) return;
    this.#nextMs = atMs;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const delayMs = Math.max(0, atMs - this.#options.now().getTime());
    this.#timer = setTimeout(() => void this.#expireDue(), Math.min(delayMs, maxTimerMs)).unref();
  }

  async #expireDue(): Promise<void> {
    const nowMs = this.#options.now().getTime();
    const tokens = [...this.#dueMsByToken].filter(([, dueMs]) => dueMs <= nowMs).map(([token]) => token);
    for (const token of tokens) {
      this.#dueMsByToken.delete(token);
      // The periodic expiry run retries after a failure here.
      const due = await this.#options.expire(token).catch(() => null);
      if (due !== null && !this.#dueMsByToken.has(token)) this.#dueMsByToken.set(token, due.getTime());
    }
    this.#nextMs = Number.POSITIVE_INFINITY;
    if (this.#dueMsByToken.size > 0)
      this.#schedule([...this.#dueMsByToken.values()].reduce((earliest, dueMs) => Math.min(earliest, dueMs)));
  }
}
