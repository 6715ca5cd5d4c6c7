import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import type { Run } from '../../daemon/jobs/run.js';
import type { PipelineContext } from '../../daemon/pipeline/pipeline-context.js';
import type { GroupToEncode, PlannedOutput } from '../../daemon/pipeline/plan-job.js';
import { reachTarget, samplesOf, searchFactors } from '../../daemon/pipeline/search-quality.js';
import { VencError } from '../../src/shared/errors.js';
import type { QualityRecord, QualitySearch } from '../../src/shared/records.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { tempFolder } from '../helpers/temp.js';

const scale = { min: 1, max: 51, step: 0.1, first: 20, slope: 0.14 };
const goal = { target: 90, floor: null, scale };
const stored: QualitySearch = {
  ...{ target: 90, floor: null, crf: 23.4, predicted: 90.1, samples: 0, search_seconds: 1, limited_by: null },
  probes: [{ crf: 23, score: 90.4, worst: 88, bytes: 1000, seconds: 1 }],
};

/** Searches one output; its ffmpeg fails at once. Returns what was found, the changes and the factors that were set. */
async function searched(search?: QualitySearch) {
  const changes: Change[] = [];
  const factors: number[] = [];
  const planned = {
    output: {
      id: 3,
      settings: {},
      destination: 'file:///out.mp4',
      ...(search === undefined ? {} : { search }),
    },
    product: { expectedSeconds: 2, video: { quality: goal } },
    planPart: () => {
      throw new VencError('TranscodingError', 'The encoder failed.');
    },
  } as unknown as PlannedOutput;
  const ffmpeg = { measureSeconds: async () => [] };
  const group = {
    latest: () => ({ members: [planned], individually: [planned] }),
    source: { media: () => ({ video: { streamIndex: 0 } }), ffmpeg: () => ffmpeg },
    input: 'film.mp4',
    setFactor: (_id: number, crf: number) => void factors.push(crf),
  } as unknown as GroupToEncode;
  const run = {
    signal: new AbortController().signal,
    change: async (change: Change) => void changes.push(change),
    progress: () => {},
  } as unknown as Run;
  const context = { ffmpeg, log: () => {} } as unknown as PipelineContext;
  const found = (await searchFactors(run, context, group, tempFolder())).get(3);
  if (found === undefined) throw new Error('the output has no factor');
  return { planned, found, changes, factors };
}

const file = (mean: number) => ({
  quality: { mean, worst_second: { time: 0, score: mean - 5 } } as unknown as QualityRecord,
  ...{ warnings: [] as readonly string[], isLimited: false },
});

/** Makes files with these scores, one after the other. */
async function reached(settings: OutputSettings, search: QualitySearch, ...scores: readonly number[]) {
  const factors: number[] = [];
  const left = [...scores];
  const planned = {
    output: { id: 3, settings },
    product: { video: { quality: { ...goal, floor: search.floor } } },
  };
  const made = await reachTarget(
    planned as unknown as PlannedOutput,
    { search },
    (_id, crf) => void factors.push(crf),
    async () => file(left.shift() ?? 0),
  );
  assert.equal(left, []);
  return { ...made, factors };
}

test('a finished search is not repeated', async () => {
  const { found, changes, factors } = await searched(stored);
  assert.equal([found, changes, factors], [{ search: stored }, [], [23.4]]);
});

test('an output whose search fails gets the usual factor with a warning, and fails with strict', async () => {
  const { planned, found, changes, factors } = await searched();
  assert.equal([changes, factors], [[], [20]]);
  assert.match(found.failure ?? '', /The encoder failed/);
  const make = async () => file(90);
  const { warnings } = await reachTarget(planned, found, () => {}, make);
  assert.equal(warnings, ['The factor for the quality was not searched: The encoder failed.']);
  const strict = { ...planned, output: { ...planned.output, settings: { strict: true } } };
  const error = await reachTarget(strict, found, () => {}, make).catch((thrown: unknown) => thrown);
  assert.is((error as VencError).errorClass, 'QualityError');
});

test('a file that reaches its target is made once', async () => {
  const { quality, warnings, factors } = await reached({}, { ...stored, limited_by: 'probes' }, 89.2);
  assert.equal([quality?.crf, quality?.corrections, quality?.limited_by], [23.4, 0, null]);
  assert.equal([warnings, factors], [[], []]);
});

test('a file that is not measured has what was predicted, and is made once', async () => {
  const unmeasured = async (search: QualitySearch, settings: OutputSettings = {}) => {
    const planned = { output: { id: 3, settings }, product: { video: { quality: goal } } };
    const quality: QualityRecord = { metric: 'vmaf', reference: 'output', check: 'none' };
    const made = { ...file(0), quality };
    return await reachTarget(
      planned as unknown as PlannedOutput,
      { search },
      () => assert.unreachable(),
      async () => made,
    );
  };
  const { quality, warnings } = await unmeasured(stored);
  assert.equal(quality, {
    ...{ metric: 'vmaf', reference: 'output', check: 'none' },
    ...{ ...stored, corrections: 0 },
  });
  assert.equal(warnings, []);
  const missed = await unmeasured({ ...stored, predicted: 70, limited_by: 'crf' });
  assert.equal(missed.warnings, [
    'The requested quality was not reached: the predicted quality is 70 instead of 90 (limited by crf).',
  ]);
});

test('a miss is corrected once, and then has a warning', async () => {
  const { quality, warnings, factors } = await reached({}, stored, 87, 88.5);
  assert.is(factors.length, 1);
  assert.equal([quality?.crf, quality?.corrections, quality?.limited_by], [factors[0], 1, 'probes']);
  assert.equal(warnings, [
    'The requested quality was not reached: the quality is 88.5 instead of 90 (limited by probes).',
  ]);
});

test('a second below the floor is a miss, however little', async () => {
  const { quality, warnings } = await reached({ bitrate_cap: 500 }, { ...stored, floor: 85 }, 89.9, 89.95);
  assert.is(quality?.limited_by, 'bitrate_cap');
  assert.match(warnings.join(), /the worst second is 84\.95 instead of 85 \(limited by bitrate_cap\)/);
});

test('samples are chosen by time if nothing is known of the packets, and never from a whole long film', async () => {
  const { signal } = new AbortController();
  const chosen = async (bytes: readonly number[], expectedSeconds: number) =>
    samplesOf(
      { signal } as unknown as Run,
      { ffmpeg: { measureSeconds: async () => bytes } } as unknown as PipelineContext,
      { output: { settings: {} }, product: { expectedSeconds } } as unknown as PlannedOutput,
      { path: 'film.avi', media: { video: { streamIndex: 0 } } as unknown as MediaFacts },
    );
  const starts = (await chosen([], 240))?.map(({ startSeconds }) => startSeconds) ?? [];
  assert.is(starts.length, 6);
  const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
  assert.ok(
    gaps.every((gap) => gap >= 28 && gap <= 52),
    `${starts}`,
  );
  assert.is(await chosen([], 59.9), null);
  assert.is((await chosen([], 1e15))?.length, 24);
});

test.run();
