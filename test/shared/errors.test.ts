import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorClasses, isErrorClass } from '../../src/shared/error-classes.js';
import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';

const rows = Object.entries(errorClasses);

test('every class has a description and advice in full sentences', () => {
  for (const [name, { meaning, advice }] of rows) {
    assert.match(name, /^([A-Z][a-z]+)+Error$/);
    assert.match(meaning, /^[A-Z][^\n]*\.$/, `${name}: ${meaning}`);
    assert.match(advice, /^[A-Z][^\n]*\.$/, `${name}: ${advice}`);
  }
});

test('every class has an HTTP error status and a failing exit code', () => {
  const codes: readonly number[] = Object.values(exitCodes);
  for (const [name, { status, exitCode }] of rows) {
    assert.ok(status >= 400 && status <= 599, name);
    assert.ok(codes.includes(exitCode) && exitCode !== exitCodes.done, name);
  }
});

test('the classes of job failures match the contract', () => {
  const failures = rows
    .filter(([, { status, exitCode }]) => status === 422 && exitCode === exitCodes.jobFailed)
    .map(([name]) => name);
  assert.equal(failures, [
    'ChecksumMismatchError',
    'DownloadAccessDeniedError',
    'DownloadFailureError',
    'DownloadTimeoutError',
    'FileNotFoundError',
    'InvalidUsernameOrPasswordError',
    'ForbiddenAddressError',
    'NoMediaError',
    'UnsupportedInputError',
    'InvalidVideoSettingsError',
    'InvalidAudioSettingsError',
    'InvalidCodecCombinationError',
    'WatermarkError',
    'CaptionError',
    'InvalidEncryptionSettingsError',
    'QualityError',
    'SegmentingError',
    'SkippedSourceError',
    'SourceFailedError',
    'ThumbnailError',
    'TranscodingError',
    'TranscodingTimeoutError',
    'MemoryLimitError',
    'CpuTimeLimitError',
    'EncodeTimeLimitError',
    'OutputSizeLimitError',
    'InputDurationLimitError',
    'UploadAccessDeniedError',
    'UploadFailureError',
    'UploadTimeoutError',
    'OutOfSpaceError',
    'WorkerLostError',
  ]);
});

test('the errors of a service map to the documented exit codes', () => {
  for (const [name, status, exitCode] of [
    ['UnparsableBodyError', 400, 2],
    ['UnauthorizedError', 401, 4],
    ['ForbiddenError', 403, 4],
    ['ResubmitLimitError', 403, 6],
    ['NotFoundError', 404, 5],
    ['ConflictError', 409, 6],
    ['InvalidRequestError', 422, 2],
    ['TooManyRequestsError', 429, 3],
    ['InternalError', 500, 3],
    ['UnavailableError', 503, 3],
    ['TimedOutError', 504, 7],
    ['InterruptedError', 499, 130],
  ] as const) {
    assert.equal([errorClasses[name].status, errorClasses[name].exitCode], [status, exitCode], name);
  }
});

test('only names in the table are error classes', () => {
  assert.ok(isErrorClass('NoMediaError'));
  for (const text of ['', 'nomediaerror', 'toString', '__proto__', 'Error'])
    assert.not.ok(isErrorClass(text));
});

test('an error has its class, its table row, its cause and a stack', () => {
  const cause = new Error('inner');
  const error = new VencError('UnavailableError', 'Not now.', { cause, hint: 'Wait.', retryAfterSeconds: 5 });
  assert.equal([error.entry.status, error.hint, error.retryAfterSeconds], [503, 'Wait.', 5]);
  assert.equal(error.messages, ['Not now.']);
  assert.is(error.cause, cause);
  assert.match(error.stack ?? '', 'errors.test');
  assert.ok(error instanceof Error && isVencError(error) && isVencError(error, 'UnavailableError'));
  assert.not.ok(isVencError(error, 'NotFoundError') || isVencError(cause) || isVencError('text'));
});

test('an error without options has no cause, no hint and no delay', () => {
  const error = new VencError('NotFoundError', 'Not here.');
  assert.equal([error.hint, error.retryAfterSeconds, 'cause' in error], [null, null, false]);
});

test('an invalid request contains every validation error', () => {
  const error = invalidRequest(['a must be b', 'c must be d']);
  assert.equal(error.messages, ['a must be b', 'c must be d']);
  assert.is(error.message, 'a must be b; c must be d');
  assert.is(error.errorClass, 'InvalidRequestError');
});

test('as text, an error has its class and its message', () => {
  const error = new VencError('UnavailableError', 'The database is not available.');
  assert.is(String(error), 'UnavailableError: The database is not available.');
  assert.is(`${error}`, String(error));
});

test.run();
