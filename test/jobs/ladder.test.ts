import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import { targetOfLadder } from '../../daemon/jobs/ladder.js';
import { outputDetails } from '../../daemon/jobs/view.js';
import type { LadderPointRecord } from '../../src/shared/records.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { changedAt, jobIn, sampleFailure } from './sample-job.js';

const points: readonly LadderPointRecord[] = [
  { height: 720, crf: 21, score: 93.1, kbps: 2000, rendition: 2 },
  { height: 540, crf: 26, score: 84, kbps: 900, rendition: null },
  { height: 540, crf: 28, score: 80, kbps: 700, rendition: 1 },
];
const rendition = (number: number, settings: OutputSettings = {}): OutputSettings => ({
  ...{ dynamic_profile_rendition: number, quality_target: 93, quality_check: 'none', label: `v${number}` },
  ...settings,
});

/** A job that has read its input, with three renditions and their playlist. */
function jobWith(
  settings: readonly OutputSettings[],
  options: NonNullable<Job['ladder']>['options'] = {},
): Job {
  const states = {
    job: 'processing',
    input: 'finished',
    outputs: settings.map(() => 'queued' as const),
  } as const;
  const job = jobIn(states, { ladder: { options } });
  return {
    ...job,
    outputs: job.outputs.map((output, index) => ({ ...output, settings: settings[index] ?? {} })),
  };
}

const ladder = [
  ...[3, 2, 1].map((number) => rendition(number)),
  { type: 'playlist' as const, streams: [{ source: 'v2' }] },
];
const chosen = (job: Job) => apply(job, { type: 'ladder-chosen', points }, changedAt);

test('renditions get what was chosen for them, and others are skipped', () => {
  const { outputs, ladder: stored } = chosen(jobWith(ladder));
  assert.equal(
    outputs.map(({ state }) => state),
    ['skipped', 'queued', 'queued', 'queued'],
  );
  assert.equal(outputs[0]?.warnings, [
    'This output was skipped, because the ladder for this film has 2 renditions.',
  ]);
  assert.equal(outputs[1]?.settings, {
    ...{ dynamic_profile_rendition: 2, label: 'v2', height: 720, crf: 21 },
    ...{ bitrate_cap: 4000, buffer_size: 6000 },
  });
  assert.equal(stored?.points, points);
  const playlist = outputs[3];
  assert.ok(playlist);
  assert.equal(outputDetails(playlist).hull, points);
});

test('the options decide the cap and the buffer', () => {
  const { outputs } = chosen(
    jobWith(ladder, {
      ...{ bitrate_cap_to_bitrate_ratio: 2, bitrate_cap_offset: -100 },
      ...{ buffer_size_to_bitrate_ratio: 3, buffer_size_offset: 50 },
    }),
  );
  assert.equal([outputs[2]?.settings.bitrate_cap, outputs[2]?.settings.buffer_size], [1300, 2150]);
});

test('a rendition that asks for a quality is measured', () => {
  const given = rendition(1, { quality_check: 'samples' });
  const { outputs } = chosen(jobWith([given]));
  const { measure_quality, quality_check, quality_target } = outputs[0]?.settings ?? {};
  assert.equal([measure_quality, quality_check, quality_target], [true, 'samples', undefined]);
  assert.is(targetOfLadder([{ settings: {} }]), 93);
  assert.is(targetOfLadder([{ settings: given }, { settings: { quality_target: 95 } }]), 95);
});

test('several outputs may have the same rendition', () => {
  const { outputs } = chosen(jobWith([rendition(1), rendition(1)]));
  assert.equal(
    outputs.map(({ settings }) => settings.height),
    [540, 540],
  );
});

test('an input without video skips all renditions', () => {
  const job = apply(jobWith([rendition(1)]), { type: 'ladder-chosen', points: [] }, changedAt);
  assert.is(job.state, 'finished');
  assert.equal(job.outputs[0]?.warnings, [
    'This output was skipped, because the input has no video for a ladder.',
  ]);
});

test('a restart keeps the ladder, and a resubmit chooses it again', () => {
  const first = chosen(jobWith(ladder));
  const released = apply(first, { type: 'released' }, changedAt);
  assert.equal(released.ladder?.points, points);
  assert.is(released.outputs[1]?.settings.height, 720);
  const failed = apply(first, { type: 'cancelled' }, changedAt);
  const again = apply(failed, { type: 'resubmitted' }, changedAt);
  assert.equal(again.ladder, { options: {} });
  assert.equal(
    again.outputs.map(({ settings }) => settings),
    ladder,
  );
  assert.not.ok(again.outputs.some(({ hull, requested }) => hull !== undefined || requested !== undefined));
});

test('a resubmit keeps the ladder of which a rendition is finished', () => {
  const first = chosen(jobWith(ladder));
  const media = { format: 'mpeg4', durationSeconds: 1, totalBitrateKbps: 1, video: null, audio: null };
  const [, second, lowest] = first.outputs;
  assert.ok(second && lowest);
  const started = apply(first, { type: 'output-started', id: second.id }, changedAt);
  const done = apply(
    started,
    { type: 'output-finished', id: second.id, media, file: { sizeBytes: 1 } },
    changedAt,
  );
  const failed = apply(done, { type: 'output-failed', id: lowest.id, failure: sampleFailure }, changedAt);
  const cancelled = apply(failed, { type: 'cancelled' }, changedAt);
  const again = apply(cancelled, { type: 'resubmitted' }, changedAt);
  assert.equal(again.ladder?.points, points);
  assert.is(again.outputs[2]?.settings.height, 540);
  // What the ladder lacked waits, and is skipped again.
  const inspected = { ...again, state: 'processing', input: first.input } as const;
  const repeated = apply(inspected, { type: 'ladder-chosen', points }, changedAt);
  assert.is(repeated.outputs[0]?.state, 'skipped');
  assert.is(repeated.outputs[1]?.state, 'finished');
});

test('a ladder is chosen only once the input was read', () => {
  const early = {
    ...jobWith(ladder),
    input: jobIn({ job: 'processing', input: 'processing', outputs: [] }).input,
  };
  assert.throws(() => chosen(early), /the input of job 7 is processing/);
});

test.run();
