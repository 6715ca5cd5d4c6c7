import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { FileProgress } from '../../daemon/jobs/progress.js';
import { jobProgress, withLastProgress } from '../../daemon/jobs/progress.js';
import { mediaFacts, videoFacts } from '../plan/facts.js';

const now = new Date('2026-01-02T03:04:05Z');
const media = { format: 'mpeg4', durationSeconds: 1, totalBitrateKbps: null, video: null, audio: null };
const file = { sizeBytes: 1, md5: '0'.repeat(32) };
const location = { destination: 'hosted://t/a.mp4', url: 'http://h/hosted/t/a.mp4' };

function after(...changes: readonly Change[]): Job {
  const parts = { accountId: 'a', request: { input: 'http://h/a', outputs: [{}, {}] }, test: false, now };
  const outputs = [
    { settings: {}, outputDestination: location },
    { settings: {}, outputDestination: location },
  ];
  return changes.reduce((job, change) => apply(job, change, now), draftJob({ ...parts, outputs }).number(1));
}

const claimed: Change = { type: 'claimed', token: 't' };
const inspected: Change = { type: 'inspected', media, file };
const reported = (id: number, progress: FileProgress) => new Map([[id, progress]]);

test('a waiting job has no progress', () => {
  const record = jobProgress(after(), new Map());
  assert.is(record.progress, 0);
  assert.is(record.input.state, 'waiting');
});

test('an input is assigning between its claim and the first byte', () => {
  assert.is(jobProgress(after(claimed), new Map()).input.state, 'assigning');
});

test('the progress of a downloading input has event, percent of the event and overall percent', () => {
  const record = jobProgress(
    after(claimed),
    reported(2, { event: 'downloading', percent: 50, overallPercent: 47.5 }),
  );
  assert.equal(record.input, {
    id: 2,
    state: 'processing',
    current_event: 'downloading',
    current_event_progress: 50,
    progress: 47.5,
  });
  assert.is(record.progress, 4.75);
  assert.is(record.outputs[0]?.current_event, 'downloading');
});

test('the speed of an encoder is reported unchanged', () => {
  const rates = { fps: 24, speed: 1.5, eta_in_ms: 1200 };
  const job = after(claimed, inspected, { type: 'output-started', id: 3 });
  const record = jobProgress(
    job,
    reported(3, { event: 'transcoding', percent: 20, overallPercent: 19, ...rates }),
  );
  assert.equal(record.outputs[0], {
    id: 3,
    state: 'processing',
    current_event: 'transcoding',
    current_event_progress: 20,
    progress: 19,
    ...rates,
  });
  assert.is(record.outputs[1]?.state, 'queued');
  assert.is(record.progress, 18.55);
});

test('a finished file is at 100 after any last report', () => {
  const finish = (id: number): readonly Change[] => [
    { type: 'output-started', id },
    { type: 'output-finished', id, media, file },
  ];
  const record = jobProgress(after(claimed, inspected, ...finish(3), ...finish(4)), new Map());
  assert.is(record.state, 'finished');
  assert.equal([record.progress, record.outputs[0]?.progress, record.input.progress], [100, 100, 100]);
});

test('outputs are weighted by their expected work once the input is known', () => {
  const video = videoFacts({ width: 1920, height: 1080 });
  const inspectedVideo: Change = { type: 'inspected', media: mediaFacts({ video }), file };
  const outputs = [{ width: 1920 }, { width: 192 }].map((settings) => ({
    settings,
    outputDestination: location,
  }));
  const request = { input: 'file:///a.mp4', outputs: [] };
  const draft = draftJob({ accountId: 'a', request, test: false, now, outputs }).number(1);
  const job = [claimed, inspectedVideo].reduce((before, change) => apply(before, change, now), draft);
  const half = (id: number) => reported(id, { event: 'transcoding', percent: 50, overallPercent: 50 });
  const [large, small] = [jobProgress(job, half(3)).progress, jobProgress(job, half(4)).progress];
  assert.ok(Math.abs(large + small - 2 * 1 - 0.99 * 50) < 0.02, `${large} ${small}`);
  assert.ok(large > 3 * small, `${large} ${small}`);
});

test('a failed or cancelled file keeps its progress', () => {
  const started = after(claimed, inspected, { type: 'output-started', id: 3 });
  const known = reported(3, { event: 'transcoding', percent: 40, overallPercent: 38 });
  const before = jobProgress(started, known).progress;
  const failure = { errorClass: 'TranscodingError', message: 'It broke.' } as const;
  const failed = withLastProgress(apply(started, { type: 'output-failed', id: 3, failure }, now), known);
  const cancelled = withLastProgress(apply(started, { type: 'cancelled' }, now), known);
  for (const ended of [failed, cancelled]) {
    const record = jobProgress(ended, new Map());
    assert.is(record.outputs[0]?.progress, 38);
    assert.is(record.outputs[0]?.current_event, undefined);
    assert.is(record.progress, before);
    assert.is(withLastProgress(ended, new Map()), ended);
  }
});

test('a retried file starts at zero, and kept outputs count once the input is known', () => {
  const failure = { errorClass: 'TranscodingError', message: 'It broke.' } as const;
  const known = reported(4, { event: 'transcoding', percent: 40, overallPercent: 38 });
  const failed = withLastProgress(
    after(
      ...[claimed, inspected, { type: 'output-started', id: 3 } as const],
      ...[{ type: 'output-finished', id: 3, media, file } as const],
      ...[{ type: 'output-started', id: 4 } as const, { type: 'output-failed', id: 4, failure } as const],
    ),
    known,
  );
  const again = apply(failed, { type: 'resubmitted' }, now);
  assert.equal(again.lastProgress, []);
  assert.is(jobProgress(again, new Map()).progress, 0);
  const known2 = [claimed, inspected].reduce((job, change) => apply(job, change, now), again);
  assert.is(jobProgress(known2, new Map()).progress, 55);
});

test('progress does not fall when another machine begins with the other outputs', () => {
  const first = after(
    ...[{ ...claimed, outputIds: [3] } as const, inspected, { type: 'output-started', id: 3 } as const],
    { type: 'output-finished', id: 3, media, file },
  );
  const second = apply(first, { ...claimed, token: 'u' }, now);
  const downloading = reported(2, { event: 'downloading', percent: 10, overallPercent: 9.5 });
  const steps = [
    jobProgress(first, new Map()),
    jobProgress(second, new Map()),
    jobProgress(second, downloading),
    jobProgress(apply(second, inspected, now), new Map()),
    jobProgress(apply(second, { type: 'cancelled' }, now), new Map()),
  ];
  assert.equal(
    steps.map(({ state, progress }) => [state, progress]),
    [
      ['waiting', 55],
      ['processing', 55],
      ['processing', 55],
      ['processing', 55],
      ['cancelled', 55],
    ],
  );
});

test.run();
