import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideTimes } from '../../daemon/plan/decide/thumbnails.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';

const rate = { numerator: 25, denominator: 1 };
const rates = { inputFrameRate: rate, outputFrameRate: rate };

/** The settings of a set, the length of the output, and the times of the images. */
const cases: readonly (readonly [ThumbnailSettings, number, readonly number[]])[] = [
  [{}, 8, [4]],
  [{ number: 3 }, 8, [2, 4, 6]],
  [{ number: 5, start_at_first_frame: true }, 5, [0, 1, 2, 3, 4]],
  [{ interval: 2 }, 5, [2, 4]],
  [{ interval: 60 }, 720, Array.from({ length: 12 }, (_, index) => (index + 1) * 60)],
  [{ interval: 60 }, 719.99, Array.from({ length: 12 }, (_, index) => (index + 1) * 60)],
  [{ interval: 2, start_at_first_frame: true }, 5, [0, 2, 4]],
  [{ interval: 10 }, 5, [2.5]],
  [{ interval: 10, start_at_first_frame: true }, 5, [0]],
  [{ interval_in_frames: 50 }, 5, [2, 4]],
  [{ interval_in_frames: 50, interval: 1, number: 9 }, 5, [2, 4]],
  [{ times: [3, 0, 4.5, 9] }, 5, [3, 0, 4.5]],
  [{ times: [9] }, 5, []],
  [{ interval: 5.03 }, 5, [2.5]],
  [{ times: [5, 5.03] }, 5, [5]],
  [{ interval: 0.05 }, 1, Array.from({ length: 20 }, (_, index) => (index + 1) * 0.05)],
];

for (const [set, seconds, expected] of cases) {
  test(`the times of ${JSON.stringify(set)} in ${seconds} seconds`, () => {
    const { seconds: found, everySeconds, warnings } = decideTimes(set, seconds, rates, 500);
    assert.equal(
      found.map((one) => one.toFixed(6)),
      expected.map((one) => one.toFixed(6)),
    );
    assert.is(everySeconds === null, set.times !== undefined);
    assert.is(warnings.length, (set.times?.length ?? found.length) === found.length ? 0 : 1);
  });
}

test('an interval in frames counts the frames of the input', () => {
  const inputFrameRate = { numerator: 50, denominator: 1 };
  const { seconds } = decideTimes(
    { interval_in_frames: 50 },
    3,
    { inputFrameRate, outputFrameRate: rate },
    500,
  );
  assert.equal(seconds, [1, 2, 3]);
});

test('a set has at most 500 images, and the output a warning', () => {
  const { seconds, warnings } = decideTimes({ interval: 0.01 }, 60, rates, 500);
  assert.is(seconds.length, 500);
  assert.match(
    warnings.join(),
    /^Only the first 500 of 6002 thumbnails were taken: use a longer interval\.$/,
  );
});

test.run();
