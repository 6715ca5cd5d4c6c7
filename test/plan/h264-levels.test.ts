import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bitrateFactor,
  fittingLevel,
  type H264Level,
  h264Levels,
  maxReferenceFrames,
} from '../../daemon/plan/decide/h264-levels.js';

const sizes: readonly (readonly [
  width: number,
  height: number,
  rate: number,
  given: H264Level,
  fits: H264Level,
])[] = [
  [176, 144, 15, '1', '1'],
  [320, 240, 10, '1', '1.1'],
  [352, 288, 30, '1', '1.3'],
  [720, 576, 25, '1', '3'],
  [1280, 720, 30, '3', '3.1'],
  [1920, 1080, 30, '3', '4'],
  [1920, 1080, 60, '4', '4.2'],
  [3840, 2160, 30, '4', '5.1'],
  [1280, 720, 30, '4.1', '4.1'],
];

for (const [width, height, framesPerSecond, given, fits] of sizes) {
  test(`${width}x${height} at ${framesPerSecond} needs level ${fits} if ${given} is requested`, () => {
    assert.is(fittingLevel(given, { width, height, framesPerSecond }), fits);
  });
}

test('the reference frames of a level are limited by the size of its buffer', () => {
  const at = (width: number, height: number) => ({ width, height, framesPerSecond: 30 });
  assert.is(maxReferenceFrames('4', at(1920, 1080)), 4);
  assert.is(maxReferenceFrames('3.1', at(1280, 720)), 5);
  assert.is(maxReferenceFrames('5.1', at(320, 180)), 16);
});

test('profiles raise the bitrates of a level', () => {
  assert.equal(
    ['baseline', 'main', 'high', 'high10', 'high444', null].map(bitrateFactor),
    [1, 1, 1.25, 3, 4, 1.25],
  );
  assert.is(h264Levels['4.1'].maxKbps, 50_000);
});

test.run();
