import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { earlyOutputProgress, progressV1 } from '../../daemon/jobs/legacy-progress.js';
import { type FileProgress, inputProgress, outputProgress } from '../../daemon/jobs/progress.js';
import type { OutputState } from '../../src/shared/states.js';
import { jobIn, type States } from './sample-job.js';

const inputId = 8;
const outputId = 9;
const running = (output: OutputState, input: States['input'] = 'finished') =>
  jobIn({ job: 'processing', input, outputs: [output] });
const progressWith = (id: number, event: FileProgress['event'], percent: number) =>
  new Map([[id, { event, percent, overallPercent: 77, fps: 24, speed: 2, eta_in_ms: 500 }]]);

function outputOf(job: ReturnType<typeof jobIn>) {
  const output = job.outputs[0];
  if (output === undefined) throw new TypeError('the sample job has an output');
  return output;
}

const early = (output: OutputState, progress = new Map<number, FileProgress>(), input?: States['input']) => {
  const job = running(output, input);
  return earlyOutputProgress(job, outputOf(job), progress);
};

test('version 1 reports only the percent of the current event', () => {
  const job = running('processing');
  const progress = progressWith(outputId, 'transcoding', 20);
  const record = progressV1(outputProgress(job, outputOf(job), progress));
  assert.equal(record, { state: 'processing', current_event: 'transcoding', progress: 20 });
});

test('version 1 reports an input in the same way, and 0 between the claim and the first byte', () => {
  const job = running('waiting', 'processing');
  assert.equal(progressV1(inputProgress(job, progressWith(inputId, 'downloading', 35))), {
    state: 'processing',
    current_event: 'downloading',
    progress: 35,
  });
  assert.equal(progressV1(inputProgress(job, new Map())), { state: 'assigning', progress: 0 });
});

test('version 1 reports 100 for finished files, and 0 for files that ended otherwise before any progress', () => {
  const states: readonly OutputState[] = ['finished', 'failed', 'cancelled', 'no input', 'skipped', 'queued'];
  const records = states.map((state) => {
    const job = running(state);
    return progressV1(outputProgress(job, outputOf(job), new Map()));
  });
  assert.equal(
    records,
    states.map((state) => ({ state, progress: state === 'finished' ? 100 : 0 })),
  );
});

test('version 1 and the early form keep the progress of a failed or cancelled file', () => {
  for (const state of ['failed', 'cancelled'] as const) {
    const reached = [{ id: outputId, percent: 49.5 }];
    const job = jobIn({ job: state, input: 'finished', outputs: [state] }, { lastProgress: reached });
    const kept = { state, progress: 49.5 };
    assert.equal(progressV1(outputProgress(job, outputOf(job), new Map())), kept);
    assert.equal(earlyOutputProgress(job, outputOf(job), new Map()), kept);
    const input = jobIn(
      { job: state, input: state, outputs: ['no input'] },
      { lastProgress: [{ id: inputId, percent: 30 }] },
    );
    assert.equal(progressV1(inputProgress(input, new Map())), { state, progress: 30 });
  }
});

const earlyStates: readonly (readonly [OutputState, string, number])[] = [
  ['queued', 'queued', 0],
  ['assigning', 'processing', 0],
  ['processing', 'processing', 0],
  ['finished', 'finished', 100],
  ['failed', 'failed', 0],
  ['cancelled', 'cancelled', 0],
  ['no input', 'failed', 0],
  ['skipped', 'cancelled', 0],
];

for (const [state, as, progress] of earlyStates) {
  test(`the early form says "${as}" for an output that is ${state}`, () => {
    assert.equal(early(state), { state: as, progress });
  });
}

test('the early form says "queued" for an output of a waiting job', () => {
  const job = jobIn({ job: 'waiting', input: 'waiting', outputs: ['waiting'] });
  assert.equal(earlyOutputProgress(job, outputOf(job), new Map()), { state: 'queued', progress: 0 });
});

test('the early form capitalises events and has the percent of the current one', () => {
  const at = (event: FileProgress['event']) => early('processing', progressWith(outputId, event, 12.5));
  assert.equal(at('transcoding'), { state: 'processing', current_event: 'Transcoding', progress: 12.5 });
  assert.equal(at('uploading'), { state: 'processing', current_event: 'Uploading', progress: 12.5 });
});

test('the early form reports the input while the output waits for it', () => {
  const at = (progress: Map<number, FileProgress>) => early('waiting', progress, 'processing');
  const percentOf = (event: FileProgress['event'], percent: number) =>
    at(progressWith(inputId, event, percent));
  assert.equal(at(new Map()), { state: 'queued', current_event: 'Downloading', progress: 0 });
  assert.equal(percentOf('downloading', 40), { state: 'queued', current_event: 'Downloading', progress: 40 });
  assert.equal(percentOf('inspecting', 0), { state: 'queued', current_event: 'Inspecting', progress: 0 });
});

test.run();
