import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { areAround, correctedKbps, helped, missOf, type RateMet } from '../../daemon/plan/corrected-rate.js';

const met = (foundKbps: number, more: Partial<RateMet> = {}): RateMet => ({
  askedKbps: 1000,
  toldKbps: 1000,
  foundKbps,
  seconds: 2,
  capKbps: null,
  ...more,
});

const cases: readonly (readonly [string, RateMet, number | null])[] = [
  ['a bitrate that is met to a tenth stays', met(1090), null],
  ['one that is met from below stays', met(910), null],
  ['too much is answered by telling less', met(1250), 800],
  ['too much in a long film too', met(1250, { seconds: 5000 }), 800],
  ['much too much is answered within bounds', met(9000), 250],
  ['too little in a short clip is answered by telling more', met(800), 1250],
  ['a second correction begins at the first', met(1150, { toldKbps: 800 }), 696],
  ['too little in a long film is left: it needs no more', met(800, { seconds: 600 }), null],
  ['far too little is left: the film is easy', met(30), null],
  ['more than a cap is never told', met(800, { capKbps: 1100 }), 1100],
  ['at the cap nothing is left to tell', met(800, { capKbps: 1000 }), null],
  ['nothing at all is left', met(0), null],
];

for (const [what, rate, expected] of cases) {
  test(what, () => {
    assert.is(correctedKbps(rate), expected);
  });
}

test('after two tries that missed on either side, what lies between them is told', () => {
  const [low, high] = [met(400, { toldKbps: 400 }), met(2500)];
  assert.is(correctedKbps(low, high), 632);
  assert.is(correctedKbps(high, low), 632);
  assert.is(correctedKbps(met(400, { toldKbps: 400, seconds: 5000 }), high), 632);
  assert.is(correctedKbps(low, met(300, { toldKbps: 300 })), null, 'both are below');
  assert.is(areAround(met(400), met(2500, { toldKbps: 400 })), false, 'told less, it gave more');
});

test('a correction that leaves the miss about as it was did not help', () => {
  assert.ok(Math.abs(missOf(met(1250)) - 0.25) < 1e-9);
  assert.is(helped(met(1400), met(1150)), true);
  assert.is(helped(met(1400), met(1380)), false);
});

test.run();
