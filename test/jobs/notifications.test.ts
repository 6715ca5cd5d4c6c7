import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { jobForWorker } from '../../daemon/jobs/claims.js';
import type { Job, JobOutput } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { maxNotificationAttempts } from '../../daemon/jobs/notifications.js';
import {
  inputDetails,
  jobRecord,
  listedJobRecord,
  notificationRecord,
  outputDetails,
} from '../../daemon/jobs/view.js';
import { isVencError } from '../../src/shared/errors.js';
import type { QualityRecord } from '../../src/shared/records.js';
import {
  changedAt,
  deepFreeze,
  file,
  jobIn,
  madeAt,
  media,
  type States,
  sampleFailure,
} from './sample-job.js';

const made = madeAt.getTime().toString(36);
const at = changedAt.toISOString();
const targetOf = (name: string) => ({ url: `http://${name}.example/`, format: 'json', headers: {} }) as const;

/** Job 7 with two endpoints for its end, and two for the end of output 9. */
function createJob(states: States, edit: Partial<Job> = {}): Job {
  const job = jobIn(states);
  const outputs = job.outputs.map((output) => ({
    ...output,
    settings: { notifications: output.id === 9 ? [{ url: 'http://c.example/' }, targetOf('d')] : [] },
  }));
  return deepFreeze({ ...job, outputs, notifications: [targetOf('a'), targetOf('b')], ...edit });
}

const ofOutput = [`msg_${made}_7_9_0_0`, `msg_${made}_7_9_1_0`];
const ofJob = [`msg_${made}_7_job_0_0`, `msg_${made}_7_job_1_0`];
const ids = (job: Job): readonly string[] => job.pendingNotifications.map(({ id }) => id);
const after = (job: Job, ...changes: readonly Change[]): Job =>
  changes.reduce((last, change) => apply(last, change, changedAt), job);

const processing = { job: 'processing', input: 'finished' } as const;
const downloading: States = { job: 'processing', input: 'processing', outputs: ['waiting', 'waiting'] };
const finished9: Change = { type: 'output-finished', id: 9, media, file };
const rejected = { destination: 'http://example.com', status: 500, failure: 'example.com answered 500.' };
const accepted = { destination: 'http://example.com', status: 204, failure: null };
const resent1: Change = { type: 'notifications-resent', token: 't1' };
const failed10: Change = { type: 'output-failed', id: 10, failure: sampleFailure };

const endings: readonly (readonly [string, Job, readonly Change[], readonly string[]])[] = [
  [
    'an output that finishes',
    createJob({ ...processing, outputs: ['processing', 'queued'] }),
    [finished9],
    ofOutput,
  ],
  [
    'the last output, and the job with it',
    createJob({ ...processing, outputs: ['processing', 'finished'] }),
    [finished9],
    [...ofOutput, ...ofJob],
  ],
  [
    'an output that fails',
    createJob({ ...processing, outputs: ['processing', 'queued'] }),
    [{ type: 'output-failed', id: 9, failure: sampleFailure }],
    ofOutput,
  ],
  [
    'an output without an endpoint',
    createJob({ ...processing, outputs: ['queued', 'queued'] }),
    [failed10],
    [],
  ],
  [
    'an input that fails',
    createJob(downloading),
    [{ type: 'input-failed', failure: sampleFailure }],
    [...ofOutput, ...ofJob],
  ],
  [
    'a cancel',
    createJob({ job: 'waiting', input: 'waiting', outputs: ['waiting'] }),
    [{ type: 'cancelled' }],
    [...ofOutput, ...ofJob],
  ],
  [
    'a cancel after the output',
    createJob({ ...processing, outputs: ['finished', 'queued'] }),
    [{ type: 'cancelled' }],
    ofJob,
  ],
  [
    'the third crash',
    deepFreeze({ ...createJob(downloading), crashes: 2 }),
    [{ type: 'lost' }],
    [...ofOutput, ...ofJob],
  ],
  ['a crash before the third', createJob(downloading), [{ type: 'lost' }], []],
  [
    'an orderly stop',
    createJob({ ...processing, outputs: ['processing', 'failed'] }),
    [{ type: 'released' }],
    [],
  ],
];

for (const [what, job, changes, expected] of endings) {
  test(`${what} makes ${expected.length} notifications due at once`, () => {
    const next = after(job, ...changes);
    assert.equal(ids(next), expected);
    assert.ok(
      next.pendingNotifications.every(
        (notification) => notification.attempts === 0 && notification.dueAt === at,
      ),
    );
  });
}

test('a notification has its URL and its format, with defaults for missing fields', () => {
  const { pendingNotifications } = after(
    createJob({ ...processing, outputs: ['processing', 'queued'] }),
    finished9,
  );
  assert.equal(
    pendingNotifications.map(({ outputId, target }) => [outputId, target]),
    [
      [9, targetOf('c')],
      [9, targetOf('d')],
    ],
  );
});

test('a resubmit withdraws notifications that are no longer true, and finished outputs are not notified again', () => {
  const failed = after(createJob({ ...processing, outputs: ['processing', 'queued'] }), finished9, failed10);
  assert.equal([failed.state, ids(failed)], ['failed', [...ofOutput, ...ofJob]]);
  const again = after(failed, { type: 'resubmitted' });
  assert.equal(again.pendingNotifications, failed.pendingNotifications.slice(0, 2));
  const notificationId = ofOutput[0] ?? '';
  const reported = after(again, { type: 'notification-delivered', notificationId, answer: accepted });
  const ended = after(
    reported,
    { type: 'claimed', token: 'next' },
    { type: 'inspected', media, file },
    failed10,
  );
  assert.equal(ids(ended), [ofOutput[1], `msg_${made}_7_job_0_1`, `msg_${made}_7_job_1_1`]);
});

test('an output that fails again gets new notifications', () => {
  const fail9: Change = { type: 'output-failed', id: 9, failure: sampleFailure };
  const first = after(createJob({ ...processing, outputs: ['processing', 'finished'] }), fail9);
  const second = after(
    first,
    { type: 'resubmitted' },
    { type: 'claimed', token: 'next' },
    { type: 'inspected', media, file },
    fail9,
  );
  assert.is(new Set([...ids(first), ...ids(second)]).size, 8);
});

test('a failed attempt is due again after 2 seconds, then 4, 8 and so on, and the twentieth is the last', () => {
  let job = after(createJob({ ...processing, outputs: ['processing', 'queued'] }), finished9);
  const [notificationId = '', other] = ids(job);
  for (let attempt = 1; attempt < maxNotificationAttempts; attempt += 1) {
    job = after(job, { type: 'notification-failed', notificationId, answer: rejected });
    const [notification] = job.pendingNotifications;
    assert.equal(
      [notification?.id, notification?.attempts, Date.parse(notification?.dueAt ?? '') - changedAt.getTime()],
      [notificationId, attempt, 1000 * 2 ** attempt],
    );
  }
  assert.is(maxNotificationAttempts, 20);
  const last = after(job, { type: 'notification-failed', notificationId, answer: rejected });
  assert.equal(ids(last), [other]);
  assert.equal(
    last.notificationAttempts?.map(({ attempt }) => attempt),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('notifications that are sent again have new ids, one attempt each, and are due once at a time', () => {
  const ended = after(createJob({ ...processing, outputs: ['processing', 'finished'] }), finished9);
  const resent = after(ended, resent1);
  const again = [...ofOutput, ...ofJob].map((id) => `${id}_again_t1`);
  assert.equal(ids(resent), [...ofOutput, ...ofJob, ...again], 'those that are being tried stay');
  assert.ok(
    resent.pendingNotifications.slice(4).every(({ dueAt, attempts }) => dueAt === at && attempts === 0),
  );
  assert.is(after(resent, { type: 'notifications-resent', token: 't2' }), resent);
  const [first = '', second = ''] = again;
  const tried = after(
    resent,
    { type: 'notification-failed', notificationId: first, answer: rejected },
    { type: 'notification-delivered', notificationId: second, answer: accepted },
  );
  assert.equal(ids(tried), [...ofOutput, ...ofJob, ...again.slice(2)], 'a failed one is not repeated');
  const later = after(tried, { type: 'notifications-resent', token: 't2' });
  assert.equal(ids(later).length, 8);
  assert.is(later.updatedAt, ended.updatedAt);
});

test('notifications are sent again only of a job that has ended, and that has some', () => {
  const running = createJob({ ...processing, outputs: ['processing', 'finished'] });
  assert.throws(
    () => after(running, resent1),
    (error: unknown) => isVencError(error, 'ConflictError') && /only .* that has ended/.test(error.message),
  );
  const without = after(jobIn({ ...processing, outputs: ['processing', 'finished'] }), finished9);
  assert.throws(
    () => after(without, resent1),
    (error: unknown) => isVencError(error, 'ConflictError') && /has no notifications/.test(error.message),
  );
});

test('the last 20 answers are kept, with what the notification said and without its target', () => {
  let job = after(createJob({ ...processing, outputs: ['processing', 'queued'] }), finished9);
  const [first = '', second = ''] = ids(job);
  for (let attempt = 1; attempt < maxNotificationAttempts; attempt += 1)
    job = after(job, { type: 'notification-failed', notificationId: first, answer: rejected });
  const before = job.updatedAt;
  job = after(job, { type: 'notification-delivered', notificationId: first, answer: accepted });
  job = after(job, { type: 'notification-delivered', notificationId: second, answer: accepted });
  const attempts = job.notificationAttempts ?? [];
  assert.is(attempts.length, 20);
  assert.equal(
    [attempts[0], attempts.at(-2), attempts.at(-1)].map((one) => [one?.notificationId, one?.attempt]),
    [
      [first, 2],
      [first, 20],
      [second, 1],
    ],
  );
  assert.equal(attempts.at(-1), {
    ...{ notificationId: second, outputId: 9, event: 'output_finished', attempt: 1, at },
    ...accepted,
  });
  assert.is(job.updatedAt, before);
  assert.equal(jobRecord(job).notification_attempts?.at(-2), {
    ...{ id: first, output_id: 9, event: 'output_finished', destination: 'http://example.com' },
    ...{ attempt: 20, attempted_at: at, status: 204, error_message: null },
  });
  assert.is(listedJobRecord(job).notification_attempts, undefined);
  assert.is(jobForWorker(job).notificationAttempts, undefined);
  assert.is(jobRecord(jobIn(downloading)).notification_attempts, undefined);
});

test('a notification contains the job, its input, and all outputs or the one it is about', () => {
  const job = after(createJob({ ...processing, outputs: ['processing', 'finished'] }), finished9);
  const [ofNine, , ofAll] = job.pendingNotifications;
  assert.ok(ofNine !== undefined && ofAll !== undefined);
  const head = {
    id: 7,
    state: 'finished',
    test: false,
    pass_through: null,
    grouping: null,
    created_at: madeAt.toISOString(),
    updated_at: at,
    submitted_at: madeAt.toISOString(),
    finished_at: at,
  };
  const [nine, ten] = job.outputs;
  assert.ok(nine !== undefined && ten !== undefined);
  assert.equal(notificationRecord(job, ofNine), {
    job: head,
    input: inputDetails(job),
    output: { ...outputDetails(nine), expires_at: '2024-01-02T00:01:00.000Z' },
  });
  assert.equal(notificationRecord(job, ofAll), {
    job: head,
    input: inputDetails(job),
    outputs: [
      { ...outputDetails(nine), expires_at: '2024-01-02T00:01:00.000Z' },
      { ...outputDetails(ten), expires_at: '2024-01-02T00:00:00.000Z' },
    ],
  });
});

test('the address of the scores of an output has no password and no signature', () => {
  const job = jobIn({ job: 'finished', input: 'finished', outputs: ['finished'] });
  const [output] = job.outputs;
  const url = 'sftp://me:pw@host/a%20b/film.mp4?token=x';
  const settings = { quality_log: true, measure_quality: true };
  const quality = { mean: 95 } as QualityRecord;
  assert.ok(output !== undefined);
  const logUrl = (edit: Partial<JobOutput>) =>
    outputDetails({ ...output, url, settings, quality, ...edit }).quality?.log_url;
  assert.is(logUrl({}), 'sftp://me@host/a%20b/film.quality.json?token=***');
  assert.is(logUrl({ settings: { measure_quality: true } }), undefined);
});

test.run();
