import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findMisalignment, type NamedTimes } from '../../daemon/packaging/verify-alignment.js';

const rendition = (
  name: string,
  starts: readonly number[],
  fields: Partial<NamedTimes> = {},
): NamedTimes => ({
  name,
  starts,
  endSeconds: 13,
  segmentSeconds: 4,
  frameSeconds: 0.04,
  isInputCopied: false,
  ...fields,
});

const grid = rendition('high', [0, 4, 8, 12]);

for (const [what, other] of [
  ['the same starts', rendition('low', [0, 4, 8, 12])],
  [
    'starts within a frame of the slower rendition',
    rendition('low', [0, 4.1, 8, 12.1], { frameSeconds: 0.1 }),
  ],
  ['no segment for the last frames', rendition('low', [0, 4, 8], { endSeconds: 12, frameSeconds: 1 })],
  ['another length of segments', rendition('low', [0, 6, 12], { segmentSeconds: 6 })],
  ['a variable frame rate', rendition('low', [0, 4.5, 8, 12], { frameSeconds: null })],
] as const) {
  test(`renditions may have ${what}`, () => {
    assert.is(findMisalignment([grid, other]), null);
    assert.is(findMisalignment([other, grid]), null);
  });
}

test('starts that differ by more than a frame are found in any rendition', () => {
  const shifted = rendition('low', [0, 4, 8.08, 12]);
  assert.is(
    findMisalignment([grid, rendition('middle', grid.starts), shifted]),
    'segment 3 begins at 8.000 s in high and at 8.080 s in low',
  );
  const short = rendition('low', [0, 4]);
  assert.is(findMisalignment([grid, short]), 'segment 3 begins at 8.000 s in high and at 13.000 s in low');
  assert.is(findMisalignment([grid]), null);
  assert.is(findMisalignment([]), null);
});

test.run();
