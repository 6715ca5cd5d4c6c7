import type { Log } from '../../src/shared/util/log.js';
import { maxTimerMs } from '../../src/shared/util/timing.js';
import { defaultAccountId } from '../jobs/job.js';
import type { AccountStore, Pause } from '../store/account-store.js';
import { describeError } from './job-run.js';
import { whenTrue } from './when-true.js';

/** The dependencies of `QueuePauses`. */
interface QueuePausesOptions {
  readonly accounts: Pick<AccountStore, 'pauses' | 'changePause' | 'watch'>;
  readonly now: () => Date;
  readonly log: Log;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/** A pause that holds now. */
export interface HeldPause {
  /** Whose: `daemon` holds for the jobs of all accounts. */
  readonly reason: 'daemon' | 'account';
  /** When it ends by itself; null if it does not. */
  readonly until: Date | null;
  /** Whether the programs of running jobs are stopped. */
  readonly isFrozen: boolean;
}

interface Entry extends Pause {
  /** When it ends, on the clock that is never set back; infinite without an end. */
  readonly endsAtMs: number;
  /** The time of day at which it ends if the clock is not set; null without an end. */
  readonly until: Date | null;
  readonly timer: NodeJS.Timeout | null;
}

/**
 * The pauses of accounts, which hold over restarts. A pause with a length ends after that time, also if the clock is
 * set back; after a restart the time of day counts, but it never lasts longer than its length again.
 */
export class QueuePauses {
  readonly #options: QueuePausesOptions;
  readonly #elapsedMs: () => number;
  readonly #held = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: () => void;

  constructor(options: QueuePausesOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
    this.#unwatch = options.accounts.watch(() => this.#load());
    this.#load();
  }

  /** The pause that holds for the jobs of an account; null if there is none. */
  of(accountId: string): HeldPause | null {
    const all = this.#held.get(defaultAccountId);
    const entry = all ?? this.#held.get(accountId);
    if (entry === undefined) return null;
    return {
      reason: all === undefined ? 'account' : 'daemon',
      until: this.#untilOf(entry),
      isFrozen: this.freezes(accountId),
    };
  }

  /** Whether no job of an account may start. */
  readonly holds = (accountId: string): boolean =>
    this.#held.has(defaultAccountId) || this.#held.has(accountId);

  /** Whether the programs of the jobs of an account are stopped. */
  readonly freezes = (accountId: string): boolean =>
    [defaultAccountId, accountId].some((id) => this.#held.get(id)?.isFrozen === true);

  /**
   * Pauses an account, for a number of seconds or, with null, until the pause is ended. Replaces an earlier pause; one
   * that freezes is replaced by one that freezes.
   */
  pause(accountId: string, seconds: number | null, isFrozen = false): Promise<void> {
    const since = this.#options.now().toISOString();
    return this.#options.accounts.changePause(accountId, (before) => ({
      ...{ since, seconds },
      ...(isFrozen || before?.isFrozen === true ? { isFrozen: true } : {}),
    }));
  }

  /** Ends the pause of an account. Resolves to whether there was one. */
  async resume(accountId: string): Promise<boolean> {
    const wasHeld = this.#held.has(accountId);
    await this.#options.accounts.changePause(accountId, () => undefined);
    return wasHeld;
  }

  /** Calls a listener each time that a pause has begun or ended, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when no pause holds for an account. Rejects with the reason of the signal if that is aborted before. */
  readonly whenResumed = (accountId: string, signal: AbortSignal): Promise<void> =>
    whenTrue(
      () => !this.holds(accountId),
      (listener) => this.onChange(listener),
      signal,
    );

  /** Ends the timers. The pauses stay stored. */
  close(): void {
    this.#unwatch();
    for (const accountId of this.#held.keys()) this.#drop(accountId);
  }

  #load(): void {
    const pauses = this.#options.accounts.pauses();
    const before = new Map(this.#held);
    for (const [accountId, entry] of before) {
      const { since, seconds, isFrozen } = pauses.get(accountId) ?? {};
      if (since !== entry.since || seconds !== entry.seconds || isFrozen !== entry.isFrozen)
        this.#drop(accountId);
    }
    for (const [accountId, pause] of pauses) if (!this.#held.has(accountId)) this.#add(accountId, pause);
    const isSame = (accountId: string) => this.#held.get(accountId) === before.get(accountId);
    if (![...before.keys(), ...pauses.keys()].every(isSame)) this.#emit();
  }

  #add(accountId: string, pause: Pause): void {
    const { since, seconds } = pause;
    const remainingMs =
      seconds === null
        ? Number.POSITIVE_INFINITY
        : Math.min(Date.parse(since) + seconds * 1000 - this.#options.now().getTime(), seconds * 1000);
    if (remainingMs <= 0) this.#forget(accountId, since);
    else {
      const until = seconds === null ? null : new Date(this.#options.now().getTime() + remainingMs);
      this.#arm(accountId, { ...pause, until, endsAtMs: this.#elapsedMs() + remainingMs });
    }
  }

  /** The same time in each answer, unless the clock was set by a second or more. */
  #untilOf({ endsAtMs, until }: Entry): Date | null {
    if (until === null) return null;
    const untilMs = this.#options.now().getTime() + endsAtMs - this.#elapsedMs();
    return Math.abs(untilMs - until.getTime()) < 1000 ? until : new Date(untilMs);
  }

  #arm(accountId: string, entry: Omit<Entry, 'timer'>): void {
    const { endsAtMs, since } = entry;
    const check = () => {
      if (endsAtMs > this.#elapsedMs()) {
        this.#arm(accountId, entry);
        return;
      }
      this.#drop(accountId);
      this.#options.log(
        'info',
        `${describePaused(accountId)} may start again: the time of the pause is over.`,
      );
      this.#emit();
      this.#forget(accountId, since);
    };
    const delayMs = Math.min(Math.ceil(endsAtMs - this.#elapsedMs()), maxTimerMs);
    const timer = Number.isFinite(endsAtMs) ? setTimeout(check, delayMs).unref() : null;
    this.#held.set(accountId, { ...entry, timer });
  }

  #drop(accountId: string): void {
    clearTimeout(this.#held.get(accountId)?.timer ?? undefined);
    this.#held.delete(accountId);
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Removes a pause whose time is over from the accounts. If that fails, the next start does it. */
  #forget(accountId: string, since: string): void {
    this.#options.accounts
      .changePause(accountId, (pause) => (pause?.since === since ? undefined : pause))
      .catch((error: unknown) =>
        this.#options.log('warn', `The end of a pause could not be stored: ${describeError(error)}`),
      );
  }
}

/** The subject of a sentence about the pause of an account. */
export function describePaused(accountId: string): string {
  return accountId === defaultAccountId ? 'All jobs' : `The jobs of account ${accountId}`;
}
