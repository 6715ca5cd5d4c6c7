import type { Log } from '../../src/shared/util/log.js';
import { defaultAccountId } from '../jobs/job.js';
import type { AccountStore, Pause } from '../store/account-store.js';
import { type SpanClocks, TimedRecords } from './timed-records.js';
import { whenTrue } from './when-true.js';

/** The dependencies of `QueuePauses`. */
interface QueuePausesOptions extends SpanClocks {
  readonly accounts: Pick<AccountStore, 'pauses' | 'changePause' | 'watch'>;
  readonly log: Log;
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

/** The pauses of accounts, which hold over restarts. */
export class QueuePauses {
  readonly #options: QueuePausesOptions;
  readonly #held: TimedRecords<Pause>;

  constructor(options: QueuePausesOptions) {
    this.#options = options;
    const { accounts, log } = options;
    this.#held = new TimedRecords({
      read: () => accounts.pauses(),
      change: (accountId, change) => accounts.changePause(accountId, change),
      watch: (listener) => accounts.watch(listener),
      clocks: options,
      log,
      endText: (accountId) => `${describePaused(accountId)} may start again: the time of the pause is over.`,
    });
  }

  /** The pause that holds for the jobs of an account; null if there is none. */
  of(accountId: string): HeldPause | null {
    const holder = this.#holderOf(accountId);
    if (holder === undefined) return null;
    return {
      reason: holder === defaultAccountId ? 'daemon' : 'account',
      until: this.#held.untilOf(holder),
      isFrozen: this.freezes(accountId),
    };
  }

  /** Whether no job of an account may start. */
  readonly holds = (accountId: string): boolean => this.#holderOf(accountId) !== undefined;

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
    const wasHeld = this.#held.get(accountId) !== undefined;
    await this.#options.accounts.changePause(accountId, () => undefined);
    return wasHeld;
  }

  /** Calls a listener each time that a pause has begun or ended, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#held.onChange(listener);
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
    this.#held.close();
  }

  /** The account whose pause holds for the jobs of an account. */
  #holderOf(accountId: string): string | undefined {
    return [defaultAccountId, accountId].find((id) => this.#held.get(id) !== undefined);
  }
}

/** The subject of a sentence about the pause of an account. */
export function describePaused(accountId: string): string {
  return accountId === defaultAccountId ? 'All jobs' : `The jobs of account ${accountId}`;
}
