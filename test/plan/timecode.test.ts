import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { timecodeAt } from '../../daemon/plan/decide/timecode.js';

const rate = (numerator: number, denominator = 1) => ({ numerator, denominator });
const ntsc = rate(30_000, 1001);

/** The timecodes of all frames of a day at a rate that drops frame numbers, counted as a clock would. */
function* countedDay(perSecond: number, dropped: number): Generator<string> {
  const two = (value: number) => String(value).padStart(2, '0');
  for (let minute = 0; minute < 24 * 60; minute += 1)
    for (let second = 0; second < 60; second += 1)
      for (let frame = 0; frame < perSecond; frame += 1) {
        if (second === 0 && frame < dropped && minute % 10 !== 0) continue;
        yield `${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(second)};${two(frame)}`;
      }
}

test('frame numbers are dropped as a clock that counts them one by one does', () => {
  let number = 0;
  for (const text of countedDay(30, 2)) {
    if (number % 997 === 0 || /:00;0[0-3]$/.test(text))
      assert.is(timecodeAt('00:00:00;00', (number * 1001) / 30_000, ntsc, ntsc), text);
    number += 1;
  }
  assert.is(number, 2_589_408);
  assert.is(timecodeAt('23:59:59;29', 1001 / 30_000, ntsc, ntsc), '00:00:00;00');
});

for (const [text, start, from, to, expected] of [
  ['01:00:00:00', 0, rate(25), rate(25), '01:00:00:00'],
  ['01:00:00:00', 10.04, rate(25), rate(25), '01:00:10:01'],
  ['01:00:00:24', 0, rate(25), rate(50), '01:00:00:48'],
  ['10:00:00:00', 1, rate(24_000, 1001), rate(24_000, 1001), '10:00:01:00'],
  ['01:00:00;00', 0, ntsc, rate(25), '01:00:00:00'],
  ['00:01:00.02', 0, ntsc, ntsc, '00:01:00;02'],
  ['01:00:00;00', 0, rate(60_000, 1001), rate(60_000, 1001), '01:00:00;00'],
  ['00:01:00;04', 0, rate(60_000, 1001), rate(60_000, 1001), '00:01:00;04'],
  ['01:00:00:100', 0, rate(120), rate(120), '01:00:00:100'],
  ['00:00:00:00', 0, rate(0), rate(25), null],
  ['1:0:0:0', 0, rate(25), rate(25), null],
  ['', 0, rate(25), rate(25), null],
] as const) {
  test(`${text} after ${start} s, from ${from.numerator}/${from.denominator} to ${to.numerator}/${to.denominator}`, () => {
    assert.is(timecodeAt(text, start, from, to), expected);
  });
}

test.run();
