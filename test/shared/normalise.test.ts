import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseReport } from '../../src/client/read-report.js';
import { toServiceError } from '../../src/client/service-errors.js';
import {
  normaliseCreated,
  normaliseJob,
  normaliseJobProgress,
  normaliseProgress,
  progressOfJob,
  unwrapJobs,
} from '../../src/shared/client/normalise.js';
import { isVencError } from '../../src/shared/errors.js';

test('numbers in text form are parsed, and missing numbers are null', () => {
  const job = normaliseJob({
    job: {
      id: '7',
      state: 'processing',
      test: '1',
      input_media_file: { id: '8', width: '640', frame_rate: 'fast' },
    },
  });
  assert.equal([job.id, job.state, job.test, job.finished_at], [7, 'processing', true, null]);
  const { id, width, frame_rate, url, state } = job.input_media_file;
  assert.equal([id, width, frame_rate, url, state], [8, 640, null, null, 'unknown']);
  assert.equal(job.output_media_files, []);
});

test('no answer of a service makes normalisation throw', () => {
  for (const answer of [null, 7, 'text', [], {}, { job: null }, { job: [] }, { outputs: 'x' }]) {
    normaliseJob(answer);
    normaliseProgress(answer);
    normaliseJobProgress(answer);
    normaliseCreated(answer);
    unwrapJobs(answer);
  }
});

test('times are converted to UTC in every form, and other text is unchanged', () => {
  for (const [given, time] of [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T03:04:05+01:00'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04:05 UTC', '2026-01-02T03:04:05Z'],
    [1767323045, '2026-01-02T03:04:05.000Z'],
    ['1767323045000', '2026-01-02T03:04:05.000Z'],
    ['yesterday', 'yesterday'],
    ['0000-00-00 00:00:00', ''],
    [null, ''],
  ] as const) {
    assert.is(normaliseJob({ created_at: given }).created_at, time);
  }
});

test('ids beyond the safe integers are dropped, and a missing id becomes the requested one', () => {
  assert.is(normaliseJob({ id: '9007199254740993' }).id, 0);
  assert.is(normaliseJob({ state: 'finished' }, 7).id, 7);
});

test('known states are recognised in any letter case, others are unchanged', () => {
  const states = ['FINISHED', 'Canceled', 'no_input', 'Archived', null];
  assert.equal(
    states.map((state) => normaliseProgress({ state }).state),
    ['finished', 'cancelled', 'no input', 'Archived', 'unknown'],
  );
});

test('negative amounts, empty errors and thumbnails without an address are dropped', () => {
  const { input_media_file: input, thumbnails } = normaliseJob({
    input_media_file: { file_size_bytes: '-5', duration_in_ms: -1, error_message: '', error_class: '' },
    thumbnails: [null, 'x', { url: null }, { url: 'https://h/0.png' }],
  });
  assert.equal(
    [input.file_size_bytes, input.duration_in_ms, input.error_message, input.error_class],
    [null, null, null, null],
  );
  assert.equal(
    thumbnails.map(({ url }) => url),
    ['https://h/0.png'],
  );
});

test('totals that a report omits are computed from its days', () => {
  const statistics = [{ encoded_minutes: '1.5' }, { encoded_minutes: 2, billable_minutes: null }];
  assert.equal(parseReport('vod', { total: { billable_minutes: '3' }, statistics })[0]?.total, {
    encoded_minutes: 3.5,
    billable_minutes: 3,
  });
});

test('a pass_through that is not a string becomes JSON', () => {
  assert.is(normaliseJob({ pass_through: { order: 7 } }).pass_through, '{"order":7}');
});

test('jobs are unwrapped, under any list key', () => {
  assert.equal(unwrapJobs([{ job: { id: 1 } }, { id: 2 }]), [{ id: 1 }, { id: 2 }]);
  assert.equal(unwrapJobs({ jobs: [{ job: { id: 1 } }] }), [{ id: 1 }]);
});

test('progress is clamped to 0-100, and finished means 100', () => {
  assert.is(normaliseProgress({ state: 'processing', progress: '104.2' }).progress, 100);
  assert.is(normaliseProgress({ state: 'processing', progress: '41.5 %' }).progress, 41.5);
  assert.is(normaliseProgress({ state: 'finished' }).progress, 100);
  assert.is(
    normaliseProgress({ state: 'processing', current_event: 'Transcoding' }).current_event,
    'transcoding',
  );
});

test('the progress of a job is computed from its files', () => {
  const outputs = [
    { id: 3, state: 'finished' },
    { id: 4, state: 'processing' },
  ];
  const job = normaliseJob({
    id: 1,
    state: 'processing',
    input_media_file: { id: 2 },
    output_media_files: outputs,
  });
  const progress = progressOfJob(job, new Map([[4, { state: 'processing', progress: 50 }]]));
  assert.equal([progress.progress, progress.outputs.map((output) => output.progress)], [75, [100, 50]]);
});

test('an error status is an error with any body', () => {
  const cases = [
    ['jobDetails', 401, 'UnauthorizedError'],
    ['jobDetails', 404, 'NotFoundError'],
    ['cancelJob', 409, 'ConflictError'],
    ['resubmitJob', 403, 'ResubmitLimitError'],
    ['listJobs', 403, 'ForbiddenError'],
    ['createJob', 400, 'InvalidRequestError'],
    ['createJob', 422, 'InvalidRequestError'],
    ['createJob', 418, 'InvalidRequestError'],
    ['listJobs', 429, 'TooManyRequestsError'],
    ['listJobs', 500, 'InternalError'],
    ['listJobs', 502, 'UnavailableError'],
    ['listJobs', 301, 'UnreachableError'],
  ] as const;
  for (const [route, status, errorClass] of cases) {
    const error = toServiceError(route, 'job 1', { status, body: '<html>no</html>' });
    assert.ok(isVencError(error, errorClass), `${route} ${status}`);
    assert.not(error.message.includes('html'));
  }
});

test('every validation error of the service is kept, without secrets', () => {
  const body = JSON.stringify({ errors: ['width is wrong', 'ftp://u:pw@host/a cannot be read'] });
  assert.equal(toServiceError('createJob', 'x', { status: 422, body }).messages, [
    'width is wrong',
    'ftp://u:***@host/a cannot be read',
  ]);
});

test('a read-only key is distinguished from the resubmit limit by the message', () => {
  const body = JSON.stringify({ errors: ['A read-only key may not do this.'] });
  assert.ok(isVencError(toServiceError('resubmitJob', 'job 1', { status: 403, body }), 'ForbiddenError'));
});

test.run();
