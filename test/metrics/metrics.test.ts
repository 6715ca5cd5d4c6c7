import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { createMetrics, type Metrics } from '../../daemon/metrics/metrics.js';
import type { StateSnapshot } from '../../daemon/metrics/state-metrics.js';
import type { QualityRecord } from '../../src/shared/records.js';
import { readSamples } from '../helpers/prometheus.js';
import { sampleDraft } from '../helpers/sample-job.js';

const snapshot: StateSnapshot = {
  jobs: { pending: 0, waiting: 3, processing: 1, finished: 7, failed: 2, cancelled: 0 },
  runs: 1,
  workers: { byState: { active: 2, draining: 1, paused: 0, silent: 0 }, slots: 5, jobs: 3 },
  maxEncodes: 2,
  isPaused: true,
  closedBy: 'hours',
  eventStreams: 5,
  waitingNotifications: 4,
  diskFreeBytes: 1000,
  diskMinFreeBytes: 10,
  healthChecks: [
    { name: 'disk', ok: true },
    { name: 'queue', ok: false },
  ],
};

/** The value of one series of a scrape, written as in the text; undefined if there is none. */
async function seriesValue(metrics: Metrics, series: string): Promise<number | undefined> {
  return readSamples(await metrics.text(snapshot)).find(({ text }) => text === series)?.value;
}

/** Applies changes, one second apart, and reports each to the metrics as the store does. */
function change(metrics: Metrics, job: Job, changes: readonly Change[]): Job {
  let current = job;
  for (const [index, one] of changes.entries()) {
    const next = apply(current, one, new Date(Date.parse(job.updatedAt) + (index + 1) * 1000));
    metrics.jobChanged(next, current);
    current = next;
  }
  return current;
}

const test = suite('metrics');

test('workers are counted by state, with their slots and jobs, and so are the claims that they lost', async () => {
  const metrics = createMetrics();
  assert.is(await seriesValue(metrics, 'venc_workers{state="active"}'), 2);
  assert.is(await seriesValue(metrics, 'venc_workers{state="draining"}'), 1);
  assert.is(await seriesValue(metrics, 'venc_workers{state="silent"}'), 0);
  assert.is(await seriesValue(metrics, 'venc_worker_slots'), 5);
  assert.is(await seriesValue(metrics, 'venc_worker_jobs'), 3);
  assert.is(await seriesValue(metrics, 'venc_worker_claims_lost_total'), 0);
  metrics.claimExpired();
  assert.is(await seriesValue(metrics, 'venc_worker_claims_lost_total'), 1);
});

test('jobs are counted when they are created, claimed and when they end', async () => {
  const metrics = createMetrics();
  const job = sampleDraft().number(7);
  metrics.jobChanged(job, null);
  change(metrics, job, [
    { type: 'claimed', token: 't' },
    { type: 'input-failed', failure: { errorClass: 'NoMediaError', message: 'No.' } },
  ]);
  assert.is(await seriesValue(metrics, 'venc_jobs_created_total'), 1);
  assert.is(await seriesValue(metrics, 'venc_job_wait_seconds_sum'), 1);
  assert.is(await seriesValue(metrics, 'venc_job_wait_seconds_bucket{le="0.5"}'), 0);
  assert.is(await seriesValue(metrics, 'venc_job_wait_seconds_bucket{le="1"}'), 1);
  assert.is(await seriesValue(metrics, 'venc_jobs_ended_total{state="failed"}'), 1);
  assert.is(await seriesValue(metrics, 'venc_jobs_ended_total{state="finished"}'), 0);
  const failures = 'venc_file_failures_total{file="input",error_class="NoMediaError"}';
  assert.is(await seriesValue(metrics, failures), 1);
});

test('a resubmitted job is counted, and counts again when it ends again', async () => {
  const metrics = createMetrics();
  change(metrics, sampleDraft().number(7), [
    { type: 'cancelled' },
    { type: 'resubmitted' },
    { type: 'cancelled' },
  ]);
  assert.is(await seriesValue(metrics, 'venc_jobs_resubmitted_total'), 1);
  assert.is(await seriesValue(metrics, 'venc_jobs_ended_total{state="cancelled"}'), 2);
});

test('gauges have the values of the snapshot', async () => {
  const metrics = createMetrics();
  assert.is(await seriesValue(metrics, 'venc_jobs{state="waiting"}'), 3);
  assert.is(await seriesValue(metrics, 'venc_event_streams'), 5);
  assert.is(await seriesValue(metrics, 'venc_notifications_waiting'), 4);
  assert.is(await seriesValue(metrics, 'venc_health_check_ok{check="disk"}'), 1);
  assert.is(await seriesValue(metrics, 'venc_health_check_ok{check="queue"}'), 0);
});

test('the methods that clients invent are one value of the label', async () => {
  const metrics = createMetrics();
  for (const method of ['PROPFIND', 'MKCOL', 'PURGE'])
    metrics.observeRequest({ route: 'none', method, address: '/', status: 405, seconds: 0.002 });
  assert.is(
    await seriesValue(metrics, 'venc_http_requests_total{route="none",method="other",status="405"}'),
    3,
  );
  const slower = 'venc_http_request_duration_seconds_bucket{le="0.001",route="none",method="other"}';
  assert.is(await seriesValue(metrics, slower), 0);
});

test('the use of ffmpeg is counted, and what is not known is left out', async () => {
  const metrics = createMetrics();
  metrics.observeProgram({ program: 'ffmpeg', seconds: 3, peakMemoryBytes: 2 ** 26, cpuSeconds: 5 });
  metrics.observeProgram({ program: 'ffmpeg', seconds: 4, peakMemoryBytes: null, cpuSeconds: null });
  assert.is(await seriesValue(metrics, 'venc_program_duration_seconds_count{program="ffmpeg"}'), 2);
  assert.is(await seriesValue(metrics, 'venc_program_peak_memory_bytes_sum{program="ffmpeg"}'), 2 ** 26);
  assert.is(await seriesValue(metrics, 'venc_program_peak_memory_bytes_count{program="ffmpeg"}'), 1);
  assert.is(await seriesValue(metrics, 'venc_program_cpu_seconds_total{program="ffmpeg"}'), 5);
  assert.is(await seriesValue(metrics, 'venc_program_cpu_seconds_total{program="ffprobe"}'), 0);
});

test('the speed of an output is its duration divided by the time of its encoders', async () => {
  const metrics = createMetrics();
  const job = sampleDraft().number(7);
  const observation = metrics.runObserver.startRun(job);
  const id = job.outputs[0]?.id ?? 0;
  const media = { durationSeconds: 3600 } as never;
  const file = { sizeBytes: 1, md5: '' };
  // An output that was only transferred has no speed.
  observation.changed({ type: 'output-finished', id: id + 1, media, file }, job);
  observation.startStage({ name: 'encode', outputIds: [id] })({ type: 'done' });
  observation.changed({ type: 'output-finished', id, media, file }, job);
  observation.end({ type: 'done' });
  assert.is(await seriesValue(metrics, 'venc_encoded_media_seconds_total'), 3600);
  assert.is(await seriesValue(metrics, 'venc_encode_speed_ratio_count'), 1);
  assert.is(await seriesValue(metrics, 'venc_encode_speed_ratio_bucket{le="64"}'), 0);
  assert.is(await seriesValue(metrics, 'venc_stage_duration_seconds_count{stage="encode"}'), 1);
});

test('the measured quality of outputs is counted by codec, metric and target', async () => {
  const metrics = createMetrics();
  const job = sampleDraft().number(7);
  const id = job.outputs[0]?.id ?? 0;
  const finish = (quality: Partial<QualityRecord>, codec: string) => {
    const record = { metric: 'vmaf', reference: 'output', ...quality } as QualityRecord;
    const outputs = job.outputs.map((output) =>
      output.id === id
        ? {
            ...output,
            state: 'finished' as const,
            media: { video: { codec } } as MediaFacts,
            quality: record,
          }
        : output,
    );
    metrics.jobChanged({ ...job, outputs }, job);
    // A later change of the job does not count it again.
    metrics.jobChanged({ ...job, outputs: outputs.map((output) => ({ ...output })) }, { ...job, outputs });
  };
  finish({ mean: 93.5, target: 94.5 }, 'h264');
  finish({ mean: 95.5, target: 90 }, 'h264');
  finish({ mean: 80 }, 'vp9');
  finish({ predicted: 94, check: 'none' }, 'av1');
  const series = (of: string, name = 'count') =>
    seriesValue(metrics, `venc_output_quality_score_${name}{${of}}`);
  const met = 'codec="h264",metric="vmaf",target="90"';
  assert.equal([await series(met), await series(met, 'sum')], [2, 189]);
  assert.is(await series(`le="94",${met}`, 'bucket'), 1);
  assert.is(await series('codec="vp9",metric="vmaf",target="none"'), 1);
  assert.not.match(await metrics.text(snapshot), 'codec="av1"');
});

test('every metric has a prefix, a unit or a suffix that Prometheus recommends, and help', async () => {
  const text = await createMetrics().text(snapshot);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  assert.ok(types.length > 30, String(types.length));
  for (const { name, type } of types) {
    assert.match(name, /^(venc|process|nodejs)_[a-z0-9_]+$/);
    assert.match(text, new RegExp(`^# HELP ${name} .{10,}\\.?$`, 'm'));
    if (!name.startsWith('venc_')) continue;
    assert.is(name.endsWith('_total'), type === 'counter', name);
    if (type === 'histogram') assert.match(name, /_(seconds|bytes|ratio|score)$/);
  }
});

test.run();
