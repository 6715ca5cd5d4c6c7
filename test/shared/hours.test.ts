import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isVencError } from '../../src/shared/errors.js';
import { isInHours, nextChangeOfHours, parseHours } from '../../src/shared/hours.js';

const zoneBefore = process.env.TZ;
test.after(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

/** Local times of 2026-03-02, a Monday, and the days after it: `wed 10:00`. */
function at(text: string): Date {
  const [day = '', time = ''] = text.split(' ');
  const offset = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].indexOf(day);
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(2026, 2, 2 + offset, hours, minutes);
}

for (const [text, inside, outside] of [
  ['22:00-06:00', ['mon 22:00', 'tue 05:59', 'sun 23:00'], ['mon 21:59', 'tue 06:00']],
  ['22:00-06:00, sat, sun', ['sat 12:00', 'sun 00:00', 'mon 05:00', 'fri 22:00'], ['mon 06:00', 'fri 21:59']],
  ['mon-fri 18:00-08:00', ['fri 18:00', 'sat 07:59', 'mon 18:00'], ['mon 07:59', 'sat 18:00', 'sun 07:00']],
  ['sat 22:00-02:00', ['sat 23:00', 'sun 01:59'], ['sat 01:00', 'sun 22:00']],
  ['FRI-MON', ['fri 00:00', 'sun 12:00', 'mon 23:59'], ['tue 00:00', 'thu 23:59']],
  ['sun', ['sun 23:59'], ['sat 23:59', 'mon 00:00']],
  ['8:00-24:00', ['mon 08:00', 'mon 23:59'], ['mon 00:00', 'mon 07:59']],
  ['22:00-00:00', ['mon 23:59'], ['tue 00:00', 'mon 21:59']],
  ['08:00-12:00, 10:00-14:00', ['mon 08:00', 'mon 11:00', 'mon 13:59'], ['mon 14:00']],
] as const)
  test(`the hours ${text}`, () => {
    process.env.TZ = 'Europe/Berlin';
    const hours = parseHours(text);
    for (const time of inside) assert.ok(isInHours(hours, at(time)), time);
    for (const time of outside) assert.not(isInHours(hours, at(time)), time);
  });

for (const [text, message] of [
  ['10:00-10:00', 'begins and ends at the same time'],
  ['00:00-00:00', 'begins and ends at the same time'],
  ['25:00-26:00', 'times are from 00:00 to 24:00'],
  ['24:00-06:00', 'times are from 00:00 to 24:00'],
  ['10:60-12:00', 'times are from 00:00 to 24:00'],
  ['10-12', 'days are sun, mon'],
  ['someday', 'days are sun, mon'],
  ['mon-someday 10:00-12:00', 'days are sun, mon'],
  ['22:00-06:00,, sun', 'empty item'],
  ['', 'empty item'],
] as const)
  test(`the hours "${text}" are rejected`, () => {
    assert.throws(
      () => parseHours(text),
      (error: unknown) => isVencError(error, 'UsageError') && error.message.includes(message),
    );
  });

/** The times of the next changes from a time on, in UTC, without the date if it is that of the first. */
function changes(zone: string, text: string, from: string, count: number): readonly string[] {
  process.env.TZ = zone;
  const hours = parseHours(text);
  const found: string[] = [];
  let time = new Date(from);
  for (let index = 0; index < count; index += 1) {
    const next = nextChangeOfHours(hours, time);
    if (next === null) return [...found, 'none'];
    found.push(`${isInHours(hours, next) ? '+' : '-'}${next.toISOString().slice(5, 16)}`);
    time = next;
  }
  return found;
}

for (const [what, zone, text, from, expected] of [
  ['begin and end', 'UTC', '22:00-06:00', '2026-03-02T10:00:30Z', ['+03-02T22:00', '-03-03T06:00']],
  ['join at midnight', 'UTC', '22:00-06:00, sat, sun', '2026-03-06T10:00Z', ['+03-06T22:00', '-03-09T06:00']],
  // Berlin: 02:00 to 03:00 is left out on 29 March, and comes twice on 25 October.
  [
    'lose the left out hour',
    'Europe/Berlin',
    '02:00-03:00',
    '2026-03-28T12:00Z',
    ['+03-30T00:00', '-03-30T01:00'],
  ],
  [
    'end an hour earlier',
    'Europe/Berlin',
    '22:00-06:00',
    '2026-03-28T12:00Z',
    ['+03-28T21:00', '-03-29T04:00'],
  ],
  [
    'count the repeated hour twice',
    'Europe/Berlin',
    '02:00-02:30',
    '2026-10-24T12:00Z',
    ['+10-25T00:00', '-10-25T00:30', '+10-25T01:00', '-10-25T01:30'],
  ],
  [
    'last an hour longer',
    'Europe/Berlin',
    '22:00-06:00',
    '2026-10-24T12:00Z',
    ['+10-24T20:00', '-10-25T05:00'],
  ],
  [
    'follow New York',
    'America/New_York',
    '02:15-04:00',
    '2026-03-07T12:00Z',
    ['+03-08T07:00', '-03-08T08:00'],
  ],
  // Lord Howe changes its clock by half an hour: 02:00 is 01:30 again on 5 April.
  [
    'follow Lord Howe',
    'Australia/Lord_Howe',
    '01:30-01:45',
    '2026-04-04T10:00Z',
    ['+04-04T14:30', '-04-04T14:45', '+04-04T15:00', '-04-04T15:15'],
  ],
  ['skip a week', 'Europe/Berlin', 'sun 02:10-02:20', '2026-03-23T12:00Z', ['+04-05T00:10', '-04-05T00:20']],
  ['never end', 'UTC', 'mon-sun', '2026-03-02T10:00Z', ['none']],
] as const)
  test(`hours ${what} (${text}, ${zone})`, () => {
    assert.equal(changes(zone, text, from, expected.length), expected);
  });

test.run();
