import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideVideo } from '../../daemon/plan/decide/decide-video.js';
import { rateOf } from '../../daemon/plan/decide/timing.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { videoFacts } from './facts.js';

function timing(
  facts: Parameters<typeof videoFacts>[0],
  format = 'mpeg4',
  encoder: 'libx264' | 'libtheora' = 'libx264',
) {
  const decided = decideVideo({}, videoFacts(facts), encoder, { format, firstFrameSeconds: 0 });
  return 'video' in decided ? decided.video.timing : null;
}

test('a constant rate is written in whole frames', () => {
  assert.equal(timing({}), { by: 'source-timestamps', clock: { by: 'frames' }, dropRules: [] });
});

test('a variable or unknown rate keeps its times in the finest steps', () => {
  assert.equal(timing({ isFrameRateVariable: true }), {
    by: 'source-timestamps',
    clock: { by: 'fine' },
    dropRules: [],
  });
  assert.equal(timing({ frameRate: null }), {
    by: 'source-timestamps',
    clock: { by: 'fine' },
    dropRules: [],
  });
});

test('a rate that Matroska declares is believed only if the times of all frames were read', () => {
  const frameRate = { numerator: 24_000, denominator: 1001 };
  const fine = { by: 'source-timestamps', clock: { by: 'fine' }, dropRules: [] };
  assert.equal(timing({ frameRate }, 'matroska'), fine);
  assert.equal(timing({ frameRate, hasRoundedTimes: true }, 'matroska'), {
    by: 'source-timestamps',
    clock: { by: 'frames' },
    dropRules: [],
    gridRate: frameRate,
  });
});

test('a video that starts between two frames is written in parts of a frame, an odd number', () => {
  const facts = videoFacts({ frameRate: { numerator: 24, denominator: 1 } });
  const decided = decideVideo({}, facts, 'libx264', { format: 'mpeg4', firstFrameSeconds: 0.021 });
  assert.equal('video' in decided && decided.video.timing, {
    by: 'source-timestamps',
    clock: { by: 'frame-fractions', step: { numerator: 1, denominator: 24 * 41 } },
    dropRules: [],
    gridRate: facts.frameRate,
  });
});

test('theora counts frames, so they have a constant rate', () => {
  assert.equal(timing({ isFrameRateVariable: true }, 'mpeg4', 'libtheora'), {
    by: 'constant-rate',
    rate: { numerator: 25, denominator: 1 },
  });
  assert.equal(timing({ frameRate: null }, 'mpeg4', 'libtheora'), {
    by: 'constant-rate',
    rate: { numerator: 25, denominator: 1 },
  });
});

const written: readonly (readonly [number, string])[] = [
  [25, '25/1'],
  [29.97, '30000/1001'],
  [23.976, '24000/1001'],
  [23.98, '24000/1001'],
  [59.94, '60000/1001'],
  [119.88, '120000/1001'],
  [14.985, '15000/1001'],
  [12.5, '25/2'],
  [0.1, '1/10'],
  [33.333, '33333/1000'],
];

for (const [number, expected] of written) {
  test(`a frame rate of ${number} is ${expected}`, () => {
    const { numerator, denominator } = rateOf(number);
    assert.is(`${numerator}/${denominator}`, expected);
  });
}

const pal = { numerator: 25, denominator: 1 };
const ntsc = { numerator: 30_000, denominator: 1001 };
const uneven = { isFrameRateVariable: true };
const rates: readonly (readonly [OutputSettings, Parameters<typeof videoFacts>[0], string])[] = [
  [{}, {}, 'own'],
  [{ frame_rate: 50 }, {}, '50/1'],
  [{ frame_rate: 10 }, uneven, '10/1'],
  [{ frame_rate: 30, decimate: 2 }, {}, '30/1'],
  [{ frame_rate: 30, max_frame_rate: 20 }, {}, '20/1'],
  [{ decimate: 2 }, { frameRate: ntsc }, '15000/1001'],
  [{ decimate: 2.5 }, {}, '10/1'],
  [{ decimate: 2, max_frame_rate: 10 }, {}, '10/1'],
  [{ decimate: 2, max_frame_rate: 20 }, {}, '25/2'],
  [{ max_frame_rate: 25 }, {}, 'own'],
  [{ max_frame_rate: 30 }, {}, 'own'],
  [{ max_frame_rate: 29.97 }, { frameRate: ntsc }, 'own'],
  [{ max_frame_rate: 24 }, {}, '24/1'],
  [{ max_frame_rate: 24 }, uneven, 'own, at most 24/1'],
  [{ decimate: 3 }, uneven, 'own, one of 3'],
  [{ decimate: 3, max_frame_rate: 5 }, { frameRate: null }, 'own, one of 3, at most 5/1'],
];

for (const [settings, facts, expected] of rates) {
  const input = facts === uneven ? 'an uneven rate' : 'frameRate' in (facts ?? {}) ? 'another' : 'an even 25';
  test(`${JSON.stringify(settings)} of ${input} is ${expected}`, () => {
    const video = videoFacts({ frameRate: pal, ...facts });
    const decided = decideVideo(settings, video, 'libx264', { format: 'mpeg4', firstFrameSeconds: 0 });
    assert.ok('video' in decided);
    const { timing } = decided.video;
    if (timing.by === 'constant-rate') {
      assert.is(`${timing.rate.numerator}/${timing.rate.denominator}`, expected);
      return;
    }
    const dropRules = timing.dropRules.map((thin) =>
      thin.by === 'count'
        ? `one of ${thin.oneOf}`
        : `at most ${thin.maxRate.numerator}/${thin.maxRate.denominator}`,
    );
    assert.is(['own', ...dropRules].join(', '), expected);
  });
}

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
    const decided = decideVideo(settings, videoFacts({ fieldOrder }), 'libx264', {
      format: 'mpeg4',
      firstFrameSeconds: 0,
    });
    assert.is('video' in decided ? decided.video.deinterlace : 'failure', expected);
  });
}

test('a requested side that makes the video too large is lowered, or an error in strict mode', () => {
  const tall = videoFacts({ width: 100, height: 8000 });
  const source = { format: 'mpeg4', firstFrameSeconds: 0 };
  const enlarged = decideVideo({ width: 8192, upscale: true }, tall, 'libx264', source);
  assert.ok('video' in enlarged);
  assert.equal(enlarged.video.fit.canvas, { width: 670, height: 53_600 });
  assert.equal(enlarged.warnings, [
    'width was corrected to 670: the video would be 8192x655360, and the maximum is 36000000 pixels.',
  ]);
  const strict = decideVideo({ width: 8192, upscale: true, strict: true }, tall, 'libx264', source);
  assert.is('failure' in strict && strict.failure.errorClass, 'InvalidVideoSettingsError');
  assert.match(
    'failure' in strict ? strict.failure.message : '',
    /^width would be corrected to 670, but strict is set: the video would be/,
  );
});

test('an input whose square pixels would be too many is an error', () => {
  const stretched = videoFacts({ sampleAspectRatio: { numerator: 1000, denominator: 1 } });
  const decided = decideVideo({}, stretched, 'libx264', { format: 'mpeg4', firstFrameSeconds: 0 });
  assert.is('failure' in decided && decided.failure.errorClass, 'InvalidVideoSettingsError');
});

test('a video smaller than the minimum of its encoder is an error that names the encoder', () => {
  const source = { format: 'mpeg4', firstFrameSeconds: 0 } as const;
  for (const [encoder, width, size] of [
    ['libsvtav1', 32, '32x18'],
    ['libx265', 24, '24x14'],
    ['libtheora', 16, '16x8'],
  ] as const) {
    const decided = decideVideo({ width }, videoFacts(), encoder, source);
    const message = 'failure' in decided ? decided.failure.message : '';
    assert.match(message, `${size} pixels; ${encoder} needs sides of at least`);
  }
});

test.run();
