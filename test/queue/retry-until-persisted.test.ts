import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { delay, retryUntilPersisted, unrefDelay } from '../../daemon/queue/retry-until-persisted.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { outOfSpaceError } from '../helpers/failing-updates.js';

const test = suite('retryUntilPersisted');
const signal = new AbortController().signal;
const atOnce = async () => {};
const onFailure = () => {};

test('a write is retried until it is stored', async () => {
  const reported: unknown[] = [];
  let count = 0;
  const write = async () => {
    count += 1;
    if (count < 4) throw outOfSpaceError;
    return 'kept';
  };
  assert.is(
    await retryUntilPersisted(write, { signal, delay: atOnce, onFailure: (error) => reported.push(error) }),
    'kept',
  );
  assert.equal(reported, [outOfSpaceError, outOfSpaceError, outOfSpaceError]);
});

test('permanent errors are not retried', async () => {
  for (const errorClass of ['NotFoundError', 'GoneError', 'ClaimLostError', 'IllegalChangeError'] as const) {
    let count = 0;
    const write = async () => {
      count += 1;
      throw new VencError(errorClass, 'No.');
    };
    await retryUntilPersisted(write, { signal, delay: atOnce, onFailure }).then(
      () => assert.unreachable(),
      (error) => assert.ok(isVencError(error, errorClass)),
    );
    assert.is(count, 1);
  }
});

test('nothing is tried after the signal is aborted', async () => {
  const write = () => Promise.reject(new Error('tried'));
  assert.is(
    await retryUntilPersisted(write, { signal: AbortSignal.abort(), delay: atOnce, onFailure }),
    null,
  );
});

test('an aborted delay ends at once and does not reject', async () => {
  const stopping = new AbortController();
  const pauses = [delay(2 ** 30, stopping.signal), unrefDelay(2 ** 30, stopping.signal)];
  stopping.abort();
  await Promise.all([...pauses, delay(2 ** 30, stopping.signal), delay(0, signal)]);
});

test.run();
