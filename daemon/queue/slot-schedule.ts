import { type Hours, isInHours, nextChangeOfHours } from '../../src/shared/hours.js';
import type { Log } from '../../src/shared/util/log.js';
import type { EncodePauses } from '../pipeline/concurrency-limits.js';
import type { LoadMeter } from './load-meter.js';
import type { OpenHours } from './open-hours.js';
import { whenTrue } from './when-true.js';

/** When a machine takes jobs; always by default. */
export interface SlotTimes {
  /** The hours in which it does (`--hours`). */
  readonly hours?: Hours;
  /** Whether running encodes are stopped outside them, and otherwise finish (`--outside`). */
  readonly freezesOutside?: boolean;
  /** The processor use of other programs, in cores, above which no job starts (`--when-idle`). */
  readonly maxLoad?: number;
}

/** The dependencies of a `SlotSchedule`. */
interface SlotScheduleOptions extends SlotTimes {
  readonly now: () => Date;
  readonly log: Log;
  readonly readLoad: LoadMeter;
  /** Until when the hours do not count; they always do if absent. */
  readonly openHours?: Pick<OpenHours, 'until' | 'onChange'>;
}

/** Whether the slots of a machine are open, and if not, why. */
export interface ScheduleState {
  readonly closedBy: 'hours' | 'load' | null;
  /** Whether running encodes are stopped. */
  readonly isFrozen: boolean;
  /** When the hours begin; null within them. */
  readonly opensAt: Date | null;
}

const openState: ScheduleState = { closedBy: null, isFrozen: false, opensAt: null };
/** How often the load is measured, in milliseconds. */
const loadIntervalMs = 10_000;
/** Hours begin and end at full minutes. The time of day is looked at in each, because the clock may be set. */
const minuteMs = 60_000;

/** Opens and closes the slots of one machine by the time of day and the load. Pauses of the queue are separate. */
export class SlotSchedule {
  readonly #options: SlotScheduleOptions;
  readonly #listeners = new Set<() => void>();
  #isBusy: boolean;
  #state: ScheduleState = openState;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotScheduleOptions) {
    this.#options = options;
    // Nothing is known before the first measurement.
    this.#isBusy = options.maxLoad !== undefined;
    if (options.hours !== undefined) options.openHours?.onChange(() => this.check());
    if (options.hours !== undefined || options.maxLoad !== undefined) this.check();
  }

  get state(): ScheduleState {
    return this.#state;
  }

  /** Whether it has hours. */
  get hasHours(): boolean {
    return this.#options.hours !== undefined;
  }

  /** Calls a listener after each change, until the returned function is called. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Resolves when jobs may start. Rejects with the reason of the signal if that is aborted before. */
  readonly whenOpen = (signal: AbortSignal): Promise<void> =>
    whenTrue(() => this.#state.closedBy === null, this.onChange, signal);

  /** Looks at the clock and the load. Timers call it. */
  check(): void {
    const { maxLoad, readLoad } = this.#options;
    if (maxLoad !== undefined) {
      const load = readLoad();
      if (load !== null) this.#isBusy = load > maxLoad;
    }
    const before = this.#state;
    const hours = this.#hoursState();
    this.#state = hours ?? (this.#isBusy ? { ...openState, closedBy: 'load' } : openState);
    this.#arm();
    const { closedBy, isFrozen } = this.#state;
    const hasChanged = closedBy !== before.closedBy || isFrozen !== before.isFrozen;
    if (hasChanged) this.#logChange(before);
    if (!hasChanged && this.#state.opensAt?.getTime() === before.opensAt?.getTime()) return;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Ends the timers. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** The state outside the hours; null within them. */
  #hoursState(): ScheduleState | null {
    const { hours, freezesOutside = false, openHours, now } = this.#options;
    const at = now();
    const isOpen = hours === undefined || isInHours(hours, at) || (openHours?.until ?? null) !== null;
    if (isOpen) return null;
    return { closedBy: 'hours', isFrozen: freezesOutside, opensAt: nextChangeOfHours(hours, at) };
  }

  #arm(): void {
    const { maxLoad, now } = this.#options;
    clearTimeout(this.#timer);
    const delayMs = Math.min(
      maxLoad === undefined ? minuteMs : loadIntervalMs,
      minuteMs - (now().getTime() % minuteMs),
    );
    this.#timer = setTimeout(() => this.check(), Math.ceil(delayMs)).unref();
  }

  #logChange(before: ScheduleState): void {
    const { log, hours, now } = this.#options;
    const { closedBy, isFrozen, opensAt } = this.#state;
    if (closedBy === 'hours')
      log(
        'info',
        `Outside the hours (--hours): no job starts here${opensAt === null ? '' : ` until ${opensAt.toISOString()}`}${isFrozen ? ', and running encodes are stopped' : ''}.`,
      );
    else if (closedBy === 'load') log('info', 'Other programs are busy (--when-idle): no job starts here.');
    else
      log(
        'info',
        before.closedBy !== 'hours'
          ? 'The machine is idle: jobs start.'
          : hours !== undefined && isInHours(hours, now())
            ? 'The hours (--hours) begin: jobs start.'
            : 'The hours (--hours) do not count for now (venc resume --for): jobs start.',
      );
  }
}

/** Holds back encodes while the queue is paused, or the slots of the machine are closed. */
export function encodePausesOf(schedule: SlotSchedule, pauses?: EncodePauses): EncodePauses {
  const holds = (accountId: string) => schedule.state.closedBy !== null || pauses?.holds(accountId) === true;
  return {
    holds,
    async whenResumed(accountId, signal) {
      while (holds(accountId)) {
        await pauses?.whenResumed(accountId, signal);
        await schedule.whenOpen(signal);
      }
    },
  };
}
