import type { JobDailyUsage } from '../../../jobs/usage.js';
import type { AccountDailyUsage, UsageFilter } from '../../job-store.js';

/** Whole milliseconds. */
interface Sums {
  encodedMs: number;
  billableMs: number;
}

type Day = Map<string | null, Sums>;

/**
 * The usage of each account by UTC day and grouping, in memory. The usage of a job is subtracted before its
 * new usage is added. All numbers are whole, so no remainder accumulates: the sums are always those of the
 * existing jobs.
 */
export class UsageLedger {
  readonly #accounts = new Map<string, Map<string, Day>>();

  /** Adds the usage of a job. */
  add(accountId: string, entries: readonly JobDailyUsage[]): void {
    for (const { day, grouping, encodedMs, billableMs } of entries) {
      const sums = this.#sums(accountId, day, grouping);
      sums.encodedMs += encodedMs;
      sums.billableMs += billableMs;
    }
  }

  /** Subtracts the usage of a job. */
  subtract(accountId: string, entries: readonly JobDailyUsage[]): void {
    const days = this.#accounts.get(accountId);
    for (const { day, grouping, encodedMs, billableMs } of entries) {
      const groupings = days?.get(day);
      const sums = groupings?.get(grouping);
      if (groupings === undefined || sums === undefined) continue;
      sums.encodedMs -= encodedMs;
      sums.billableMs -= billableMs;
      // Every entry is greater than zero.
      if (sums.encodedMs === 0) groupings.delete(grouping);
      if (groupings.size === 0) days?.delete(day);
    }
  }

  /** The sums of an account's days in a range, in the order of `JobStore.usage`. */
  of({ accountId, from, to }: UsageFilter): readonly AccountDailyUsage[] {
    const days = [...(this.#accounts.get(accountId) ?? [])].filter(([day]) => from <= day && day <= to);
    return days
      .sort(byFirst)
      .flatMap(([day, groupings]) =>
        [...groupings]
          .sort(byFirst)
          .map(([grouping, { encodedMs, billableMs }]) => ({ day, grouping, encodedMs, billableMs })),
      );
  }

  #sums(accountId: string, day: string, grouping: string | null): Sums {
    const known = this.#accounts.get(accountId)?.get(day)?.get(grouping);
    if (known !== undefined) return known;
    const sums = { encodedMs: 0, billableMs: 0 };
    const days = this.#accounts.get(accountId) ?? new Map<string, Day>();
    const groupings: Day = days.get(day) ?? new Map();
    this.#accounts.set(accountId, days.set(day, groupings.set(grouping, sums)));
    return sums;
  }
}

/** null first, then by UTF-16 code units: the same order on every machine. */
function byFirst([a]: readonly [string | null, unknown], [b]: readonly [string | null, unknown]): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
