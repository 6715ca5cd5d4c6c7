import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chosenRate, type FrameTime, fittingRates } from '../../daemon/ffmpeg/probe/constant-rate.js';

const rate = (numerator: number, denominator = 1) => ({ numerator, denominator });
const all = [rate(24), rate(24_000, 1001), rate(25), rate(30), rate(48), rate(60), rate(60_000, 1001)];

/** Times of frames, rounded to a clock of so many ticks in a second. */
function rounded(seconds: readonly number[], perSecond = 1000): readonly FrameTime[] {
  return seconds.map((exact) => {
    const tick = Math.round(exact * perSecond);
    return { tick, seconds: tick / perSecond };
  });
}

const evenly = (frames: number, { numerator, denominator } = rate(24), start = 0) =>
  Array.from({ length: frames }, (_, at) => start + (at * denominator) / numerator);
const fit = (times: readonly FrameTime[], codec = 'h264') =>
  fittingRates(times, all, codec).map(({ numerator, denominator }) => `${numerator}/${denominator}`);

test('one rate fits all times of a long file, at any start', () => {
  for (const start of [0, 0.0213, 3.0007]) {
    assert.equal(fit(rounded(evenly(200, rate(24), start))), ['24/1']);
    assert.equal(fit(rounded(evenly(200, rate(24_000, 1001), start))), ['24000/1001']);
    assert.equal(fit(rounded(evenly(200, rate(60_000, 1001), start))), ['60000/1001']);
  }
});

test('the slow rates fit at which a whole rate does not', () => {
  assert.equal(fittingRates(rounded(evenly(60, rate(25, 2))), [rate(12), rate(25, 2), rate(13)], 'h264'), [
    rate(25, 2),
  ]);
});

test('a coarser clock, an earlier rounding and the order of decoding change nothing', () => {
  assert.equal(fit(rounded(evenly(200, rate(24_000, 1001)), 600)), ['24000/1001']);
  const twice = rounded(rounded(evenly(200, rate(24_000, 1001)), 90_000).map(({ seconds }) => seconds));
  assert.equal(fit(twice), ['24000/1001']);
  assert.equal(fit(rounded(evenly(200)).toReversed()), ['24/1']);
});

test('a gap of whole frames fits, one of parts of a frame does not', () => {
  const before = evenly(100);
  assert.equal(fit(rounded([...before, ...evenly(100, rate(24), 10)])), ['24/1']);
  assert.equal(fit(rounded([...before, ...evenly(100, rate(24), 10.02)])), []);
});

test('no rate fits one frame that is off by more than rounding, nor frames of which most are missing', () => {
  const times = evenly(5000);
  times[4800] = (times[4800] ?? 0) + 0.003;
  assert.equal(fit(rounded(times)), []);
  assert.equal(fit(rounded(evenly(40, rate(24, 5)))), []);
});

test('only VP8 has frames that share a time', () => {
  const times = rounded(evenly(100).flatMap((one, at) => (at % 30 === 1 ? [one, one] : [one])));
  assert.equal(fit(times), []);
  assert.equal(fit(times, 'vp8'), ['24/1']);
});

test('of rates that fit a short file, the standard one is chosen that is closest to the declared one', () => {
  const standard = [rate(24), rate(24_000, 1001)];
  const declared = rate(2398, 100);
  assert.equal(chosenRate([...standard, declared], declared), standard[1]);
  assert.equal(chosenRate([declared], declared), declared);
  assert.is(chosenRate([], declared), null);
});

test.run();
