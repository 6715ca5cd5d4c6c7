import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/client.js';
import { follow } from '../../src/client/follow.js';
import type { FollowEvent } from '../../src/client/follow-context.js';
import { createPollingSchedule, pollingLimitsFor } from '../../src/client/polling-schedule.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';

const test = suite<{ service: FakeService }>('follow');

test.before.each(async (context) => {
  context.service = await startFakeService();
});
test.after.each(({ service }) => service.close());

async function events(service: FakeService, ids: readonly number[]): Promise<readonly FollowEvent[]> {
  const found: FollowEvent[] = [];
  for await (const event of follow(createClient({ url: service.url, apiKey: service.key }), ids))
    found.push(event);
  return found;
}

test('a job is followed to its end, and its record comes last', async ({ service }) => {
  service.states(1001, ['waiting', 'processing', 'finished']);
  const found = await events(service, [1001]);
  assert.equal(
    found.map((event) =>
      event.type === 'progress' || event.type === 'final' ? event.job.state : event.type,
    ),
    ['waiting', 'processing', 'finished'],
  );
  assert.is(found.at(-1)?.type, 'final');
});

test('an unknown id is reported, and the others are still followed', async ({ service }) => {
  const found = await events(service, [999, 1001]);
  assert.equal(
    found.map(({ type }) => type),
    ['rejected', 'final'],
  );
});

test('many jobs are polled with one list', async ({ service }) => {
  const found = await events(service, [1001, 1002, 1003, 999]);
  assert.equal(found.map(({ type }) => type).sort(), ['final', 'final', 'final', 'rejected']);
  assert.equal(
    service.seen.map(({ path }) => path),
    ['/v2/events', '/v2/jobs.json', '/v2/jobs/999/events', '/v2/jobs/999/progress', '/v2/jobs/999.json'],
  );
});

test('a network error is reported once and retried', async ({ service }) => {
  service.states(1001, ['processing', 'finished']);
  const client = createClient({ url: service.url, apiKey: service.key });
  const found: string[] = [];
  for await (const event of follow(client, [1001])) {
    if (found.length === 0) service.failNext(503, 4);
    found.push(event.type);
  }
  assert.equal(found, ['progress', 'unreachable', 'back', 'final']);
});

test('a service that never answered is an error, unless it is known to have answered before', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'k' });
  await follow(client, [1])
    .next()
    .then(
      () => assert.unreachable(),
      (error) => assert.ok(isVencError(error, 'UnreachableError')),
    );
  const first = await follow(client, [1], { isKnownReachable: true }).next();
  assert.is(first.value?.type, 'unreachable');
});

test('the signal ends it with its reason', async ({ service }) => {
  service.states(1001, ['processing']);
  const end = new AbortController();
  const client = createClient({ url: service.url, apiKey: service.key });
  try {
    for await (const _ of follow(client, [1001], { signal: end.signal })) {
      end.abort(new VencError('TimedOutError', 'Too long.'));
    }
    assert.unreachable();
  } catch (error) {
    assert.ok(isVencError(error, 'TimedOutError'), String(error));
  }
});

test('other machines are polled at most once per second, this one five times', () => {
  assert.is(pollingLimitsFor('https://encoding.example.com/api').minIntervalMs, 1000);
  assert.is(pollingLimitsFor('http://127.0.0.1:8686').minIntervalMs, 200);
  assert.is(pollingLimitsFor('http://127.attacker.example.com').minIntervalMs, 1000);
});

test('a polling schedule starts at once, keeps its interval, and slows down while nothing changes', async () => {
  let now = 1000;
  const waits: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += Math.max(0, milliseconds);
    },
  };
  const schedule = createPollingSchedule({ minIntervalMs: 200, maxIntervalMs: 400 }, clock);
  for (const hasChanged of [true, false, false, false, true]) {
    await schedule.waitForSlot();
    await schedule.waitForSlot();
    schedule.endRound(hasChanged);
  }
  await schedule.waitForSlot();
  assert.ok((waits[0] ?? 0) <= 0);
  assert.equal(waits.slice(1), [200, 200, 200, 300, 200, 400, 200, 400, 200, 200]);
  for (const askedMs of [100, 350, 60_000]) {
    schedule.endRound(true, askedMs);
    await schedule.waitForSlot();
  }
  assert.equal(
    waits.slice(11),
    [200, 350, 400],
    'a wait that the service asks for is kept within the limits',
  );
});

test('pollers that share a schedule take turns', async () => {
  const waits: number[] = [];
  const clock = { now: () => 1000, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
  const schedule = createPollingSchedule({ minIntervalMs: 1000, maxIntervalMs: 5000 }, clock);
  await Promise.all([schedule.waitForSlot(), schedule.waitForSlot(), schedule.waitForSlot()]);
  assert.equal(waits, [0, 1000, 2000]);
  await schedule.waitUntilDue();
  await schedule.waitUntilDue();
  assert.equal(waits.slice(3), [3000, 3000], 'waiting takes no slot');
});

test.run();
