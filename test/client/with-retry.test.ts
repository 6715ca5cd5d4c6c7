import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPollingSchedule, createWithRetry } from '../../src/client/polling-schedule.js';
import { VencError } from '../../src/shared/errors.js';

const noRelocation = { relocate: async () => {} };
const schedule = () => createPollingSchedule({ minIntervalMs: 1, maxIntervalMs: 1 });
const rejection = (retryAfterSeconds: number) =>
  new VencError('TooManyRequestsError', 'Too many.', { retryAfterSeconds });

for (const [requests, waited] of [
  [0, []],
  [30, [30_000]],
  [86_400, [60_000]],
] as const) {
  test(`with a Retry-After of ${requests} s the next request follows after ${waited[0] ?? 0} ms`, async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const terms = {
      client: noRelocation,
      schedule: schedule(),
      signal: undefined,
      isKnownReachable: true,
      sleep: wait,
    };
    let times = 0;
    const retrying = createWithRetry(terms)(async () => {
      times += 1;
      if (times === 1) throw rejection(requests);
      return 'an answer';
    });
    const steps: string[] = [];
    for (let step = await retrying.next(); ; step = await retrying.next()) {
      steps.push(step.done === true ? step.value : step.value.type);
      if (step.done === true) break;
    }
    assert.equal([steps, waits], [['unreachable', 'back', 'an answer'], waited]);
  });
}

test('Ctrl-C ends such a wait at once', async () => {
  const stop = new AbortController();
  const terms = { client: noRelocation, schedule: schedule(), signal: stop.signal, isKnownReachable: true };
  const retrying = createWithRetry(terms)(async () => {
    throw rejection(60);
  });
  await retrying.next();
  setImmediate(() => stop.abort(new VencError('InterruptedError', 'Interrupted.')));
  await retrying.next().then(
    () => assert.unreachable(),
    (error) => assert.is(error.errorClass, 'InterruptedError'),
  );
});

test.run();
