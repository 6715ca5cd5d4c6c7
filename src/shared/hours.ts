import { VencError } from './errors.js';

/** Hours of the week: a time is in them if it is in one of the ranges. */
export type Hours = readonly HoursRange[];

/** The same hours of some days. They end on the next day if they do not end after they begin. */
interface HoursRange {
  /** The days on which they begin; 0 is Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes after midnight. */
  readonly from: number;
  /** Minutes after midnight, 1440 at most. */
  readonly to: number;
}

/** The names of days, from Sunday on. */
export const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const allDays: ReadonlySet<number> = new Set(dayNames.keys());
const minutesOfDay = 1440;
/** An hour that a change of the clock leaves out is there a week later, and days are 25 hours long at most. */
const maxSearchMinutes = 16 * minutesOfDay;
const minuteMs = 60_000;

const rangePattern = /^(?:(\S+)\s+)?(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)$/;
const daysPattern = /^([a-z]+)(?:-([a-z]+))?$/;

/**
 * Parses hours such as `22:00-06:00, sat, sun`: days, a range of times, or both in each item. Throws `UsageError` that
 * names the item.
 */
export function parseHours(text: string): Hours {
  const items = text.split(',').map((item) => item.trim().toLowerCase().replaceAll('–', '-'));
  if (items.some((item) => item === '')) throw invalid(text, 'it has an empty item');
  return items.map(parseItem);
}

function parseItem(item: string): HoursRange {
  const [, days, ...times] = rangePattern.exec(item) ?? [];
  if (times.length === 0) return { days: parseDays(item, item), from: 0, to: minutesOfDay };
  const [from = 0, to = 0] = [times.slice(0, 2), times.slice(2)].map(([hours, minutes]) =>
    Number(minutes) > 59 ? Number.NaN : Number(hours) * 60 + Number(minutes),
  );
  if (!(from < minutesOfDay && to <= minutesOfDay)) throw invalid(item, 'times are from 00:00 to 24:00');
  if (from === to)
    throw invalid(item, 'it begins and ends at the same time; for whole days, give only the days');
  return { days: days === undefined ? allDays : parseDays(days, item), from, to };
}

function parseDays(text: string, item: string): ReadonlySet<number> {
  const names: readonly string[] = dayNames;
  const [, first, last = first] = daysPattern.exec(text) ?? [];
  const [from, to] = [first, last].map((name) => names.indexOf(name ?? ''));
  if (from === undefined || to === undefined || from < 0 || to < 0)
    throw invalid(item, `days are ${dayNames.join(', ')} and ranges of these, times are like 22:00-06:00`);
  const count = ((to - from + 7) % 7) + 1;
  return new Set(Array.from({ length: count }, (_, index) => (from + index) % 7));
}

function invalid(item: string, reason: string): VencError {
  return new VencError('UsageError', `--hours does not understand "${item}": ${reason}.`, {
    hint: 'for example: --hours "22:00-06:00, sat, sun" or --hours "mon-fri 18:00-08:00"',
  });
}

/**
 * Whether a time is in hours, in the time zone of the process. A range over midnight belongs to the day on which it
 * begins. An hour that the clock repeats counts both times, and one that it leaves out does not come.
 */
export function isInHours(hours: Hours, at: Date): boolean {
  const minute = at.getHours() * 60 + at.getMinutes();
  const day = at.getDay();
  const dayBefore = (day + 6) % 7;
  return hours.some(({ days, from, to }) => {
    if (from < to) return days.has(day) && minute >= from && minute < to;
    return (days.has(day) && minute >= from) || (days.has(dayBefore) && minute < to);
  });
}

/** When hours next begin, or end if a time is in them; null if that does not happen. */
export function nextChangeOfHours(hours: Hours, at: Date): Date | null {
  const isNow = isInHours(hours, at);
  const firstMs = Math.floor(at.getTime() / minuteMs) * minuteMs;
  for (let minute = 1; minute <= maxSearchMinutes; minute += 1) {
    const then = new Date(firstMs + minute * minuteMs);
    if (isInHours(hours, then) !== isNow) return then;
  }
  return null;
}
