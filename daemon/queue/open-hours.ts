import type { Log } from '../../src/shared/util/log.js';
import { defaultAccountId } from '../jobs/job.js';
import type { AccountStore } from '../store/account-store.js';
import { type SpanClocks, TimedRecords } from './timed-records.js';

/** The dependencies of `OpenHours`. */
interface OpenHoursOptions extends SpanClocks {
  readonly accounts: Pick<AccountStore, 'openHours' | 'changeOpenHours' | 'watch'>;
  readonly log: Log;
}

/** The time for which jobs start outside the hours as well. It holds over restarts, and for all daemons that share records. */
export class OpenHours {
  readonly #options: OpenHoursOptions;
  readonly #held: TimedRecords<{ readonly since: string; readonly seconds: number }>;

  constructor(options: OpenHoursOptions) {
    this.#options = options;
    const { accounts, log } = options;
    this.#held = new TimedRecords({
      read() {
        const span = accounts.openHours();
        return new Map(span === undefined ? [] : [[defaultAccountId, span]]);
      },
      change: (_, change) => accounts.changeOpenHours(change),
      watch: (listener) => accounts.watch(listener),
      clocks: options,
      log,
      endText: () => 'The hours (--hours) count again: the time of venc resume --for is over.',
    });
  }

  /** When the hours count again; null if they do now. */
  get until(): Date | null {
    return this.#held.untilOf(defaultAccountId);
  }

  /** Lets jobs start for some seconds whatever the hours are. Replaces an earlier time. */
  open(seconds: number): Promise<void> {
    const since = this.#options.now().toISOString();
    return this.#options.accounts.changeOpenHours(() => ({ since, seconds }));
  }

  /** Calls a listener when the time begins, changes or ends, until the returned function is called. */
  readonly onChange = (listener: () => void): (() => void) => this.#held.onChange(listener);

  /** Ends the timer. The time stays stored. */
  close(): void {
    this.#held.close();
  }
}
