import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createConcurrencyLimits, runCountFor } from '../../daemon/pipeline/concurrency-limits.js';
import type { Semaphore } from '../../src/shared/util/semaphore.js';
import { settleEventLoop } from '../helpers/wait-until.js';

for (const [encodes, runs] of [
  [0, 0],
  [1, 5],
  [2, 6],
  [4, 12],
] as const) {
  test(`with ${encodes} concurrent encodes, at most ${runs} runs are started`, () => {
    assert.is(runCountFor(encodes), runs);
  });
}

/** How many of three tasks get a permit at once. */
async function grantedAtOnce(semaphore: Semaphore): Promise<number> {
  let granted = 0;
  for (const priority of [1, 2, 3]) {
    void semaphore.acquire(priority).then(() => {
      granted += 1;
    });
  }
  await settleEventLoop(async () => {});
  return granted;
}

test('transfers have at least two permits, so that one slow server does not block the others', async () => {
  const { downloads, uploads, encodes } = createConcurrencyLimits(1);
  assert.is(await grantedAtOnce(downloads), 2);
  assert.is(await grantedAtOnce(uploads), 2);
  assert.is(await grantedAtOnce(encodes), 1);
});

test.run();
