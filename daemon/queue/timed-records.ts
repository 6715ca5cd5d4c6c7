import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../src/shared/util/log.js';
import { maxTimerMs } from '../../src/shared/util/timing.js';
import type { Span } from '../store/account-store.js';
import { describeError } from './job-run.js';

/** The dependencies of `TimedRecords`. */
interface TimedRecordsOptions<Value extends Span> {
  /** All that are stored, also those whose time is over. */
  readonly read: () => ReadonlyMap<string, Value>;
  /** Replaces a stored one by what `change` makes of it; undefined for none. */
  readonly change: (key: string, change: (value: Value | undefined) => Value | undefined) => Promise<void>;
  /** Calls a listener after each change of what is stored, until the returned function is called. */
  readonly watch: (listener: () => void) => () => void;
  readonly clocks: SpanClocks;
  readonly log: Log;
  /** What the log says when the time of one is over. */
  readonly endText: (key: string) => string;
}

/** The clocks that spans are measured by. */
export interface SpanClocks {
  readonly now: () => Date;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  /** When it ends, on the clock that is never set back; infinite without an end. */
  readonly endsAtMs: number;
  /** The time of day at which it ends if the clock is not set; null without an end. */
  readonly until: Date | null;
  readonly timer: NodeJS.Timeout | null;
}

/**
 * Stored records that hold for a time, also over restarts. The time is that of a clock that is never set back; after a
 * restart the time of day counts, but a record never holds longer than its length again.
 */
export class TimedRecords<Value extends Span> {
  readonly #options: TimedRecordsOptions<Value>;
  readonly #elapsedMs: () => number;
  readonly #held = new Map<string, Entry<Value>>();
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: () => void;

  constructor(options: TimedRecordsOptions<Value>) {
    this.#options = options;
    this.#elapsedMs = options.clocks.elapsedMs ?? (() => performance.now());
    this.#unwatch = options.watch(() => this.#load());
    this.#load();
  }

  /** The record that holds under a key; undefined if there is none. */
  get(key: string): Value | undefined {
    return this.#held.get(key)?.value;
  }

  /**
   * When the record under a key ends by itself; null if it does not. The same time in each answer, unless the clock was
   * set by a second or more.
   */
  untilOf(key: string): Date | null {
    const { endsAtMs = Number.POSITIVE_INFINITY, until = null } = this.#held.get(key) ?? {};
    if (until === null) return null;
    const untilMs = this.#options.clocks.now().getTime() + endsAtMs - this.#elapsedMs();
    return Math.abs(untilMs - until.getTime()) < 1000 ? until : new Date(untilMs);
  }

  /** Calls a listener each time that a record has begun, changed or ended, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the timers. The records stay stored. */
  close(): void {
    this.#unwatch();
    for (const key of this.#held.keys()) this.#drop(key);
  }

  #load(): void {
    const values = this.#options.read();
    const before = new Map(this.#held);
    for (const [key, { value }] of before) if (!isDeepStrictEqual(values.get(key), value)) this.#drop(key);
    for (const [key, value] of values) if (!this.#held.has(key)) this.#add(key, value);
    const isSame = (key: string) => this.#held.get(key) === before.get(key);
    if (![...before.keys(), ...values.keys()].every(isSame)) this.#emit();
  }

  #add(key: string, value: Value): void {
    const { since, seconds } = value;
    const nowMs = this.#options.clocks.now().getTime();
    const remainingMs =
      seconds === null
        ? Number.POSITIVE_INFINITY
        : Math.min(Date.parse(since) + seconds * 1000 - nowMs, seconds * 1000);
    if (remainingMs <= 0) this.#forget(key, since);
    else {
      const until = seconds === null ? null : new Date(nowMs + remainingMs);
      this.#arm(key, { value, until, endsAtMs: this.#elapsedMs() + remainingMs });
    }
  }

  #arm(key: string, entry: Omit<Entry<Value>, 'timer'>): void {
    const { endsAtMs, value } = entry;
    const check = () => {
      if (endsAtMs > this.#elapsedMs()) {
        this.#arm(key, entry);
        return;
      }
      this.#drop(key);
      this.#options.log('info', this.#options.endText(key));
      this.#emit();
      this.#forget(key, value.since);
    };
    const delayMs = Math.min(Math.ceil(endsAtMs - this.#elapsedMs()), maxTimerMs);
    const timer = Number.isFinite(endsAtMs) ? setTimeout(check, delayMs).unref() : null;
    this.#held.set(key, { ...entry, timer });
  }

  #drop(key: string): void {
    clearTimeout(this.#held.get(key)?.timer ?? undefined);
    this.#held.delete(key);
  }

  #emit(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Removes a record whose time is over from the store. If that fails, the next start does it. */
  #forget(key: string, since: string): void {
    const { change, log } = this.#options;
    change(key, (value) => (value?.since === since ? undefined : value)).catch((error: unknown) =>
      log('warn', `The end of a pause or of open hours could not be stored: ${describeError(error)}`),
    );
  }
}
