import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readOrientation } from '../../daemon/ffmpeg/probe/read-video.js';
import { withOrientation } from '../encodes/video-harness.js';

const jpeg = Buffer.from('ffd8ffdb0004', 'hex');

test('the orientation of a JPEG is read in either byte order', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    assert.is(readOrientation(withOrientation(jpeg, orientation, true)), orientation);
    assert.is(readOrientation(withOrientation(jpeg, orientation, false)), orientation);
  }
});

test('it is read behind other segments', () => {
  const otherSegment = Buffer.from('ffe000064a464946', 'hex');
  const exif = withOrientation(jpeg, 6);
  assert.is(readOrientation(Buffer.concat([exif.subarray(0, 2), otherSegment, exif.subarray(2)])), 6);
});

test('truncated or invalid data counts as not rotated', () => {
  const whole = withOrientation(jpeg, 6);
  // The last byte of the entry is at offset 34.
  for (let length = 0; length < 34; length += 1) assert.is(readOrientation(whole.subarray(0, length)), 1);
  for (const nonsense of [0, 9, 65_535]) assert.is(readOrientation(withOrientation(jpeg, nonsense)), 1);
  assert.is(readOrientation(Buffer.alloc(4096, 0xff)), 1);
});

test.run();
