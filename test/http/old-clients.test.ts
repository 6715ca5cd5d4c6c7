import { once } from 'node:events';
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';

const test = daemonSuite('behaviour of old clients', { jobs: 0 });

const input = 'http://127.0.0.1:9/nothing.mp4';

/** The raw response on a socket to the given text. */
async function spoken(daemon: TestDaemon, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(daemon.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write([...lines, ...length, 'Connection: close', '', body].join('\r\n'));
  await once(socket, 'close');
  return text;
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

test('a key in the body of a GET or a DELETE is used', async ({ daemon }) => {
  const id = await daemon.create({ input });
  const body = JSON.stringify({ api_key: daemon.key });
  const host = `Host: ${new URL(daemon.url).host}`;
  assert.is(statusOf(await spoken(daemon, [`GET /api/v2/jobs/${id}.json HTTP/1.1`, host], body)), 200);
  assert.is(statusOf(await spoken(daemon, [`GET /api/v2/jobs/${id}.json HTTP/1.1`, host])), 404);
  assert.is(statusOf(await spoken(daemon, [`DELETE /api/v2/jobs/${id}/cancel HTTP/1.1`, host], body)), 204);
});

test('a form with only the key is accepted, as curl -d sends it', async ({ daemon }) => {
  const id = await daemon.create({ input });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const put = (body: string) =>
    fetch(`${daemon.url}/v2/jobs/${id}/cancel.json`, { method: 'PUT', body, headers });
  assert.is((await put('api_key=wrong')).status, 404);
  assert.is((await put(`key=${daemon.key}`)).status, 404);
  assert.is((await put(`api_key=${daemon.key}`)).status, 204);
});

test('whole numbers may be decimals in XML', async ({ daemon }) => {
  const xml = `<api-request><api_key>${daemon.key}</api_key><input>${input}</input><output><audio-bitrate type="float">64.0</audio-bitrate></output></api-request>`;
  assert.is((await fetch(`${daemon.url}/v2/jobs.xml`, { method: 'POST', body: xml })).status, 201);
});

test('an XML body of a cancel may hold the key', async ({ daemon }) => {
  const id = await daemon.create({ input });
  const response = await fetch(`${daemon.url}/v2/jobs/${id}/cancel.xml`, {
    method: 'PUT',
    body: `<api-request><api_key>${daemon.key}</api_key></api-request>`,
    headers: { 'Content-Type': 'application/xml' },
  });
  assert.is(response.status, 204);
});

for (const type of [
  '',
  'application/x-www-form-urlencoded',
  'text/plain',
  'text/xml',
  'application/octet-stream',
]) {
  for (const [form, body] of [
    ['JSON', JSON.stringify({ input })],
    ['XML', `<?xml version="1.0"?>\n<api-request><input>${input}</input></api-request>`],
  ] as const) {
    test(`a create in ${form} is accepted with the type ${JSON.stringify(type)}`, async ({ daemon }) => {
      const headers = [
        `POST /api/v2/jobs HTTP/1.1`,
        `Host: ${new URL(daemon.url).host}`,
        `Zencoder-Api-Key: ${daemon.key}`,
        ...(type === '' ? [] : [`Content-Type: ${type}`]),
      ];
      assert.is(statusOf(await spoken(daemon, headers, body)), 201);
    });
  }
}

test('a client that waits for 100 Continue gets one', async ({ daemon }) => {
  const body = JSON.stringify({ input, api_key: daemon.key });
  const { host } = new URL(daemon.url);
  const answer = await spoken(
    daemon,
    ['POST /v2/jobs HTTP/1.1', `Host: ${host}`, 'Expect: 100-continue'],
    body,
  );
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created/);
});

test('HTTP/1.0 is answered', async ({ daemon }) => {
  const answer = await spoken(daemon, [`GET /v2/jobs?api_key=${daemon.key} HTTP/1.0`]);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
});

test('the early address accepts a job with the key in its body', async ({ daemon }) => {
  for (const path of ['/jobs', '/api/jobs', '/api/jobs/', '/jobs.json']) {
    const body = JSON.stringify({ input, api_key: daemon.key, output: { label: 'a' } });
    const response = await fetch(`${daemon.url}${path}`, { method: 'POST', body });
    const record = (await response.json()) as CreatedRecord;
    assert.is(response.status, 201);
    assert.is(record.outputs[0]?.label, 'a');
  }
});

const unreadable: readonly (readonly [type: string, body: string, sentence: RegExp])[] = [
  [
    'application/json',
    '{"api_key": "KEY", "input": "http://a/b",}',
    /^The body is not valid JSON: .*property name/,
  ],
  ['application/json', `{"api_key": "KEY", "x": "${'x'.repeat(1024 * 1024)}"}`, /^The body is larger than/],
  [
    'application/x-www-form-urlencoded',
    'api_key=KEY&input=a',
    /application\/x-www-form-urlencoded .* JSON or XML/,
  ],
];

for (const [type, body, sentence] of unreadable) {
  test(`if the body with the key is invalid (${sentence}), the error for the missing key says why`, async ({
    daemon,
  }) => {
    const id = await daemon.create({ input });
    for (const [method, path, status] of [
      ['POST', '/v2/jobs', 401],
      ['PUT', `/v2/jobs/${id}/cancel`, 404],
    ] as const) {
      const response = await fetch(`${daemon.url}${path}`, {
        method,
        body: body.replace('KEY', daemon.key),
        headers: { 'Content-Type': type },
      });
      assert.is(response.status, status);
      const text = await response.text();
      const { errors } = JSON.parse(text) as ErrorsRecord;
      assert.is(errors.length, 2);
      assert.match(errors[1] ?? '', sentence);
      assert.not.match(text, daemon.key);
    }
  });
}

test('a route that the document does not have is 404 with a body', async ({ daemon }) => {
  for (const path of [
    '/api/v2/account',
    '/v2/account/live',
    '/v2/jobs/1/outputs',
    '/v1/jobs',
    '/v3/jobs.json',
  ]) {
    const response = await daemon.request(path, { method: 'GET' });
    assert.is(response.status, 404, path);
    assert.type(((await response.json()) as { errors: readonly string[] }).errors[0], 'string');
  }
});

test.run();
