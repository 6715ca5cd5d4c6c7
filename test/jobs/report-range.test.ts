import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReportQuery, readReportRange } from '../../daemon/jobs/report.js';

const now = new Date('2026-03-15T23:59:59.999Z');
const nothing: ReportQuery = { from: null, to: null, grouping: null };

function read(query: Partial<ReportQuery>, at = now) {
  const range = readReportRange({ ...nothing, ...query }, at);
  if ('validationErrors' in range) return range;
  return {
    count: range.days.length,
    first: range.days[0],
    last: range.days.at(-1),
    grouping: range.grouping,
  };
}

const good: readonly (readonly [string, Partial<ReportQuery>, number, string, string])[] = [
  ['nothing', {}, 30, '2026-02-13', '2026-03-14'],
  ['empty texts', { from: '', to: '', grouping: '' }, 30, '2026-02-13', '2026-03-14'],
  ['one day', { from: '2024-02-29', to: '2024-02-29' }, 1, '2024-02-29', '2024-02-29'],
  ['days before 1970', { from: '1969-12-31', to: '1970-01-01' }, 2, '1969-12-31', '1970-01-01'],
  ['today as the end', { to: '2026-03-15' }, 31, '2026-02-13', '2026-03-15'],
  ['days to come', { from: '2026-03-15', to: '2026-03-20' }, 6, '2026-03-15', '2026-03-20'],
  ['only yesterday as the beginning', { from: '2026-03-14' }, 1, '2026-03-14', '2026-03-14'],
  ['60 days', { from: '2026-01-01', to: '2026-03-01' }, 60, '2026-01-01', '2026-03-01'],
  ['the latest possible days', { from: '9999-12-30', to: '9999-12-31' }, 2, '9999-12-30', '9999-12-31'],
];

for (const [what, query, count, first, last] of good) {
  test(`a report for ${what} has ${count} days, ${first} to ${last}`, () => {
    assert.equal(read(query), { count, first, last, grouping: null });
  });
}

test('the days of a range are consecutive across months and leap years', () => {
  const range = readReportRange({ ...nothing, from: '2024-02-27', to: '2024-03-02' }, now);
  assert.equal('days' in range && range.days, [
    '2024-02-27',
    '2024-02-28',
    '2024-02-29',
    '2024-03-01',
    '2024-03-02',
  ]);
});

test('days begin at midnight in UTC', () => {
  const at = (time: string) => read({}, new Date(time));
  assert.is(JSON.stringify(at('2026-03-15T00:00:00Z')), JSON.stringify(at('2026-03-15T23:59:59Z')));
  assert.is.not(JSON.stringify(at('2026-03-15T00:00:00Z')), JSON.stringify(at('2026-03-14T23:59:59Z')));
});

test('a grouping is used exactly as given', () => {
  const range = readReportRange({ ...nothing, grouping: ' Éclair & Söhne' }, now);
  assert.is('grouping' in range && range.grouping, ' Éclair & Söhne');
});

const form = (name: string) => `${name} must be a date in the form YYYY-MM-DD`;
const exists = (name: string) => `${name} must be a date that exists`;
const bad: readonly (readonly [string, Partial<ReportQuery>, readonly string[]])[] = [
  ['a day beyond the end of a month', { from: '2026-02-30' }, [exists('from')]],
  ['the 29th of February in a common year', { to: '2025-02-29' }, [exists('to')]],
  ['a month that does not exist', { from: '2026-13-01' }, [exists('from')]],
  ['a day 0', { from: '2026-03-00' }, [exists('from')]],
  ['another order', { from: '15-03-2026' }, [form('from')]],
  ['a day of one digit', { to: '2026-3-01' }, [form('to')]],
  ['a time after the date', { to: '2026-03-01T00:00:00Z' }, [form('to')]],
  ['a blank after the date', { to: '2026-03-01 ' }, [form('to')]],
  ['a newline after the date', { to: '2026-03-01\n' }, [form('to')]],
  ['digits of another script', { from: '２０２６-03-01' }, [form('from')]],
  ['two wrong dates', { from: 'yesterday', to: '2026-02-30' }, [form('from'), exists('to')]],
  ['from after to', { from: '2026-03-02', to: '2026-03-01' }, ['from must not be later than to']],
  [
    'a start after yesterday without an end',
    { from: '2026-03-15' },
    ['from must not be later than to (to defaults to yesterday, 2026-03-14)'],
  ],
  [
    'an old end without a start',
    { to: '2020-01-01' },
    ['from must not be later than to (from defaults to 30 days ago, 2026-02-13)'],
  ],
  [
    '61 days',
    { from: '2026-01-01', to: '2026-03-02' },
    ['from and to must span at most 60 days, both included, but span 61'],
  ],
  [
    'an old start without an end',
    { from: '2026-01-01' },
    [
      'from and to must span at most 60 days, both included, but span 73 (to defaults to yesterday, 2026-03-14)',
    ],
  ],
];

for (const [what, query, errors] of bad) {
  test(`a report for ${what} is rejected: ${errors.join('; ')}`, () => {
    assert.equal(read(query), { validationErrors: errors });
  });
}

test.run();
