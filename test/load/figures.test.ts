import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { distributionOf } from '../helpers/load/latencies.js';
import { robustSlope } from '../helpers/load/slope.js';

const line = (perSecond: number, count = 100) =>
  Array.from({ length: count }, (_, seconds) => ({ seconds, value: 90 + seconds * perSecond }));

test('the slope of a line is exact, and few outliers do not change it', () => {
  assert.is(robustSlope(line(0.5)), 0.5);
  assert.is(robustSlope(line(0)), 0);
  const withPeaks = line(0.5).map((sample, index) => (index % 10 === 0 ? { ...sample, value: 900 } : sample));
  assert.is(robustSlope(withPeaks), 0.5);
});

test('a long series is thinned out, and one sample has no slope', () => {
  assert.is(robustSlope(line(0.25, 5000)), 0.25);
  assert.is(robustSlope(line(1, 1)), 0);
  assert.is(robustSlope([]), 0);
});

test('percentiles are those of the sorted times', () => {
  const samples = Array.from({ length: 1000 }, (_, index) => (index * 7) % 1000);
  assert.equal(distributionOf(samples), { count: 1000, p50: 500, p95: 950, p99: 990, max: 999 });
  assert.equal(distributionOf([3]), { count: 1, p50: 3, p95: 3, p99: 3, max: 3 });
});

test.run();
