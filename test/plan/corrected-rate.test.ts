import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type BitrateMeasurement,
  bracketTarget,
  computeCorrectedKbps,
  isImproved,
  relativeError,
} from '../../daemon/plan/corrected-rate.js';

const met = (foundKbps: number, more: Partial<BitrateMeasurement> = {}): BitrateMeasurement => ({
  targetKbps: 1000,
  encoderKbps: 1000,
  measuredKbps: foundKbps,
  seconds: 2,
  capKbps: null,
  ...more,
});

const cases: readonly (readonly [string, BitrateMeasurement, number | null])[] = [
  ['a bitrate that is met to a tenth stays', met(1090), null],
  ['one that is met from below stays', met(910), null],
  ['too much is answered by telling less', met(1250), 800],
  ['too much in a long film too', met(1250, { seconds: 5000 }), 800],
  ['much too much is answered within bounds', met(9000), 250],
  ['too little in a short clip is answered by telling more', met(800), 1250],
  ['a second correction begins at the first', met(1150, { encoderKbps: 800 }), 696],
  ['too little in a long film is left: it needs no more', met(800, { seconds: 600 }), null],
  ['far too little is left: the film is easy', met(30), null],
  ['more than a cap is never told', met(800, { capKbps: 1100 }), 1100],
  ['at the cap nothing is left to tell', met(800, { capKbps: 1000 }), null],
  ['nothing at all is left', met(0), null],
];

for (const [what, rate, expected] of cases) {
  test(what, () => {
    assert.is(computeCorrectedKbps(rate), expected);
  });
}

test('after two tries that missed on either side, what lies between them is told', () => {
  const [low, high] = [met(400, { encoderKbps: 400 }), met(2500)];
  assert.is(computeCorrectedKbps(low, high), 632);
  assert.is(computeCorrectedKbps(high, low), 632);
  assert.is(computeCorrectedKbps(met(400, { encoderKbps: 400, seconds: 5000 }), high), 632);
  assert.is(computeCorrectedKbps(low, met(300, { encoderKbps: 300 })), null, 'both are below');
  assert.is(bracketTarget(met(400), met(2500, { encoderKbps: 400 })), false, 'told less, it gave more');
});

test('a correction that leaves the miss about as it was did not help', () => {
  assert.ok(Math.abs(relativeError(met(1250)) - 0.25) < 1e-9);
  assert.is(isImproved(met(1400), met(1150)), true);
  assert.is(isImproved(met(1400), met(1380)), false);
});

test.run();
