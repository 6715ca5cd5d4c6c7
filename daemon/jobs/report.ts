import type { AllReport, LiveReport, VodReport } from '../../src/shared/records.js';
import type { ReportRange } from './report-range.js';

/** What the finished outputs of one UTC day and grouping come to, in milliseconds: one entry for each such pair, if any. */
export interface DailyUsage {
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  readonly encodedMs: number;
  readonly billableMs: number;
}

const msPerMinute = 60_000;

/**
 * The report for files encoded (section 4.10): one record a day for jobs without a grouping, zero where nothing was encoded, and one for
 * each grouping on the days on which it was used. With a grouping asked for it is that one alone, a record for every day.
 * Minutes have at most four decimals; the totals are the sums of the records that are shown.
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

/** The report for live streaming (section 4.11). This daemon has none: every day is there, and every figure is zero. */
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

/** Of numbers with four decimals: rounded again, since a sum of such brings digits behind them that nobody meant. */
function sum(values: readonly number[]): number {
  return fourDecimals(values.reduce((total, value) => total + value, 0));
}

function fourDecimals(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
