/** What a report can be asked for, as texts from a query; empty means left out. */
export interface ReportQuery {
  readonly from: string | null;
  readonly to: string | null;
  readonly grouping: string | null;
}

/** The days of a report in UTC, `YYYY-MM-DD`, oldest first, and the grouping that it is restricted to. */
export interface ReportRange {
  readonly days: readonly [string, ...string[]];
  /** null for all of them. */
  readonly grouping: string | null;
}

/** Most days in one report, both ends counted (section 8). */
const maxReportDays = 60;
const defaultFirstDaysAgo = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** One end of the range: its day as a count of days since 1970, or why there is none. */
type RangeEnd =
  | { readonly day: number; readonly isDefault: boolean }
  | { readonly day: null; readonly validationError: string };

/**
 * Reads for which days a report is wanted (section 4.10): from 30 days ago to yesterday where nothing is said. Today is told only where
 * `to` asks for it, as it is not over. Gives every complaint at once where the dates are wrong.
 */
export function readReportRange(
  query: ReportQuery,
  now: Date,
): ReportRange | { readonly validationErrors: readonly string[] } {
  const today = Math.floor(now.getTime() / dayMs);
  const from = parseRangeEnd('from', query.from, today - defaultFirstDaysAgo);
  const to = parseRangeEnd('to', query.to, today - 1);
  if (from.day === null || to.day === null) {
    return { validationErrors: [from, to].flatMap((end) => (end.day === null ? [end.validationError] : [])) };
  }
  const count = to.day - from.day + 1;
  const defaultNotes = [
    ...(from.isDefault ? [`from is left out and then 30 days ago, ${dayText(from.day)}`] : []),
    ...(to.isDefault ? [`to is left out and then yesterday, ${dayText(to.day)}`] : []),
  ];
  const defaultsNote = defaultNotes.length === 0 ? '' : ` (${defaultNotes.join('; ')})`;
  if (count < 1) return { validationErrors: [`from must not be later than to${defaultsNote}`] };
  if (count > maxReportDays) {
    const rule = `from and to must span at most ${maxReportDays} days, both counted, and span ${count}`;
    return { validationErrors: [`${rule}${defaultsNote}`] };
  }
  const first = from.day;
  const later = Array.from({ length: count - 1 }, (_, index) => dayText(first + 1 + index));
  return { days: [dayText(first), ...later], grouping: query.grouping === '' ? null : query.grouping };
}

function parseRangeEnd(name: string, text: string | null, fallback: number): RangeEnd {
  if (text === null || text === '') return { day: fallback, isDefault: true };
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return { day: null, validationError: `${name} must be a date in the form YYYY-MM-DD` };
  }
  const ms = Date.parse(`${text}T00:00:00Z`);
  // The 30th of February is taken for a day of March, not for a mistake, by some engines.
  if (Number.isNaN(ms) || dayText(ms / dayMs) !== text) {
    return { day: null, validationError: `${name} must be a date that exists` };
  }
  return { day: ms / dayMs, isDefault: false };
}

/** `YYYY-MM-DD` of a count of days since 1970. */
function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
