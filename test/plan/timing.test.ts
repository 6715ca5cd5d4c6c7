import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decidePicture } from '../../daemon/plan/decide/picture.js';
import type { OutputSettings } from '../../src/api/settings/index.js';
import { videoFacts } from './facts.js';

function timing(
  facts: Parameters<typeof videoFacts>[0],
  format = 'mpeg4',
  encoder: 'libx264' | 'libtheora' = 'libx264',
) {
  const decided = decidePicture({}, videoFacts(facts), encoder, format);
  return 'picture' in decided ? decided.picture.timing : null;
}

test('an even rate is told in whole frames', () => {
  assert.equal(timing({}), { by: 'own-times', clock: { by: 'frames' } });
});

test('an uneven rate, and one that is not known, keep their times in the finest steps', () => {
  assert.equal(timing({ isFrameRateVariable: true }), { by: 'own-times', clock: { by: 'fine' } });
  assert.equal(timing({ frameRate: null }), { by: 'own-times', clock: { by: 'fine' } });
});

test('a rate that Matroska remarks on is told in parts of a frame, three milliseconds and more', () => {
  const film = timing({ frameRate: { numerator: 24_000, denominator: 1001 } }, 'matroska');
  assert.equal(film, {
    by: 'own-times',
    clock: { by: 'part-frames', step: { numerator: 1001, denominator: 24_000 * 13 } },
  });
  const fast = timing({ frameRate: { numerator: 1000, denominator: 1 } }, 'webm');
  assert.equal(fast, {
    by: 'own-times',
    clock: { by: 'part-frames', step: { numerator: 1, denominator: 1000 } },
  });
});

test('theora counts frames, so they come at an even rate', () => {
  assert.equal(timing({ isFrameRateVariable: true }, 'mpeg4', 'libtheora'), {
    by: 'even-rate',
    rate: { numerator: 25, denominator: 1 },
  });
  assert.equal(timing({ frameRate: null }, 'mpeg4', 'libtheora'), {
    by: 'even-rate',
    rate: { numerator: 25, denominator: 1 },
  });
});

const fields: readonly (readonly [
  OutputSettings['deinterlace'],
  'progressive' | 'top-first' | 'bottom-first' | 'unknown',
  string | null,
])[] = [
  [undefined, 'progressive', null],
  [undefined, 'unknown', null],
  [undefined, 'top-first', 'top-first'],
  ['detect', 'bottom-first', 'bottom-first'],
  ['off', 'top-first', null],
  ['on', 'progressive', 'as-flagged'],
  ['on', 'unknown', 'as-flagged'],
  ['on', 'bottom-first', 'bottom-first'],
];

for (const [mode, fieldOrder, expected] of fields) {
  test(`deinterlace ${mode ?? 'left out'} of ${fieldOrder} fields is ${expected ?? 'nothing'}`, () => {
    const settings = mode === undefined ? {} : { deinterlace: mode };
    const decided = decidePicture(settings, videoFacts({ fieldOrder }), 'libx264', 'mpeg4');
    assert.is('picture' in decided ? decided.picture.deinterlace : 'fault', expected);
  });
}

test('a picture that would be beyond the limit is a fault, whatever makes it so large', () => {
  const tall = videoFacts({ width: 100, height: 8000 });
  const enlarged = decidePicture({ width: 8192, upscale: true }, tall, 'libx264', 'mpeg4');
  const stretched = videoFacts({ sampleAspectRatio: { numerator: 1000, denominator: 1 } });
  for (const decided of [enlarged, decidePicture({}, stretched, 'libx264', 'mpeg4')]) {
    assert.is('fault' in decided && decided.fault.errorClass, 'InvalidVideoSettingsError');
  }
});

test('a picture smaller than its encoder takes is a fault that names the encoder', () => {
  const decided = decidePicture({ width: 32 }, videoFacts(), 'libsvtav1', 'mpeg4');
  assert.match('fault' in decided ? decided.fault.message : '', /32x18 pixels, and libsvtav1/);
});

test.run();
