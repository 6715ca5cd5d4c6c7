import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentSecondsOf, decideClip, extendsIntoClip } from '../../daemon/plan/decide/clip.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, videoFacts } from './facts.js';

interface Case {
  readonly settings: OutputSettings;
  readonly isTest?: boolean;
  readonly format?: string;
  readonly durationSeconds?: number | null;
  /** Start, where reading begins, maximum length, expected length. */
  readonly gives: readonly [number, number, number | null, number | null];
}

const cases: readonly Case[] = [
  { settings: {}, gives: [0, 0, null, 60] },
  { settings: { start_clip: 10 }, gives: [10, 10, null, 50] },
  { settings: { clip_length: 5.5 }, gives: [0, 0, 5.5, 5.5] },
  { settings: { start_clip: 58, clip_length: 5 }, gives: [58, 58, 5, 2] },
  { settings: {}, isTest: true, gives: [0, 0, 5, 5] },
  { settings: { start_clip: 58 }, isTest: true, gives: [58, 58, 5, 2] },
  { settings: { clip_length: 3 }, isTest: true, gives: [0, 0, 3, 3] },
  { settings: { clip_length: 30 }, isTest: true, gives: [0, 0, 5, 5] },
  { settings: { start_clip: 90, clip_length: 5 }, durationSeconds: null, gives: [90, 90, 5, 5] },
  { settings: { start_clip: 90 }, durationSeconds: null, gives: [90, 90, null, null] },
  { settings: { start_clip: 30 }, format: 'mpeg-ts', gives: [30, 18, null, 30] },
  { settings: { start_clip: 3 }, format: 'mpeg-ts', gives: [3, 0, null, 57] },
  { settings: { start_clip: 30 }, format: 'h264', gives: [30, 0, null, 30] },
];

test('with a constant rate, a start between two frames is that of the later frame', () => {
  const startOf = (start: number, video: Parameters<typeof videoFacts>[0], settings: OutputSettings = {}) => {
    const decided = decideClip(
      { ...settings, start_clip: start },
      false,
      mediaFacts({ video: videoFacts(video) }),
    );
    return 'clip' in decided ? decided.clip.startSeconds : null;
  };
  const pal = { frameRate: { numerator: 25, denominator: 1 } };
  assert.equal(
    [1.48, 1.49, 1.5, 1.51, 1.52].map((start) => startOf(start, pal)),
    [1.48, 1.52, 1.52, 1.52, 1.52],
  );
  const film = startOf(1, { frameRate: { numerator: 24_000, denominator: 1001 } }) ?? 0;
  assert.ok(film <= 1.001 && film > 1.001 - 2e-6, String(film));
  assert.is(startOf(1.5, { ...pal, isFrameRateVariable: true }), 1.5);
  assert.is(startOf(1.5, { frameRate: null }), 1.5);
  assert.is(startOf(1.5, pal, { skip_video: true }), 1.5);
});

test('streams of one kind have media as far as the longest of them reaches', () => {
  const clip = { startSeconds: 0, readFromSeconds: 0, startsInFrame: false, lengthSeconds: null };
  const [short, long, unknown] = [2, 3, null].map((durationSeconds) =>
    audioFacts({ durationSeconds, startSeconds: 0 }),
  );
  const of = (...streams: readonly (typeof short)[]) =>
    contentSecondsOf(
      { ...clip, expectedSeconds: 4 },
      streams.flatMap((one) => one ?? []),
      mediaFacts({ durationSeconds: 4 }),
    );
  assert.equal([of(short), of(short, long), of(long, unknown), of()], [2, 3, 4, 4]);
  const film = [videoFacts({ durationSeconds: 1 }), audioFacts({ durationSeconds: 2 })];
  assert.is(contentSecondsOf({ ...clip, expectedSeconds: 4 }, film, mediaFacts({})), 4);
});

for (const { settings, isTest = false, format = 'mpeg4', durationSeconds = 60, gives } of cases) {
  const mode = isTest ? ' in test mode' : '';
  test(`${JSON.stringify(settings)} of ${durationSeconds} s of ${format}${mode} is ${gives.join(', ')}`, () => {
    const decided = decideClip(settings, isTest, mediaFacts({ format, durationSeconds }));
    const [startSeconds, readFromSeconds, lengthSeconds, expectedSeconds] = gives;
    assert.equal(decided, {
      clip: { startSeconds, readFromSeconds, startsInFrame: false, lengthSeconds, expectedSeconds },
    });
  });
}

test('a clip that begins at or after the end is an error that names the end', () => {
  for (const start of [60, 61]) {
    const decided = decideClip({ start_clip: start }, false, mediaFacts());
    assert.equal(decided, {
      failure: {
        errorClass: 'InvalidVideoSettingsError',
        message: `start_clip is ${start} seconds, but the input ends after 60.`,
      },
    });
  }
});

test('a stream that ended before the clip has no frames in it; an unknown duration counts as present', () => {
  const clip = {
    startSeconds: 10,
    readFromSeconds: 10,
    startsInFrame: false,
    lengthSeconds: null,
    expectedSeconds: null,
  };
  const from = (startSeconds: number | null, durationSeconds: number | null, other = 0) => {
    const video = videoFacts({ startSeconds, durationSeconds });
    return extendsIntoClip(video, clip, mediaFacts({ video, audio: audioFacts({ startSeconds: other }) }));
  };
  assert.not(from(0, 10));
  assert.ok(from(2, 10));
  assert.not(from(2, 10, 2), 'a late start applies to all streams');
  assert.ok(from(null, null));
});

test.run();
