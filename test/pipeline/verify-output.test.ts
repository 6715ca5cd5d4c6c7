import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../daemon/ffmpeg/index.js';
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
  audio: [{ codec: 'aac', channels: 2, sampleRate: 44_100 }],
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
  ['an unexpected audio stream', { audio: [] }, mediaFacts(), /with unexpected audio/],
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
    const error = verifyOutput({ ...product, ...over }, media).failure;
    if (expected === null) return assert.is(error, null);
    assert.is(error?.errorClass, 'TranscodingError');
    assert.match(error?.message ?? '', expected);
  });
}

test('a clip between two frames, without any frame, is an error of the settings', () => {
  const short = {
    ...product,
    isClip: true as const,
    expectedSeconds: 0.02,
    contentSeconds: 0.02,
    maxSeconds: 1.02,
  };
  for (const media of [null, mediaFacts({ video: null, durationSeconds: 0.02 })]) {
    assert.is(verifyOutput(short, media).failure?.errorClass, 'InvalidVideoSettingsError');
    assert.is(verifyOutput({ ...short, video: null }, null).failure?.errorClass, 'InvalidVideoSettingsError');
  }
  const { isClip: _, ...whole } = short;
  const slow = verifyOutput(
    {
      ...whole,
      expectedSeconds: 1,
      video: { codec: 'h264', width: 64, height: 64, frameSeconds: 5, frames: null },
    },
    null,
  ).failure;
  assert.is(slow?.errorClass, 'InvalidVideoSettingsError');
  assert.match(slow?.message ?? '', /shorter than one frame at this frame rate/);
  assert.match(
    verifyOutput({ ...whole, video: null }, null).failure?.message ?? '',
    /shorter than one frame of the output/,
  );
  const gif = { codec: 'gif', width: 64, height: 64, frameSeconds: 0.1, frames: null };
  const still = verifyOutput({ ...whole, expectedSeconds: 0.1, video: gif }, null).failure;
  assert.match(still?.message ?? '', /\.gif needs two frames/);
  const wide = { ...short, expectedSeconds: 0.2, contentSeconds: 0.2 };
  assert.is(verifyOutput(wide, null).failure?.errorClass, 'TranscodingError');
  const failure = new VencError('TranscodingError', 'The encoder gave up.');
  const isClass = (error: unknown) => (error instanceof VencError ? error.errorClass : null);
  assert.is(isClass(toShortClipError(short, failure)), 'InvalidVideoSettingsError');
  assert.is(toShortClipError(wide, failure), failure);
  const full = new VencError('OutOfSpaceError', 'There was no space left.');
  assert.is(toShortClipError(short, full), full);
  assert.is(verifyOutput(short, mediaFacts({ durationSeconds: 0.04 })).failure, null);
});

test('a video with a low frame rate may deviate by two of its frames', () => {
  const slow = {
    ...product,
    expectedSeconds: 30,
    contentSeconds: 30,
    video: { codec: 'h264', width: 1280, height: 720, frameSeconds: 5, frames: null },
  };
  assert.is(verifyOutput(slow, mediaFacts({ durationSeconds: 20 })).failure, null);
  assert.is.not(verifyOutput(slow, mediaFacts({ durationSeconds: 19 })).failure, null);
});

test('a show with silence at its end may end early if all frames are there, and not if some are missing', () => {
  const video = { codec: 'h264', width: 1280, height: 720, frameSeconds: 1, frames: 20 };
  const show = { ...product, audio: [], video };
  const found = (frameCount: number) =>
    mediaFacts({ audio: null, durationSeconds: 20, video: videoFacts({ frameCount }) });
  assert.is(verifyOutput(show, found(20)).failure, null);
  assert.match(verifyOutput(show, found(18)).failure?.message ?? '', /Only 20\.0 of 60\.0 seconds/);
});

/** The counts of a run that decoded 60 s and wrote a part of it. */
function reportOf(frames: number, samples: number, over: Partial<RunReport> = {}): RunReport {
  const counts = (count: number, sampleCount: number | null) => ({
    packets: count,
    frames: count,
    samples: sampleCount,
  });
  return {
    ...{ isDamaged: false, hasErrors: false, isCutOff: false },
    read: new Map([
      ['/in:0', counts(1500, null)],
      ['/in:1', counts(2600, 44_100 * 60)],
    ]),
    written: new Map([[product.path, { video: counts(frames, null), audio: [counts(2600, samples)] }]]),
    ...over,
  };
}

const source = { isCopied: false, unitsPerRead: 1, startSeconds: 0, lengthSeconds: null } as const;
const counted: Product = {
  ...product,
  sources: {
    video: { ...source, stream: '/in:0', unitsPerSecond: 25 },
    audio: [{ ...source, stream: '/in:1', unitsPerSecond: 44_100 }],
  },
};
const second = 44_100;

/** What was written of 1500 frames and 60 s, the settings, and the outcome. */
const losses = [
  ['all', 1500, 60 * second, {}, { failure: null, warnings: [] }],
  ['1 % less audio', 1500, 59.4 * second, {}, { failure: null, warnings: [] }],
  ['5 % less audio', 1500, 57 * second, {}, /57\.0 of 60\.0 seconds of the audio.*lost/],
  [
    '5 % less audio, strictly',
    1500,
    57 * second,
    { strict: true },
    /^only 57\.0 of 60\.0 seconds of the audio/,
  ],
  ['a fifth less audio', 1500, 48 * second, {}, /^only 48\.0 of 60\.0 seconds of the audio/],
  ['a fifth less video', 1200, 60 * second, {}, /^only 1200 of 1500 frames of the video/],
  ['5 % less video', 1425, 60 * second, {}, /only 1425 of 1500 frames of the video.*lost/],
] as const;
for (const [what, frames, samples, settings, expected] of losses) {
  test(`${what} than was decoded is ${expected instanceof RegExp ? 'reported' : 'valid'}`, () => {
    const found = verifyOutput(counted, mediaFacts(), { report: reportOf(frames, samples), settings });
    if (!(expected instanceof RegExp)) return assert.equal(found, expected);
    const text = found.failure?.message.replace('The output has ', '') ?? found.warnings.join();
    assert.match(text, expected);
  });
}

test('only the part of a clip is wanted', () => {
  const clip = (startSeconds: number, lengthSeconds: number | null): Product => ({
    ...counted,
    sources: {
      video: { ...source, stream: '/in:0', unitsPerSecond: 25, startSeconds, lengthSeconds },
      audio: [{ ...source, stream: '/in:1', unitsPerSecond: second, startSeconds, lengthSeconds }],
    },
    ...{ expectedSeconds: 10, contentSeconds: 10, maxSeconds: 11 },
  });
  const media = mediaFacts({ durationSeconds: 10 });
  const verify = (part: Product, frames: number, samples: number) =>
    verifyOutput(part, media, { report: reportOf(frames, samples), settings: {} });
  assert.equal(verify(clip(0, 10), 250, 10 * second), { failure: null, warnings: [] });
  assert.equal(verify(clip(50, null), 250, 10 * second), { failure: null, warnings: [] });
  assert.match(verify(clip(0, 10), 250, 2 * second).failure?.message ?? '', /2\.0 of 10\.0 seconds/);
});

test('an undamaged input that is shorter or longer than it declares is valid, with a warning', () => {
  for (const [seconds, warning] of [
    [40, 'The input declares 60.0 seconds and has 40.0.'],
    [90, 'The input declares 60.0 seconds and has 90.0.'],
  ] as const) {
    const report = reportOf(1500, 60 * second);
    const found = verifyOutput(counted, mediaFacts({ durationSeconds: seconds }), { report, settings: {} });
    assert.equal(found, { failure: null, warnings: [warning] });
  }
});

test('silence before audio that begins late does not make the length wrong', () => {
  const late: Product = { ...counted, contentSeconds: 40 };
  const report = reportOf(1500, 60 * second);
  const found = verifyOutput(late, mediaFacts({ durationSeconds: 60 }), { report, settings: {} });
  assert.equal(found, { failure: null, warnings: [] });
});

test('a truncated input fails unless that is allowed', () => {
  const media = mediaFacts({ durationSeconds: 40 });
  const report = reportOf(1500, 60 * second, { isCutOff: true });
  const failed = verifyOutput(counted, media, { report, settings: {} });
  assert.match(failed.failure?.message ?? '', /Only 40\.0 of 60\.0 seconds.*--allow-truncated/);
  const allowed = verifyOutput(counted, media, { report, settings: { allow_truncated: true } });
  assert.equal(allowed, {
    failure: null,
    warnings: ['Only 40.0 of 60.0 seconds could be encoded: the input is truncated or damaged.'],
  });
  const whole = { ...counted, contentSeconds: 40, wholeSeconds: 60 };
  const none = { report: reportOf(1500, 60 * second), settings: {} };
  assert.match(verifyOutput(whole, media, none).failure?.message ?? '', /Only 40\.0 of 60\.0 seconds/);
});

test('cover images and files that are missing are warnings', () => {
  const expected = { ...product, covers: 2, attachments: 1 };
  const attachments = [{ streamIndex: 3, codec: 'ttf' }];
  const found = mediaFacts({ covers: [{ streamIndex: 2, codec: 'png' }], attachments });
  assert.equal(verifyOutput(expected, found), {
    failure: null,
    warnings: ['The output has only 1 of 2 cover images: the others were lost.'],
  });
  assert.is(verifyOutput(expected, mediaFacts()).warnings.length, 2);
});

test.run();
