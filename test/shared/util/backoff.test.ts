import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { backoffDelayMs } from '../../../src/shared/util/timing.js';

test('the delay starts at firstMs, doubles with each failure and stops growing at maxMs', () => {
  const delays = [1, 2, 3, 4, 5, 100, 2000].map((failures) =>
    backoffDelayMs(failures, { firstMs: 250, maxMs: 1500 }),
  );
  assert.equal(delays, [250, 500, 1000, 1500, 1500, 1500, 1500]);
});

test.run();
