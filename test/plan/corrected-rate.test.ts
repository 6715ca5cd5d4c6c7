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
  ['a bitrate within a tenth above the target is kept', met(1090), null],
  ['one within a tenth below is kept', met(910), null],
  ['too much lowers the encoder bitrate', met(1250), 800],
  ['too much in a long film lowers it too', met(1250, { seconds: 5000 }), 800],
  ['far too much is corrected within limits', met(9000), 250],
  ['too little in a short clip raises the encoder bitrate', met(800), 1250],
  ['a second correction starts from the first', met(1150, { encoderKbps: 800 }), 696],
  ['too little in a long film is kept: it needs no more', met(800, { seconds: 600 }), null],
  ['far too little is kept: the film is easy to encode', met(30), null],
  [
    'the bitrate for a size has tenths',
    met(24, { targetKbps: 25, encoderKbps: 25, sizeTolerance: 0.01 }),
    26,
  ],
  ['those of a small file count', met(24.5, { targetKbps: 25, encoderKbps: 25, sizeTolerance: 0.01 }), 25.5],
  ['a correction never exceeds the cap', met(800, { capKbps: 1100 }), 1100],
  ['at the cap there is no correction', met(800, { capKbps: 1000 }), null],
  ['an empty output gets no correction', met(0), null],
];

for (const [what, rate, expected] of cases) {
  test(what, () => {
    assert.is(computeCorrectedKbps(rate), expected);
  });
}

test('after two attempts on either side of the target, the next one is between them', () => {
  const [low, high] = [met(400, { encoderKbps: 400 }), met(2500)];
  assert.is(computeCorrectedKbps(low, high), 632);
  assert.is(computeCorrectedKbps(high, low), 632);
  assert.is(computeCorrectedKbps(met(400, { encoderKbps: 400, seconds: 5000 }), high), 632);
  assert.is(computeCorrectedKbps(low, met(300, { encoderKbps: 300 })), null, 'both are below');
  assert.is(bracketTarget(met(400), met(2500, { encoderKbps: 400 })), false, 'a lower setting gave more');
});

test('a correction that hardly changes the error is not an improvement', () => {
  assert.ok(Math.abs(relativeError(met(1250)) - 0.25) < 1e-9);
  assert.is(isImproved(met(1400), met(1150)), true);
  assert.is(isImproved(met(1400), met(1380)), false);
});

test.run();
