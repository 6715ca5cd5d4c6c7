import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { maxConcurrentPerEndpoint } from '../../daemon/webhooks/delivery-queue.js';
import { createWebhookClient, type WebhookClient } from '../../daemon/webhooks/webhook-client.js';
import { startWebhookEndpoint, type WebhookAnswer } from '../helpers/servers/webhook-endpoint.js';
import { waitUntil } from '../helpers/wait-until.js';
import {
  createNotificationHarness,
  noneIsPending,
  secret,
  verified,
  withHarness,
} from './notification-harness.js';

const neverAnswer: WebhookAnswer = () => {};

test('a notification that no endpoint accepts is tried twenty times, after 2 seconds, 4, 8 and so on, under one id', async () => {
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      const ended = await harness.change(id, { type: 'cancelled' });
      await waitUntil('delivery ends', () => noneIsPending(harness));
      assert.is(endpoint.received.length, 20);
      assert.is(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size, 1);
      const times = endpoint.received.map(({ headers }) => Number(headers['webhook-timestamp']));
      assert.equal(
        times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0))),
        Array.from({ length: 19 }, (_, index) => 2 ** (index + 1)),
      );
      assert.match(
        harness.logLines.at(-1) ?? '',
        /^error Gave up notification msg_.* after attempt 20: .* answered 503\.$/,
      );
      const { notificationAttempts = [], ...job } = (await harness.store.get(id)) ?? ended;
      assert.equal({ ...job, pendingNotifications: [] }, { ...ended, pendingNotifications: [] });
      assert.is(notificationAttempts.length, 20);
      for (const [index, { attempt, status, failure, event }] of notificationAttempts.entries())
        assert.equal(
          [attempt, status, failure, event],
          [...[index + 1, 503], ...[`127.0.0.1:${endpoint.port} answered 503.`, 'job_cancelled']],
        );
    },
    (response) => response.writeHead(503).end(),
  );
});

test('a notification that was rejected at first is delivered later, and then never sent again', async () => {
  const answers = [500, 302, 404, 200];
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      await harness.change(id, { type: 'cancelled' });
      await waitUntil('it is taken', () => noneIsPending(harness));
      assert.is(endpoint.received.length, answers.length);
      assert.equal(
        harness.logLines.map((line) =>
          line.replace(/ notification.*?(\(attempt|\.$)/, ' $1').replace(/,.*?\)/, ')'),
        ),
        [
          `warn Could not deliver (attempt 1 of 20): 127.0.0.1:${endpoint.port} answered 500.`,
          `warn Could not deliver (attempt 2 of 20): 127.0.0.1:${endpoint.port} redirects elsewhere (302), which is not followed.`,
          `warn Could not deliver (attempt 3 of 20): 127.0.0.1:${endpoint.port} answered 404.`,
          'info Delivered .',
        ],
      );
    },
    (response, _, count) => response.writeHead(answers[count - 1] ?? 500, { location: '/b' }).end(),
  );
});

test('a notification that is sent again is tried once, under another id', async () => {
  const answers = [200, 503, 204];
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      await harness.change(id, { type: 'cancelled' });
      for (const count of [1, 2, 3]) {
        await waitUntil('delivery ends', () => noneIsPending(harness));
        assert.is(endpoint.received.length, count);
        if (count === answers.length) break;
        await harness.change(id, { type: 'notifications-resent', token: String(count) });
      }
      const attempts = (await harness.store.get(id))?.notificationAttempts ?? [];
      assert.equal(
        attempts.map(({ status, attempt }) => [status, attempt]),
        answers.map((status) => [status, 1]),
      );
      assert.is(new Set(attempts.map(({ notificationId }) => notificationId)).size, 3);
      assert.ok(harness.logLines.some((line) => /^error Gave up .* after attempt 1: /.test(line)));
      assert.ok(endpoint.received.every((one) => verified(one) !== null));
    },
    (response, _, count) => response.writeHead(answers[count - 1] ?? 500).end(),
  );
});

test('an endpoint that hangs gets two requests at a time, and delays neither jobs nor other endpoints', async () => {
  await withHarness(async (harness, hanging) => {
    harness.open();
    const endpoint = await startWebhookEndpoint();
    const both = [{ url: hanging.url('/') }, { url: endpoint.url('/') }];
    for (let count = 1; count <= 5; count += 1) {
      const { id } = await harness.start(both, [undefined]);
      await harness.change(id, { type: 'cancelled' });
    }
    await waitUntil('all are delivered to the other endpoint', () => endpoint.received.length === 5);
    await waitUntil('the first are in flight', () => hanging.received.length === maxConcurrentPerEndpoint);
    assert.is(hanging.open.maxOpen, maxConcurrentPerEndpoint);
    await endpoint.close();
  }, neverAnswer);
});

test('an endpoint that hangs is tried again after the timeout of an attempt', async () => {
  await withHarness(
    async (harness, endpoint) => {
      // Only the attempt that hangs is short: on a busy machine, an answer may take longer.
      const guard = createSsrfGuard({ allowPrivateNetwork: true });
      const short = createWebhookClient({ guard, timeoutMs: 50 });
      const long = createWebhookClient({ guard, timeoutMs: 30_000 });
      const webhookClient: WebhookClient = {
        post: (...parts) => (endpoint.received.length === 0 ? short : long).post(...parts),
        async close() {
          await short.close();
          await long.close();
        },
      };
      harness.open({ webhookClient });
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      await harness.change(id, { type: 'cancelled' });
      await waitUntil('it is delivered', () => noneIsPending(harness));
      assert.is(endpoint.received.length, 2);
      assert.match(harness.logLines[0] ?? '', 'did not answer within 0.05 seconds');
    },
    (response, _, count) => {
      if (count > 1) response.end();
    },
  );
});

test('an endpoint that rejects connections gets its notification when it accepts them again', async () => {
  const harness = await createNotificationHarness();
  const closed = await startWebhookEndpoint();
  await closed.close();
  // The clock does not advance until the endpoint is up.
  let wakeUp = (): void => {};
  let laterMs = 0;
  harness.open({
    alarm: (_, wake) => {
      wakeUp = wake;
      return () => {};
    },
    now: () => new Date(Date.now() + laterMs),
  });
  const { id } = await harness.start([{ url: closed.url('/') }], [undefined]);
  await harness.change(id, { type: 'cancelled' });
  await waitUntil('the connection was refused', () => harness.logLines.length === 1);
  assert.match(harness.logLines[0] ?? '', 'refused the connection');
  const endpoint = await startWebhookEndpoint(undefined, closed.port);
  laterMs = 10_000;
  wakeUp();
  await waitUntil('it is delivered', () => noneIsPending(harness));
  assert.is(endpoint.received.length, 1);
  await harness.close();
  await endpoint.close();
});

test('closing the deliverer is immediate and leaves notifications in flight due; the next one sends them under the same id', async () => {
  await withHarness(
    async (harness, endpoint) => {
      const first = harness.open();
      const url = endpoint.url('/');
      const { id } = await harness.start([{ url }], [[{ url }]]);
      await harness.change(id, { type: 'cancelled' });
      await waitUntil('the first is in flight', () => endpoint.received.length === 1);
      await first.close();
      assert.is((await harness.store.get(id))?.pendingNotifications.length, 2);
      assert.equal((await harness.store.get(id))?.pendingNotifications[0]?.attempts, 0);
      harness.open();
      await waitUntil('both are delivered', () => noneIsPending(harness));
      const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
      assert.equal([ids.length, ids[0], new Set(ids).size], [3, ids[1], 2]);
    },
    (response, _, count) => {
      if (count > 1) response.end();
    },
  );
});

test('a job of a missing account keeps its notifications until the account is back', async () => {
  await withHarness(async (harness, endpoint) => {
    let attempts = 0;
    harness.open({
      secretOf: () => {
        attempts += 1;
        return attempts > 2 ? secret : null;
      },
    });
    const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
    await harness.change(id, { type: 'cancelled' });
    await waitUntil('it is delivered', () => noneIsPending(harness));
    const warnings = harness.logLines.filter((line) => line.startsWith('warn '));
    assert.is(warnings.length, 2, harness.logLines.join('\n'));
    assert.ok(warnings.every((line) => line.includes('no longer exists')));
    assert.equal(endpoint.received.map(verified).length, 1);
  });
});

test('a delivery that cannot be stored for lack of space is stored later, and the notification is sent once', async () => {
  let strike = (): void => {};
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      strike = () => harness.failures.failWithoutSpaceAt(1);
      await harness.change(id, { type: 'cancelled' });
      await waitUntil('it is delivered and kept', () => noneIsPending(harness));
      assert.ok(harness.failures.hasTriggered);
      assert.is(endpoint.received.length, 1);
    },
    (response) => {
      strike();
      response.end();
    },
  );
});

test.run();
