import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type MeasuredFrames,
  poolScores,
  qualityWarnings,
  scoresBySecond,
  worstFrameIn,
} from '../../../daemon/plan/quality/pool-scores.js';
import { videoFacts } from '../facts.js';

const test = suite('pooled scores');

const side = (times: readonly number[], meanLuma = 100, spread = 80) => ({ times, meanLuma, spread });

function measured(values: readonly number[], more: Partial<MeasuredFrames> = {}): MeasuredFrames {
  const times = values.map((_, index) => index / 2);
  return {
    ...{ model: 'vmaf_v0.6.1', version: '3.0.0', subsample: 1, spentSeconds: 1.234 },
    scores: values.map((vmaf, frame) => ({ frame, vmaf, psnrY: 40 })),
    ...{ output: side(times), reference: side(times) },
    ...more,
  };
}

const declared = { output: videoFacts(), reference: videoFacts() };
const pool = (frames: MeasuredFrames, videos = declared) =>
  poolScores(frames, { metric: 'vmaf', reference: 'output' }, videos);

test('the record has means, the 5th percentile and the worst second', () => {
  const record = pool(measured([90, 90, 60, 80, 100, 100]));
  assert.is(record.mean, 86.67);
  assert.is(record.harmonic_mean, 84.08);
  assert.is(record.percentile_5, 65);
  assert.equal(record.worst_second, { time: 1, score: 70 });
  assert.equal(record.scores, [90, 70, 100]);
  assert.is(record.frames, 6);
  assert.is(record.psnr_y, 40);
  assert.is(record.seconds, 1.23);
});

test('frames belong to the second of their own times, and seconds without a frame are left out', () => {
  const times = [0, 0.999_8, 3.2];
  const frames = measured([50, 60, 70], { output: side(times), reference: side(times) });
  assert.equal(scoresBySecond(frames), [
    { time: 0, score: 50 },
    { time: 1, score: 60 },
    { time: 3, score: 70 },
  ]);
  assert.is(worstFrameIn(frames, 3).frame, 2);
});

test('a long film has 60 scores over time', () => {
  const record = pool(measured(Array.from({ length: 500 }, (_, index) => 80 + (index % 10))));
  assert.is(record.scores.length, 60);
  assert.ok(record.scores.every((score) => score >= 80 && score < 90));
});

const ranges: readonly (readonly [string, number, number, RegExp | null])[] = [
  [
    'full range that is declared as limited',
    (100 - 16) * (255 / 219),
    80 * (255 / 219),
    /has full range that it does not declare/,
  ],
  [
    'limited range that is declared as full',
    100 * (219 / 255) + 16,
    80 * (219 / 255),
    /has limited range that it does not declare/,
  ],
  [
    'a brighter video',
    108,
    80,
    /brightness of the video differs: the mean luma is 108\.0, that of the reference 100\.0/,
  ],
  ['an equal video', 100.4, 79.5, null],
];

for (const [name, luma, spread, expected] of ranges) {
  test(`${name} ${expected === null ? 'has no warning' : 'is named'}`, () => {
    const frames = measured([99, 99], { output: side([0, 0.5], luma, spread) });
    const warnings = qualityWarnings(pool(frames), frames);
    if (expected === null) assert.equal(warnings, []);
    else assert.match(warnings.join(), expected);
  });
}

test('different declarations are named', () => {
  const frames = measured([99, 99]);
  const output = videoFacts({ colourSpace: 'bt709', colourRange: 'full' });
  const record = pool(frames, { output, reference: videoFacts({ colourSpace: 'smpte170m' }) });
  assert.equal(qualityWarnings(record, frames), [
    'The video declares full range, and its reference no range.',
    'The video declares the matrix bt709, and its reference smpte170m.',
  ]);
});

test.run();
