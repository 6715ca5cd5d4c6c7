import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { toShortClipError, verifyOutput } from '../../daemon/pipeline/verify-output.js';
import type { Product } from '../../daemon/plan/plan-types.js';
import { VencError } from '../../src/shared/errors.js';
import { audioFacts, mediaFacts, videoFacts } from '../plan/facts.js';

const product: Product = {
  outputId: 7,
  path: '/scratch/output-7.mp4',
  expectedSeconds: 60,
  contentSeconds: 60,
  warnings: [],
  maxSeconds: 63,
  video: { codec: 'h264', width: 1280, height: 720, frameSeconds: 0.04, frames: null },
  audio: { codec: 'aac', channels: 2, sampleRate: 44_100 },
};

/** The probe result, and the error that is expected; null if the output is valid. */
const cases: readonly (readonly [string, Partial<Product>, MediaFacts | null, RegExp | null])[] = [
  ['what was planned', {}, mediaFacts(), null],
  ['an unreadable file', {}, null, /cannot be read/],
  ['a file without video', {}, mediaFacts({ video: null }), /without video\./],
  ['a file without audio', {}, mediaFacts({ audio: null }), /without audio\./],
  [
    'a file without video and audio',
    {},
    mediaFacts({ video: null, audio: null }),
    /without video and audio\./,
  ],
  ['an unexpected video stream', { video: null }, mediaFacts(), /with unexpected video/],
  ['an unexpected audio stream', { audio: null }, mediaFacts(), /with unexpected audio/],
  ['another codec', {}, mediaFacts({ video: videoFacts({ codec: 'mpeg4' }) }), /of mpeg4, not h264/],
  [
    'another width',
    {},
    mediaFacts({ video: videoFacts({ width: 1278 }) }),
    /of 1278x720 pixels, not 1280x720/,
  ],
  ['another audio codec', {}, mediaFacts({ audio: audioFacts({ codec: 'mp3' }) }), /with mp3 audio, not aac/],
  ['mono', {}, mediaFacts({ audio: audioFacts({ channels: 1 }) }), /with 1 audio channels, not 2/],
  ['three seconds too short', {}, mediaFacts({ durationSeconds: 57 }), null],
  ['four seconds too short', {}, mediaFacts({ durationSeconds: 56 }), /Only 56\.0 of 60\.0 seconds/],
  ['three seconds too long', {}, mediaFacts({ durationSeconds: 63 }), null],
  ['four seconds too long', {}, mediaFacts({ durationSeconds: 64 }), /of 64\.0 seconds instead of 60\.0/],
  [
    'a stream that is shorter than the film',
    { contentSeconds: 20 },
    mediaFacts({ durationSeconds: 20 }),
    null,
  ],
  ['any duration if none is expected', { expectedSeconds: null }, mediaFacts({ durationSeconds: 1 }), null],
  ['a longer duration if that is allowed', { maxSeconds: null }, mediaFacts({ durationSeconds: 600 }), null],
  ['an unknown duration', {}, mediaFacts({ durationSeconds: null }), null],
];
for (const [name, over, media, expected] of cases) {
  test(`${name} is ${expected === null ? 'valid' : 'an error'}`, () => {
    const error = verifyOutput({ ...product, ...over }, media);
    if (expected === null) return assert.is(error, null);
    assert.is(error?.errorClass, 'TranscodingError');
    assert.match(error?.message ?? '', expected);
  });
}

test('a clip between two frames, without any frame, is an error of the settings', () => {
  const short = { ...product, expectedSeconds: 0.02, contentSeconds: 0.02, maxSeconds: 1.02 };
  for (const media of [null, mediaFacts({ video: null, durationSeconds: 0.02 })]) {
    assert.is(verifyOutput(short, media)?.errorClass, 'InvalidVideoSettingsError');
    assert.is(verifyOutput({ ...short, video: null }, null)?.errorClass, 'InvalidVideoSettingsError');
  }
  const wide = { ...short, expectedSeconds: 0.2, contentSeconds: 0.2 };
  assert.is(verifyOutput(wide, null)?.errorClass, 'TranscodingError');
  const failure = new VencError('TranscodingError', 'The encoder gave up.');
  const isClass = (error: unknown) => (error instanceof VencError ? error.errorClass : null);
  assert.is(isClass(toShortClipError(short, failure)), 'InvalidVideoSettingsError');
  assert.is(toShortClipError(wide, failure), failure);
  const full = new VencError('OutOfSpaceError', 'There was no space left.');
  assert.is(toShortClipError(short, full), full);
  assert.is(verifyOutput(short, mediaFacts({ durationSeconds: 0.04 })), null);
});

test('a video with a low frame rate may deviate by two of its frames', () => {
  const slow = {
    ...product,
    expectedSeconds: 30,
    contentSeconds: 30,
    video: { codec: 'h264', width: 1280, height: 720, frameSeconds: 5, frames: null },
  };
  assert.is(verifyOutput(slow, mediaFacts({ durationSeconds: 20 })), null);
  assert.is.not(verifyOutput(slow, mediaFacts({ durationSeconds: 19 })), null);
});

test('a show with silence at its end may end early if all frames are there, and not if some are missing', () => {
  const video = { codec: 'h264', width: 1280, height: 720, frameSeconds: 1, frames: 20 };
  const show = { ...product, audio: null, video };
  const found = (frameCount: number) =>
    mediaFacts({ audio: null, durationSeconds: 20, video: videoFacts({ frameCount }) });
  assert.is(verifyOutput(show, found(20)), null);
  assert.match(verifyOutput(show, found(18))?.message ?? '', /Only 20\.0 of 60\.0 seconds/);
});

test.run();
