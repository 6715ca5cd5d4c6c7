import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { retentionSecondsOf, tokenWithRetention } from '../../daemon/jobs/hosted-retention.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { jobRecord, listedJobRecord } from '../../daemon/jobs/view.js';
import { jobIn } from './sample-job.js';

const token = '0123456789abcdef0123456789abcdef';

test('the time that files are kept is in their token, and 24 hours without one', () => {
  const cases: readonly (readonly [token: string, seconds: number])[] = [
    [token, 86_400],
    [tokenWithRetention(token, null), 86_400],
    [tokenWithRetention(token, 604_800), 604_800],
    [tokenWithRetention(token, 60), 60],
    ['a-token', 86_400],
    [`${token}-9999999999s`, 3_155_760_000],
  ];
  for (const [text, seconds] of cases) assert.is(retentionSecondsOf(text), seconds, text);
});

/** A job with one hosted output that waited 5 s, was encoded for 60 s and delivered for 2 s. */
function hostedJob(folder: string, deliverySeconds: number | null = 2): Job {
  const from = Date.parse('2026-11-28T10:00:00.000Z');
  const draft = jobIn({ job: 'waiting', input: 'waiting', outputs: ['waiting'] });
  const [output] = draft.outputs;
  if (output === undefined) throw new Error('the sample has no output');
  const at = new Date(from).toISOString();
  const destination = `hosted://${folder}/film.mp4`;
  const { id } = output;
  let job: Job = { ...draft, createdAt: at, submittedAt: at, outputs: [{ ...output, destination }] };
  const changes: readonly (readonly [seconds: number, change: Change])[] = [
    [5, { type: 'claimed', token: 'run' }],
    [8, { type: 'inspected', media: null, file: { sizeBytes: 1 } }],
    [10, { type: 'output-started', id }],
    [
      72,
      {
        ...({ type: 'output-finished', id, media: null, file: { sizeBytes: 9 } } as const),
        ...(deliverySeconds === null ? {} : { deliverySeconds }),
      },
    ],
  ];
  for (const [seconds, change] of changes) job = apply(job, change, new Date(from + seconds * 1000));
  return job;
}

test('job details have the three durations, and until when an output is hosted', () => {
  const record = jobRecord(hostedJob(token));
  assert.equal([record.waited_in_ms, record.encoded_in_ms, record.delivered_in_ms], [5000, 60_000, 2000]);
  const [file] = record.output_media_files;
  assert.equal([file?.encoded_in_ms, file?.delivered_in_ms], [60_000, 2000]);
  // No file of the output is deleted before: the delivery began at 10:01:10.
  assert.is(file?.expires_at, '2026-11-29T10:01:10.000Z');
  const kept = hostedJob(tokenWithRetention(token, 604_800));
  assert.is(jobRecord(kept).output_media_files[0]?.expires_at, '2026-12-05T10:01:10.000Z');
});

test('the list has none of them, and an output elsewhere does not expire', () => {
  const listed = JSON.stringify(listedJobRecord(hostedJob(token)));
  assert.not.match(listed, /_in_ms":(5000|60000|2000)|expires_at/);
  const job = hostedJob(token);
  const elsewhere = {
    ...job,
    outputs: job.outputs.map((one) => ({ ...one, destination: 's3://films/a.mp4' })),
  };
  assert.is(jobRecord(elsewhere).output_media_files[0]?.expires_at, undefined);
  assert.is(jobRecord(elsewhere).output_media_files[0]?.encoded_in_ms, 60_000);
});

test('jobs of earlier versions and of earlier workers have what is known of them', () => {
  const ofWorker = jobRecord(hostedJob(token, null)).output_media_files[0];
  assert.equal([ofWorker?.encoded_in_ms, ofWorker?.delivered_in_ms], [62_000, 0]);
  const { startedAt: _, ...job } = hostedJob(token);
  const outputs = job.outputs.map(({ startedAt: __, deliverySeconds: ___, ...output }) => output);
  const record = jobRecord({ ...job, outputs });
  assert.equal(
    [record.waited_in_ms, record.encoded_in_ms, record.delivered_in_ms],
    [undefined, undefined, undefined],
  );
  assert.is(record.output_media_files[0]?.expires_at, '2026-11-29T10:01:12.000Z');
});

test('a clock that is set back makes no duration negative, and a resubmit begins them again', () => {
  const job = hostedJob(token);
  const set = { ...job, startedAt: '2026-11-28T09:00:00.000Z' };
  assert.is(jobRecord(set).waited_in_ms, 0);
  const outputs = job.outputs.map((one) => ({ ...one, finishedAt: '2026-11-28T09:00:00.000Z' }));
  assert.is(jobRecord({ ...job, outputs }).output_media_files[0]?.encoded_in_ms, 0);
  const failed: Job = {
    ...job,
    state: 'failed',
    outputs: job.outputs.map((one) => ({ ...one, state: 'failed' })),
  };
  const again = apply(failed, { type: 'resubmitted' }, new Date('2026-11-29T00:00:00.000Z'));
  assert.is(again.startedAt, undefined);
  assert.is(again.outputs[0]?.startedAt, undefined);
});

test.run();
