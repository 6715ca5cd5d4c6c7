import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard, type SsrfGuardOptions } from '../../daemon/net/ssrf-guard.js';
import { createWebhookClient, type WebhookRequest } from '../../daemon/webhooks/webhook-client.js';
import { startHttpSource, startSocketSource } from '../helpers/servers/http-source.js';
import { testCertificate, testKey } from '../helpers/servers/test-certificate.js';
import {
  startWebhookEndpoint,
  type WebhookAnswer,
  type WebhookEndpoint,
} from '../helpers/servers/webhook-endpoint.js';
import { waitUntil } from '../helpers/wait-until.js';

interface PostOptions {
  readonly guard?: Partial<SsrfGuardOptions>;
  readonly timeoutMs?: number;
}

/** Posts webhook requests one after the other, and returns the result of the last. */
async function post(
  requests: readonly Partial<WebhookRequest>[],
  options: PostOptions = {},
): Promise<string | null> {
  const client = createWebhookClient({
    guard: createSsrfGuard({ allowPrivateNetwork: true, ...options.guard }),
    timeoutMs: options.timeoutMs ?? 5_000,
  });
  let outcome: string | null = null;
  for (const webhookRequest of requests) {
    const whole = { url: '', headers: {}, body: '', ...webhookRequest };
    outcome = (await client.post(whole, new AbortController().signal)).failure;
    await nextTurn();
  }
  await client.close();
  return outcome;
}

/** Runs a test against its own endpoint. */
async function withReceiver(
  answer: WebhookAnswer | undefined,
  work: (receiver: WebhookEndpoint) => Promise<void>,
): Promise<void> {
  const receiver = await startWebhookEndpoint(answer);
  try {
    await work(receiver);
  } finally {
    await receiver.close();
  }
}

test('a body is posted with its headers to the path and query of the URL', async () => {
  await withReceiver(undefined, async (receiver) => {
    const headers = { 'content-type': 'text/plain', 'x-order': 'a b' };
    const url = `${receiver.url('/a%20b?c=d')}#e`;
    assert.is(await post([{ url, headers, body: 'Grüße' }]), null);
    const [seen] = receiver.received;
    assert.equal([seen?.method, seen?.path, seen?.body], ['POST', '/a%20b?c=d', 'Grüße']);
    assert.is(seen?.headers['content-length'], '7');
    assert.is(seen?.headers['content-type'], 'text/plain');
    assert.is(seen?.headers['x-order'], 'a b');
    assert.is(seen?.headers['user-agent'], 'venc');
    assert.is(seen?.headers.authorization, undefined);
  });
});

test('a user and a password in the URL become basic authentication, unless the headers have their own', async () => {
  await withReceiver(undefined, async (receiver) => {
    const url = receiver.url('/', 'me:p%40ss');
    await post([{ url }, { url, headers: { authorization: 'Bearer x', 'user-agent': 'mine' } }]);
    assert.equal(
      receiver.received.map(({ headers }) => headers.authorization),
      [`Basic ${Buffer.from('me:p@ss').toString('base64')}`, 'Bearer x'],
    );
    assert.is(receiver.received[1]?.headers['user-agent'], 'mine');
  });
});

for (const status of [200, 201, 202, 204, 299]) {
  test(`an answer of ${status} is a success`, async () => {
    await withReceiver(
      (response) => response.writeHead(status).end(),
      async ({ url }) => assert.is(await post([{ url: url('/') }]), null),
    );
  });
}

for (const status of [400, 401, 404, 410, 429, 500, 503]) {
  test(`an answer of ${status} is a failure`, async () => {
    await withReceiver(
      (response) => response.writeHead(status).end('secret'),
      async ({ url, port }) => {
        assert.is(await post([{ url: url('/secret?secret') }]), `127.0.0.1:${port} answered ${status}.`);
      },
    );
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is not followed`, async () => {
    await withReceiver(
      (response) => response.writeHead(status, { location: '/elsewhere' }).end(),
      async (receiver) => {
        assert.match((await post([{ url: receiver.url('/') }])) ?? '', `redirects elsewhere (${status})`);
        assert.is(receiver.received.length, 1);
      },
    );
  });
}

test('requests to one endpoint share a connection', async () => {
  await withReceiver(
    (response) => response.end('thank you'),
    async (receiver) => {
      const url = receiver.url('/');
      await post([{ url }, { url }, { url }]);
      assert.equal([receiver.received.length, receiver.connections], [3, 1]);
    },
  );
});

test('an endless answer is cut off, and succeeds by its status', async () => {
  let sentBytes = 0;
  let isCut = false;
  await withReceiver(
    (response) => {
      response.once('close', () => {
        isCut = true;
      });
      const more = (): void => {
        if (isCut) return;
        sentBytes += 65_536;
        response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    },
    async ({ url }) => {
      assert.is(await post([{ url: url('/') }]), null);
      await waitUntil('the answer is cut off', () => isCut);
      assert.ok(sentBytes < 64 << 20, `${sentBytes} bytes were sent`);
    },
  );
});

test('a slow answer is cut off after the timeout', async () => {
  let isCut = false;
  const client = createWebhookClient({
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    timeoutMs: 200,
  });
  await withReceiver(
    (response) => {
      response.once('close', () => {
        isCut = true;
      });
      response.write('a');
    },
    async ({ url }) => {
      const webhookRequest = { url: url('/'), headers: {}, body: '' };
      assert.equal(await client.post(webhookRequest, new AbortController().signal), {
        status: 200,
        failure: null,
      });
      await waitUntil('the answer is cut off', () => isCut);
    },
  );
  await client.close();
});

test('an endpoint that never answers fails after the timeout', async () => {
  await withReceiver(
    () => {},
    async ({ url, port }) => {
      const outcome = await post([{ url: url('/') }], { timeoutMs: 100 });
      assert.is(outcome, `127.0.0.1:${port} did not answer within 0.1 seconds.`);
    },
  );
});

test('refused connections, broken connections and other protocols are reported as such', async () => {
  const { port, close } = await startWebhookEndpoint();
  await close();
  assert.is(await post([{ url: `http://127.0.0.1:${port}/` }]), `127.0.0.1:${port} refused the connection.`);
  for (const handle of [
    (socket: { destroy(): unknown }) => socket.destroy(),
    (socket: { end(text: string): unknown }) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  ]) {
    const source = await startSocketSource(handle);
    assert.match((await post([{ url: source.url }])) ?? '', /broke off the connection/);
    await source.close();
  }
});

test('an untrusted certificate is rejected before anything is sent', async () => {
  const tls = { key: testKey, cert: testCertificate };
  const source = await startHttpSource((_request, response) => response.end(), { tls });
  assert.match((await post([{ url: source.url('/') }])) ?? '', /certificate that cannot be verified/);
  assert.is(source.seen.length, 0);
  await source.close();
});

test('private addresses need permission, and metadata addresses are always rejected', async () => {
  await withReceiver(undefined, async (receiver) => {
    const guard = { allowPrivateNetwork: false };
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
      const outcome = await post([{ url: `http://${host}:${receiver.port}/` }], { guard });
      assert.match(outcome ?? '', /address that is not public\. .*--allow-private-network/, host);
    }
    for (const host of ['169.254.169.254', 'metadata.google.internal', '[fd00:ec2::254]']) {
      assert.match(
        (await post([{ url: `http://${host}/` }])) ?? '',
        /metadata service.* Use another address\.$/,
        host,
      );
    }
    assert.is(receiver.connections, 0);
  });
});

test('an invalid URL is reported, and no connection is made', async () => {
  for (const url of ['', 'ftp://example.com/a', 'http:///a', 'http://example.com:0/']) {
    assert.match((await post([{ url }])) ?? '', /^The address must /, url);
  }
});

test('an aborted signal ends the attempt, and no attempt begins with one that is already aborted', async () => {
  await withReceiver(
    () => {},
    async (receiver) => {
      const client = createWebhookClient({
        guard: createSsrfGuard({ allowPrivateNetwork: true }),
        timeoutMs: 5_000,
      });
      const stop = new AbortController();
      const webhookRequest = { url: receiver.url('/'), headers: {}, body: '' };
      const outcome = client.post(webhookRequest, stop.signal).then(
        () => 'settled',
        () => 'rejected',
      );
      await waitUntil('the request has arrived', () => receiver.received.length === 1);
      stop.abort();
      assert.is(await outcome, 'rejected');
      await waitUntil('the connection is closed', () => receiver.open.now === 0);
      await client.post(webhookRequest, stop.signal).then(
        () => assert.unreachable(),
        () => {},
      );
      await nextTurn();
      assert.is(receiver.received.length, 1);
      await client.close();
    },
  );
});

test.run();
