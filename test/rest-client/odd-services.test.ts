import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, client, fakeService, rejection, sendJson } from '../helpers/rest-client.js';

const job = { job: { id: 7, state: 'finished' } };
const created = { id: '7', outputs: [{ id: 9, label: null, url: null }] };
const request = { input: 'https://example.com/film.mov' };
const breakOff = (response: ServerResponse) => response.destroy();

test('the key is in the headers of both dialects, and never in an address', async () => {
  const service = await fakeService((_, response) => sendJson(response, job));
  await service.venc.jobs.get(7);
  const [seen] = service.seen;
  assert.is(seen?.url, '/v2/jobs/7.json');
  assert.is(seen?.headers['service-api-key'], 'the-secret-key');
  assert.is(seen?.headers['zencoder-api-key'], 'the-secret-key');
  service.close();
});

test('numbers as text become numbers, missing fields null or empty, and unknown ones stay', async () => {
  const file = { id: '8', state: 'Finished', width: '640', duration_in_ms: '1000' };
  const sent = { job: { id: '7', state: 'canceled', added: { later: 1 }, input_media_file: file } };
  const service = await fakeService((_, response) => sendJson(response, sent));
  const read = await service.venc.jobs.get('7');
  assert.is(read.id, 7);
  assert.is(read.state, 'cancelled');
  assert.equal([read.input_media_file.width, read.input_media_file.state], [640, 'finished']);
  assert.is(read.input_media_file.video_codec, null);
  assert.equal(read.thumbnails, []);
  assert.equal((read as unknown as { added: unknown }).added, { later: 1 });
  service.close();
});

test('a read is repeated after 429, 503, 500 and a broken connection', async () => {
  const failures: readonly ((response: ServerResponse) => void)[] = [
    (response) => sendJson(response, { errors: ['Slow down.'] }, 429, { 'Retry-After': '0' }),
    (response) => sendJson(response, {}, 503),
    (response) => sendJson(response, {}, 500),
    breakOff,
  ];
  for (const fail of failures) {
    const service = await fakeService((_, response, count) =>
      count === 1 ? fail(response) : sendJson(response, job),
    );
    assert.is((await service.venc.jobs.get(7)).id, 7);
    assert.is(service.seen.length, 2);
    service.close();
  }
});

test('Retry-After is waited for, and a longer one is an error at once', async () => {
  const service = await fakeService((_, response, count) =>
    count === 1 ? sendJson(response, {}, 429, { 'Retry-After': '1' }) : sendJson(response, job),
  );
  const startedAt = performance.now();
  await service.venc.jobs.get(7);
  assert.ok(performance.now() - startedAt > 950);
  service.close();
  const busy = await fakeService((_, response) => sendJson(response, {}, 429, { 'Retry-After': '3600' }));
  const error = await rejection(busy.venc.jobs.get(7));
  assert.ok(error instanceof client.TooManyRequestsError);
  assert.equal([error.code, error.status, busy.seen.length], ['too_many_requests', 429, 1]);
  assert.match(error.hint ?? '', '3600 s');
  busy.close();
});

/** A service that loses its first answer to a create. */
const losingAnswer =
  (version: unknown): Answer =>
  ({ url, method }, response) => {
    if (url === '/version')
      return version === null ? sendJson(response, {}, 404) : sendJson(response, version);
    if (method === 'POST' && !seenCreate) {
      seenCreate = true;
      return breakOff(response);
    }
    return sendJson(response, created, 201);
  };
let seenCreate = false;

test('a create whose answer was lost is repeated at a venc daemon, with the same idempotency key', async () => {
  seenCreate = false;
  const service = await fakeService(losingAnswer({ name: 'venc', version: '0.1.0' }));
  assert.is((await service.venc.jobs.create(request)).id, '7');
  const keys = service.seen
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  assert.is(keys.length, 2);
  assert.ok(keys[0] === keys[1] && (keys[0]?.length ?? 0) > 20, String(keys));
  service.close();
});

test('at another service it is sent once, and the error says that the job may exist', async () => {
  for (const version of [null, { name: 'other' }]) {
    seenCreate = false;
    const service = await fakeService(losingAnswer(version));
    const error = await rejection(service.venc.jobs.create(request));
    assert.ok(error instanceof client.ConnectionError);
    assert.match(error.hint ?? '', 'may have been created');
    assert.is(service.seen.filter(({ method }) => method === 'POST').length, 1);
    service.close();
  }
});

test('at any service a create is repeated after 429 and 503', async () => {
  for (const status of [429, 503]) {
    const service = await fakeService((_, response, count) =>
      count === 1 ? sendJson(response, {}, status) : sendJson(response, created, 201),
    );
    assert.is((await service.venc.jobs.create(request)).id, '7');
    assert.equal(
      service.seen.map(({ url }) => url),
      ['/v2/jobs', '/v2/jobs'],
    );
    service.close();
  }
});

test('a connection that is not accepted is repeated for creates as well', async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const venc = new client.Venc({ url: `http://127.0.0.1:${port}`, key: 'k', retries: 1 });
  const error = await rejection(venc.jobs.create(request));
  assert.equal([error.name, error.code], ['ConnectionError', 'refused']);
});

test('a cancel is not repeated after a lost answer', async () => {
  const service = await fakeService((_, response) => breakOff(response));
  assert.is((await rejection(service.venc.jobs.cancel(7))).code, 'unreachable');
  assert.is(service.seen.length, 1);
  service.close();
});

test('bad JSON, a page of a proxy and a redirect are errors that name no secret', async () => {
  const answers: readonly (readonly [Answer, string, RegExp])[] = [
    [(_, response) => response.end('{"job": {'), 'invalid_answer', /not one of an encoding service/],
    [(_, response) => response.end('<html>Hello</html>'), 'invalid_answer', /not one of an encoding service/],
    [(_, response) => sendJson(response, [1, 2]), 'invalid_answer', /not one of an encoding service/],
    [
      (_, response) =>
        response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Bad gateway</html>'),
      'internal',
      /answered 502 for GET \/v2\/jobs\/7\.json/,
    ],
    [
      (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
      'invalid_answer',
      /redirect/,
    ],
    [
      ({ headers }, response) =>
        sendJson(response, { errors: [`no key ${headers['service-api-key']}`] }, 401),
      'unauthorized',
      /no key \*\*\*/,
    ],
  ];
  for (const [answer, code, message] of answers) {
    const service = await fakeService(answer, { retries: 0 });
    const error = await rejection(service.venc.jobs.get(7));
    assert.is(error.code, code);
    assert.match(error.message, message);
    assert.not.match(`${error.stack} ${JSON.stringify(error)} ${error.cause}`, 'the-secret-key');
    service.close();
  }
});

test('an error names the field of its first message, and has all messages', async () => {
  const errors = ['outputs[1].speed must be a whole number from 1 to 5', 'input must be a URL'];
  const service = await fakeService((_, response) => sendJson(response, { errors }, 422));
  const error = await rejection(service.venc.jobs.create(request));
  assert.ok(error instanceof client.InvalidRequestError);
  assert.equal([error.field, error.messages, error.status], ['outputs[1].speed', errors, 422]);
  service.close();
});

test('a slow service is a timeout, and a slow body as well', async () => {
  for (const answer of [
    () => {},
    (_: unknown, response: ServerResponse) => void response.writeHead(200).write('{'),
  ] as readonly Answer[]) {
    const service = await fakeService(answer, { timeout_ms: 200, retries: 0 });
    const error = await rejection(service.venc.jobs.get(7));
    assert.equal([error.name, error.code], ['TimeoutError', 'timeout']);
    service.close();
  }
});

test('an abort rejects each call with the reason of the signal, and ends its connection', async () => {
  const service = await fakeService(() => {});
  const { jobs, inputs, outputs, reports, presets, uploads } = service.venc;
  const calls: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => jobs.create(request, { signal }),
    (signal) => jobs.get(7, { signal }),
    (signal) => jobs.list({ signal }),
    (signal) => jobs.cancel(7, { signal }),
    (signal) => jobs.resubmit(7, { signal }),
    (signal) => jobs.remove(7, { signal }),
    (signal) => jobs.wait(7, { signal }),
    (signal) => jobs.events({ signal }).next(),
    (signal) => jobs.events([7], { signal }).next(),
    (signal) => inputs.get(8, { signal }),
    (signal) => outputs.progress(9, { signal }),
    (signal) => reports.all({ signal }),
    (signal) => presets.save('web', {}, { signal }),
    (signal) => uploads.put('film.mov', new Blob(['film']), { signal }),
    (signal) => service.venc.version({ signal }),
  ];
  for (const call of calls) {
    const controller = new AbortController();
    const reason = new Error('stopped');
    setTimeout(() => controller.abort(reason), 30);
    const result = await call(controller.signal).catch((error: unknown) => error);
    assert.is(result, reason, String(call));
    assert.is(await call(AbortSignal.abort(reason)).catch((error: unknown) => error), reason);
  }
  service.close();
});

test('a service without streams and progress of jobs is polled, and a failed job is returned', async () => {
  let reads = 0;
  const service = await fakeService(({ url }, response) => {
    const isDone = reads > 2;
    const outputs = [{ id: 9, state: isDone ? 'failed' : 'processing' }];
    if (url === '/v2/outputs/9/progress.json')
      return sendJson(response, { state: 'processing', progress: '40' });
    if (url !== '/v2/jobs/7.json') return sendJson(response, { errors: ['Not found'] }, 404);
    reads += 1;
    return sendJson(response, {
      job: {
        id: 7,
        state: isDone ? 'failed' : 'processing',
        input_media_file: { id: 8, state: 'finished' },
        output_media_files: outputs,
      },
    });
  });
  const seen: number[] = [];
  const done = await service.venc.jobs.wait(
    { id: '7' },
    { on_progress: ({ progress }) => seen.push(progress) },
  );
  assert.is(done.state, 'failed');
  assert.ok(seen.includes(40), String(seen));
  service.close();
});

test('a wait ends with TimeoutError after its time', async () => {
  const service = await fakeService(({ url }, response) =>
    url.startsWith('/v2/events')
      ? sendJson(response, {}, 404)
      : sendJson(response, { id: 7, state: 'waiting', progress: 0 }),
  );
  const error = await rejection(service.venc.jobs.wait(7, { timeout_ms: 300 }));
  assert.equal([error.name, error.code], ['TimeoutError', 'timeout']);
  service.close();
});

test('a file is one request at a service that is not venc', async () => {
  const service = await fakeService(({ method }, response) =>
    method === 'PUT' ? sendJson(response, { url: 'upload://abc' }, 201) : sendJson(response, {}, 404),
  );
  const uploaded = await service.venc.uploads.put('über film.mov', new TextEncoder().encode('film'));
  assert.equal(uploaded, { url: 'upload://abc' });
  const put = service.seen.find(({ method }) => method === 'PUT');
  assert.equal([put?.url, put?.body], ['/v2/uploads/%C3%BCber%20film.mov', 'film']);
  service.close();
});

test('options and ids that are not valid are errors before a request', async () => {
  for (const options of [
    { key: 'k' },
    { url: 'ftp://x', key: 'k' },
    { url: 'http://u:secret@h', key: 'k' },
  ] as const) {
    try {
      new client.Venc(options);
      assert.unreachable();
    } catch (error) {
      assert.ok(error instanceof client.InvalidRequestError);
      assert.is(error.field, 'url');
      assert.not.match(`${error.message} ${error.hint}`, 'secret');
    }
  }
  for (const key of [undefined, 'a b']) assert.throws(() => new client.Venc({ url: 'http://h', key }), /key/);
  const service = await fakeService((_, response) => sendJson(response, job));
  for (const id of ['', 'x/../9', { id: null }, '0'])
    assert.is((await rejection(service.venc.jobs.get(id))).field, 'job');
  const source = 'film.mov' as never;
  assert.is((await rejection(service.venc.uploads.put('film.mov', source))).field, 'source');
  assert.is(service.seen.length, 0);
  service.close();
});

test.run();
