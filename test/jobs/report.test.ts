import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReportRange } from '../../daemon/jobs/report.js';
import { allReport, type DailyUsage, liveReport, vodReport } from '../../daemon/jobs/report.js';

const range: ReportRange = { days: ['2026-01-01', '2026-01-02', '2026-01-03'], grouping: null };

function used(day: string, grouping: string | null, encodedMs: number, billableMs = encodedMs): DailyUsage {
  return { day, grouping, encodedMs, billableMs };
}

const rows = ({ statistics }: ReturnType<typeof vodReport>) =>
  statistics.map((record) => [
    record.collected_on,
    record.grouping,
    record.encoded_minutes,
    record.billable_minutes,
  ]);

test('a report without any usage has a record of zeros for each day', () => {
  const report = vodReport(range, []);
  assert.equal(rows(report), [
    ['2026-01-01', null, 0, 0],
    ['2026-01-02', null, 0, 0],
    ['2026-01-03', null, 0, 0],
  ]);
  assert.equal(report.total, { encoded_minutes: 0, billable_minutes: 0 });
});

test('groupings have records only on days with usage, by name, after the record of jobs without a grouping', () => {
  const report = vodReport(range, [
    used('2026-01-03', 'b', 60_000),
    used('2026-01-01', 'b', 30_000),
    used('2026-01-01', 'a', 90_000, 0),
    used('2026-01-01', 'B', 6_000),
    used('2026-01-03', null, 120_000, 60_000),
  ]);
  assert.equal(rows(report), [
    ['2026-01-01', null, 0, 0],
    ['2026-01-01', 'B', 0.1, 0.1],
    ['2026-01-01', 'a', 1.5, 0],
    ['2026-01-01', 'b', 0.5, 0.5],
    ['2026-01-02', null, 0, 0],
    ['2026-01-03', null, 2, 1],
    ['2026-01-03', 'b', 1, 1],
  ]);
  assert.equal(report.total, { encoded_minutes: 5.1, billable_minutes: 2.6 });
});

test('a report for one grouping contains only that, with a record for every day', () => {
  const usage = [
    used('2026-01-01', null, 60_000),
    used('2026-01-02', 'a', 60_000),
    used('2026-01-02', 'b', 6e6),
  ];
  const report = vodReport({ ...range, grouping: 'a' }, usage);
  assert.equal(rows(report), [
    ['2026-01-01', 'a', 0, 0],
    ['2026-01-02', 'a', 1, 1],
    ['2026-01-03', 'a', 0, 0],
  ]);
  assert.equal(report.total, { encoded_minutes: 1, billable_minutes: 1 });
});

test('usage of other days is omitted', () => {
  assert.equal(vodReport(range, [used('2025-12-31', null, 60_000)]).total.encoded_minutes, 0);
});

test('minutes have at most four decimals, and totals are exact sums of the rounded values', () => {
  const usage = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => used(day, null, 2_002, 6_000));
  const report = vodReport(range, usage);
  assert.equal(rows(report)[0], ['2026-01-01', null, 0.0334, 0.1]);
  assert.equal(report.total, { encoded_minutes: 0.1002, billable_minutes: 0.3 });
});

test('live figures are zeros for the same days', () => {
  const { total, statistics } = liveReport({ ...range, grouping: 'a' });
  assert.equal(
    statistics.map(({ grouping, collected_on }) => [collected_on, grouping]),
    range.days.map((day) => [day, 'a']),
  );
  assert.equal(statistics[0], { grouping: 'a', collected_on: '2026-01-01', ...total });
  assert.equal([...new Set(Object.values(total))], [0]);
});

test('the report for all contains the two others', () => {
  const usage = [used('2026-01-02', 'a', 60_000)];
  const [all, live, vod] = [allReport(range, usage), liveReport(range), vodReport(range, usage)];
  assert.equal(all.total, { live: live.total, vod: vod.total });
  assert.equal(all.statistics, { live: live.statistics, vod: vod.statistics });
});

test.run();
