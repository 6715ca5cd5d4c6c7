import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  mapConnectionError,
  permanentError,
  type TransferError,
  transientError,
} from '../../daemon/transfer/transfer-error.js';
import { createTransferRetryPolicy } from '../../daemon/transfer/with-retry.js';

const passing = transientError('DownloadFailureError', 'no');
const refusedConnection = mapConnectionError(
  Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
  'host',
  'download',
);

/** Fails attempts, each after a given time, until the policy gives up. Returns the delays and the total time. */
function failing(
  stallTimeoutMs: number,
  attemptMs: number,
  error: TransferError,
): { readonly delays: readonly number[]; readonly tookMs: number } {
  let now = 0;
  const connectTimeoutMs = 7_500;
  const retryPolicy = createTransferRetryPolicy({
    stallTimeoutMs,
    connectTimeoutMs,
    retryDelayMs: 500,
    clock: () => now,
  });
  const delays: number[] = [];
  for (;;) {
    now += attemptMs;
    const delay = retryPolicy.nextDelayMs(error);
    if (delay === null) return { delays, tookMs: now };
    delays.push(delay);
    now += delay;
  }
}

test('a permanent error is never retried', () => {
  assert.equal(failing(30_000, 10, permanentError('FileNotFoundError', 'no')).delays, []);
});

test('transient errors are retried up to five attempts, with doubling delays', () => {
  assert.equal(failing(30_000, 10, passing).delays, [500, 1000, 2000, 4000]);
});

test('a host that rejects the first connection is tried three times', () => {
  assert.equal(failing(30_000, 1, refusedConnection).delays, [500, 1000]);
});

test('a host that does not answer is reported within 20 seconds', () => {
  const { delays, tookMs } = failing(30_000, 8_500, refusedConnection);
  assert.equal(delays, [500]);
  assert.ok(tookMs < 20_000);
});

for (const stallTimeoutMs of [200, 2_000, 30_000, 300_000]) {
  test(`with a stall timeout of ${stallTimeoutMs} ms, stalls end the transfer within ten of them`, () => {
    assert.ok(failing(stallTimeoutMs, stallTimeoutMs, passing).tookMs <= 10 * stallTimeoutMs);
  });
}

test('Retry-After is respected up to ten stall timeouts', () => {
  assert.is(failing(30_000, 10, { ...passing, retryAfterMs: 40_000 }).delays[0], 40_000);
  assert.equal(failing(30_000, 10, { ...passing, retryAfterMs: 290_000 }).delays, []);
});

test('progress resets the retry limits, but not indefinitely', () => {
  const retryPolicy = createTransferRetryPolicy({
    stallTimeoutMs: 1000,
    connectTimeoutMs: 500,
    retryDelayMs: 1,
    clock: () => 0,
  });
  let tries = 0;
  do {
    retryPolicy.recordProgress();
    tries += 1;
  } while (retryPolicy.nextDelayMs(passing) !== null);
  assert.is(tries, 100);
});

test('a download that has begun waits longer for a server that restarts', () => {
  let now = 0;
  const retryPolicy = createTransferRetryPolicy({
    stallTimeoutMs: 30_000,
    connectTimeoutMs: 7_500,
    retryDelayMs: 500,
    clock: () => now,
  });
  now = 100_000;
  retryPolicy.recordProgress();
  assert.is(retryPolicy.nextDelayMs(passing), 500);
  now += 500;
  assert.equal(
    [
      retryPolicy.nextDelayMs(refusedConnection),
      retryPolicy.nextDelayMs(refusedConnection),
      retryPolicy.nextDelayMs(refusedConnection),
    ],
    [1000, 2000, 4000],
  );
});

test.run();
