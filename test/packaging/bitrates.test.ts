import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureRates } from '../../daemon/packaging/bitrates.js';

const segments = (...all: readonly (readonly [seconds: number, bytes: number])[]) =>
  all.map(([durationSeconds, sizeBytes]) => ({ durationSeconds, sizeBytes }));

test('the peak is the highest rate of a segment, and a short last one does not count', () => {
  assert.equal(measureRates(segments([4, 1000], [4, 3000], [4, 2000]), 4), { peak: 6000, average: 4000 });
  assert.equal(measureRates(segments([4, 1000], [4, 3000], [1, 2000]), 4), { peak: 6000, average: 5334 });
  assert.equal(measureRates(segments([4, 1000], [4, 3000], [2.5, 2500]), 4).peak, 8000);
});

test('the peak is not below the average, and a single segment counts at any length', () => {
  assert.equal(measureRates(segments([4, 1000], [1, 4000]), 4), { peak: 8000, average: 8000 });
  assert.equal(measureRates(segments([1, 1000]), 4), { peak: 8000, average: 8000 });
  assert.equal(measureRates([], 4), { peak: 0, average: 0 });
});

test.run();
