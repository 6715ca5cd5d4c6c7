import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idempotencyTtlMs } from '../../../daemon/store/job-store.js';
import { IdempotencyIndex } from '../../../daemon/store/jobs/index/idempotency-index.js';

const test = suite('idempotency keys');

test('a key is known for its lifetime, and dropped after another one', () => {
  const keys = new IdempotencyIndex();
  const hour = idempotencyTtlMs / 24;
  let max = 0;
  for (let id = 1; id <= 24 * 30; id += 1) {
    const createdAtMs = id * hour;
    keys.rotate(createdAtMs);
    keys.add('anna', id, { key: `key ${id}`, createdAtMs });
    for (let age = 0; age < Math.min(24, id); age += 1) {
      assert.is(keys.find('anna', `key ${id - age}`, createdAtMs - idempotencyTtlMs), id - age);
    }
    assert.is(keys.find('anna', `key ${id - 24}`, createdAtMs - idempotencyTtlMs), null);
    max = Math.max(max, keys.size);
  }
  assert.is(max, 48);
});

test('creates without a key also drop expired keys', () => {
  const keys = new IdempotencyIndex();
  keys.rotate(0);
  keys.add('anna', 1, { key: 'k', createdAtMs: 0 });
  keys.rotate(idempotencyTtlMs);
  keys.rotate(2 * idempotencyTtlMs);
  assert.is(keys.size, 0);
});

test('keys from a clock that was a year ahead are not kept for that year', () => {
  const keys = new IdempotencyIndex();
  const ahead = 365 * idempotencyTtlMs;
  keys.rotate(ahead);
  keys.add('anna', 1, { key: 'k', createdAtMs: ahead });
  for (let day = 1; day <= 2; day += 1) keys.rotate(day * idempotencyTtlMs);
  assert.is(keys.size, 0);
});

test.run();
