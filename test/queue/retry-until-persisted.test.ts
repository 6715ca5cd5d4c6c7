import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { delay, retryUntilPersisted, unrefDelay } from '../../daemon/queue/retry-until-persisted.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { outOfSpaceError } from '../helpers/update-faults.js';

const test = suite('patience with a store');
const signal = new AbortController().signal;
const atOnce = async () => {};
const onFailure = () => {};

test('a write is repeated until it is kept', async () => {
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

test('what no further attempt would change is not repeated', async () => {
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

test('nothing is tried once it is told to end', async () => {
  const write = () => Promise.reject(new Error('tried'));
  assert.is(
    await retryUntilPersisted(write, { signal: AbortSignal.abort(), delay: atOnce, onFailure }),
    null,
  );
});

test('a pause ends at once when it is told to, and is no error', async () => {
  const stopping = new AbortController();
  const pauses = [delay(2 ** 30, stopping.signal), unrefDelay(2 ** 30, stopping.signal)];
  stopping.abort();
  await Promise.all([...pauses, delay(2 ** 30, stopping.signal), delay(0, signal)]);
});

test.run();
