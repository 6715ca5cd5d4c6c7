import type { AllReport, LiveReport, VodReport } from '../../src/shared/records.js';

/** The query parameters of a report as text. Null and empty mean absent. */
export interface ReportQuery {
  readonly from: string | null;
  readonly to: string | null;
  readonly grouping: string | null;
}

/** The UTC days of a report, `YYYY-MM-DD`, oldest first, and the grouping to which it is restricted. */
export interface ReportRange {
  readonly days: readonly [string, ...string[]];
  /** null for all groupings. */
  readonly grouping: string | null;
}

/**
 * Total usage of the outputs that finished on one UTC day under one grouping, in milliseconds. At most one entry per
 * day and grouping.
 */
export interface DailyUsage {
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  readonly encodedMs: number;
  readonly billableMs: number;
}

/** Maximum number of days in one report, both ends included (section 8). */
const maxReportDays = 60;
const defaultFirstDaysAgo = 30;
const dayMs = 24 * 60 * 60 * 1000;
const msPerMinute = 60_000;

/** One end of the range: its day as a number of days since 1970, or a validation error. */
type RangeEnd =
  | { readonly day: number; readonly isDefault: boolean }
  | { readonly day: null; readonly validationError: string };

/**
 * Parses the days of a report (section 4.10). The default is from 30 days ago to yesterday. Today is included only if
 * `to` names it, because its figures are incomplete. Returns all validation errors if the dates are invalid.
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
  const defaults = [
    ...(from.isDefault ? [`from defaults to 30 days ago, ${dayText(from.day)}`] : []),
    ...(to.isDefault ? [`to defaults to yesterday, ${dayText(to.day)}`] : []),
  ];
  const defaultsText = defaults.length === 0 ? '' : ` (${defaults.join('; ')})`;
  if (count < 1) return { validationErrors: [`from must not be later than to${defaultsText}`] };
  if (count > maxReportDays) {
    const rule = `from and to must span at most ${maxReportDays} days, both included, but span ${count}`;
    return { validationErrors: [`${rule}${defaultsText}`] };
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
  // Some engines parse February 30 as a day in March.
  if (Number.isNaN(ms) || dayText(ms / dayMs) !== text) {
    return { day: null, validationError: `${name} must be a date that exists` };
  }
  return { day: ms / dayMs, isDefault: false };
}

/** Formats a number of days since 1970 as `YYYY-MM-DD`. */
function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/**
 * The report for encoded files (section 4.10). It has one record per day for jobs without a grouping, zero if nothing
 * was encoded, and one record per grouping on each day with usage. A report for one grouping has only that grouping,
 * with a record for every day. Minutes have at most four decimals. The totals are the sums of the records.
 */
export function vodReport({ days, grouping }: ReportRange, usage: readonly DailyUsage[]): VodReport {
  const byDay = new Map<string, DailyUsage[]>(days.map((day) => [day, []]));
  for (const entry of usage) byDay.get(entry.day)?.push(entry);
  const statistics = [...byDay].flatMap(([day, entries]) => {
    const always = entries.find((entry) => entry.grouping === grouping);
    const others = grouping === null ? entries.filter((entry) => entry !== always) : [];
    return [always ?? { day, grouping, encodedMs: 0, billableMs: 0 }, ...others.sort(byGrouping)].map(vodDay);
  });
  return {
    total: {
      encoded_minutes: sum(statistics.map((record) => record.encoded_minutes)),
      billable_minutes: sum(statistics.map((record) => record.billable_minutes)),
    },
    statistics,
  };
}

/**
 * The report for live streaming (section 4.11). This daemon does not stream: the report has a record for every day,
 * with zeros.
 */
export function liveReport({ days, grouping }: ReportRange): LiveReport {
  return { total: noLive, statistics: days.map((day) => ({ grouping, collected_on: day, ...noLive })) };
}

/** Both reports in one (section 4.10). */
export function allReport(range: ReportRange, usage: readonly DailyUsage[]): AllReport {
  const live = liveReport(range);
  const vod = vodReport(range, usage);
  return {
    total: { live: live.total, vod: vod.total },
    statistics: { live: live.statistics, vod: vod.statistics },
  };
}

const noLive: LiveReport['total'] = {
  stream_hours: 0,
  billable_stream_hours: 0,
  encoded_hours: 0,
  billable_encoded_hours: 0,
  total_hours: 0,
  total_billable_hours: 0,
};

function vodDay({ day, grouping, encodedMs, billableMs }: DailyUsage): VodReport['statistics'][number] {
  return {
    grouping,
    collected_on: day,
    encoded_minutes: fourDecimals(encodedMs / msPerMinute),
    billable_minutes: fourDecimals(billableMs / msPerMinute),
  };
}

function byGrouping(a: DailyUsage, b: DailyUsage): number {
  return (a.grouping ?? '') < (b.grouping ?? '') ? -1 : 1;
}

/** Sums numbers with four decimals. Rounds the result because floating-point addition adds digits. */
function sum(values: readonly number[]): number {
  return fourDecimals(values.reduce((total, value) => total + value, 0));
}

function fourDecimals(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
