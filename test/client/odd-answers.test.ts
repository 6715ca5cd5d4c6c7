import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCaller } from '../../src/client/call.js';
import { isTransientNetworkError } from '../../src/client/network-errors.js';
import type { ServiceResponse } from '../../src/client/read-response.js';
import { isVencError, type VencError } from '../../src/shared/errors.js';
import type { RouteName } from '../../src/shared/routes.js';

/** What a service does with a connection after it received a whole request. */
type ServerBehaviour = (connection: Socket, times: number) => void;

/** Sends a request to a service with such behaviour, and returns the result and the number of requests. */
async function requests(behaviour: ServerBehaviour, name: RouteName = 'jobDetails', isOwnDaemon = false) {
  let times = 0;
  const server: Server = createServer((connection) => {
    connection.on('error', () => {});
    connection.once('data', () => {
      times += 1;
      behaviour(connection, times);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const caller = createCaller({ url: `http://127.0.0.1:${port}/base`, apiKey: 'the-key', isOwnDaemon });
  const options = name === 'createJob' ? { body: {} } : { values: { id: 7 } };
  let answer: ServiceResponse | null = null;
  let error: VencError | null = null;
  try {
    answer = await caller.call(name, options);
  } catch (reason) {
    if (!isVencError(reason)) throw reason;
    error = reason;
  }
  server.close();
  return { answer, error, times };
}

const head = (status: string, ...lines: readonly string[]) =>
  [`HTTP/1.1 ${status}`, 'Connection: close', ...lines, '', ''].join('\r\n');
const answering =
  (bytes: Uint8Array | string, ...lines: readonly string[]): ServerBehaviour =>
  (connection) => {
    connection.write(head('200 OK', ...lines));
    connection.end(bytes);
  };
const good = answering('{"job": {"id": 7}}');
const rejecting =
  (status: string, body = '', ...lines: readonly string[]): ServerBehaviour =>
  (connection) =>
    connection.end(head(status, ...lines) + body);

const breaks: readonly (readonly [string, ServerBehaviour])[] = [
  ['before its answer', (connection) => connection.destroy()],
  ['with a reset', (connection) => connection.resetAndDestroy()],
  ['within the head', (connection) => connection.end('HTTP/1.1 200 OK\r\nContent-')],
  ['after the head', (connection) => connection.end(head('200 OK', 'Content-Length: 10'))],
  ['within the body', (connection) => connection.end(`${head('200 OK', 'Content-Length: 99')}{"job": `)],
  [
    'within a chunk',
    (connection) => connection.end(`${head('200 OK', 'Transfer-Encoding: chunked')}5\r\n{"j`),
  ],
];

for (const [where, behaviour] of breaks) {
  test(`a GET is repeated if the connection breaks ${where}`, async () => {
    const { answer, times } = await requests((connection, count) =>
      count === 1 ? behaviour(connection, count) : good(connection, count),
    );
    assert.equal([answer?.body, times], [{ job: { id: 7 } }, 2]);
  });

  test(`a create is sent once, and its unknown outcome reported, if the connection breaks ${where}`, async () => {
    const { error, times } = await requests(behaviour, 'createJob');
    assert.is(times, 1);
    assert.ok(isVencError(error, 'UnreachableError') && isTransientNetworkError(error));
    assert.match(error.message, 'did not send a complete answer: the connection broke off');
    assert.match(error.hint ?? '', 'may have been created: check with venc list');
  });
}

test('a create that was never sent is reported without an unknown outcome', async () => {
  const caller = createCaller({ url: 'http://127.0.0.1:1', apiKey: 'k', hint: 'start one' });
  const error = await caller.call('createJob', { body: {} }).catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'UnreachableError'));
  assert.equal([error.hint, error.message.includes('could not be reached')], ['start one', true]);
});

test('a create whose TLS handshake failed is reported without an unknown outcome', async () => {
  for (const behaviour of [(one: Socket) => one.destroy(), (one: Socket) => one.end('no TLS here')]) {
    const server = createServer((one) => one.on('error', () => {}).once('data', () => behaviour(one)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const caller = createCaller({ url: `https://127.0.0.1:${port}`, apiKey: 'k' });
    const error = await caller.call('createJob', { body: {} }).catch((reason: unknown) => reason);
    server.close();
    assert.ok(isVencError(error, 'UnreachableError'));
    assert.match(error.message, 'could not be reached');
    assert.not.match(error.hint ?? '', /venc list/);
  }
});

for (const status of ['500 Oops', '502 Bad Gateway', '504 Gateway Timeout', '201 Created']) {
  test(`a create whose answer is an HTML page with ${status} may have made a job`, async () => {
    const { error, times } = await requests(rejecting(status, '<html>'), 'createJob');
    assert.equal([times, error?.hint?.includes('venc list')], [1, true]);
  });
}

test('a cancel whose response was lost may have taken effect', async () => {
  const { error, times } = await requests((connection) => connection.destroy(), 'cancelJob');
  assert.is(times, 1);
  assert.match(error?.hint ?? '', 'check with venc show 7');
});

test('a cancel that is temporarily rejected is repeated, because it had no effect', async () => {
  const { error, times } = await requests(
    (connection, count) =>
      rejecting(count === 1 ? '429 Slow' : '204 Done', '', 'Retry-After: 0')(connection, count),
    'cancelJob',
  );
  assert.equal([error, times], [null, 2]);
});

const text = '{"job": {"id": 7, "label": "für"}}';
const utf16 = (bytes: Buffer, ...mark: readonly number[]) => Buffer.concat([Buffer.from(mark), bytes]);
const bodies: readonly (readonly [string, ServerBehaviour])[] = [
  ['is called HTML', answering(text, 'Content-Type: text/html')],
  ['has a byte order mark', answering(`\ufeff${text}`)],
  ['is UTF-16', answering(utf16(Buffer.from(text, 'utf16le'), 0xff, 0xfe))],
  ['is UTF-16 the other way round', answering(utf16(Buffer.from(text, 'utf16le').swap16(), 0xfe, 0xff))],
  ['is UTF-16 without a mark', answering(Buffer.from(text, 'utf16le'))],
  [
    'is Latin-1',
    answering(Buffer.from(text, 'latin1'), 'Content-Type: application/json; charset=iso-8859-1'),
  ],
  ['is Latin-1 without saying so', answering(Buffer.from(text, 'latin1'))],
  ['is UTF-8 and called Latin-1', answering(text, 'Content-Type: application/json; charset=iso-8859-1')],
  ['has an unknown charset', answering(Buffer.from(text, 'latin1'), 'Content-Type: a/b; charset=x-odd')],
  ['is packed by gzip', answering(gzipSync(text), 'Content-Encoding: gzip')],
  ['is packed by deflate', answering(deflateSync(text), 'Content-Encoding: deflate')],
  ['is packed by brotli', answering(brotliCompressSync(text), 'Content-Encoding: br')],
];

for (const [what, behaviour] of bodies) {
  test(`an answer that ${what} is read`, async () => {
    assert.equal((await requests(behaviour)).answer?.body, JSON.parse(text));
  });
}

const nonsense: readonly (readonly [string, ServerBehaviour, RegExp])[] = [
  ['no HTTP', (connection) => connection.end('SSH-2.0-OpenSSH_9\r\n\r\n'), /not HTTP/],
  ['a page', answering('<html><p>Hello</p>'), /does not answer with JSON/],
  ['half a document', answering('{"job": {"id"'), /invalid JSON/],
  ['a document of something else', answering('{"hello": "world"}'), /without the expected fields/],
  ['an empty list', answering('[]'), /without the expected fields/],
  [
    'what is called gzip and is none',
    answering('{}', 'Content-Encoding: gzip'),
    /did not send a complete answer/,
  ],
  ['an odd packing', answering('{}', 'Content-Encoding: zip'), /unknown Content-Encoding \(zip\)/],
];

for (const [what, behaviour, expectedText] of nonsense) {
  test(`${what} for a job is reported as such, once`, async () => {
    const { error, times } = await requests(behaviour);
    assert.is(times, 1);
    assert.ok(isVencError(error, 'UnreachableError'));
    assert.match(error.message, expectedText);
  });
}

test('a job in an array of one, and one without any keys, are valid answers', async () => {
  for (const body of ['[{"job": {"id": 7}}]', '{"job": {}}', '[{"id": 7}]'])
    assert.is((await requests(answering(body))).error, null, body);
});

test('integers beyond the safe range stay exact', async () => {
  const body =
    '{"id": 9007199254740993, "outputs": [{"id": 12, "size": 0.12345678901234567890, "s": "1\\"23456789012345678"}]}';
  const { answer } = await requests(answering(body));
  const outputs = [{ id: 12, size: 0.12345678901234568, s: '1"23456789012345678' }];
  assert.equal(answer?.body, { id: '9007199254740993', outputs });
});

const errorBodies: readonly (readonly [string, string, string])[] = [
  [
    '{"errors": {"width": ["is too large", "is odd"], "url": "is missing"}}',
    'width: is too large; width: is odd; url: is missing',
    'by field',
  ],
  ['{"errors": [{"title": "Bad", "detail": "No such codec"}]}', 'No such codec', 'as records'],
  ['{"error": "Bad Request", "message": "No such codec"}', 'No such codec', 'as a message'],
  ['{"error": {"message": "No such codec"}}', 'No such codec', 'as an error'],
  ['No such codec\n', 'No such codec', 'in a plain line'],
  ['"No such codec"', 'No such codec', 'as a JSON string'],
  ['{"errors": []}', 'The service answered 422 (Unprocessable Entity) for the job 7.', 'as an empty list'],
  ['<html>422</html>', 'The service answered 422 (Unprocessable Entity) for the job 7.', 'as an HTML page'],
];

for (const [body, message, how] of errorBodies) {
  test(`a rejection that gives its reason ${how} is reported`, async () => {
    assert.is((await requests(rejecting('422 Odd', body))).error?.message, message);
  });
}

test('a redirect is not followed, and the error names the address to use', async () => {
  const location = 'Location: https://elsewhere.example/api/v2/jobs/7.json?api_key=the-key';
  const { error, times } = await requests(rejecting('301 Moved', '', location));
  assert.is(times, 1);
  assert.match(
    error?.message ?? '',
    'a redirect (301) to https://elsewhere.example/api/v2/jobs/7.json?api_key=***',
  );
  assert.match(error?.hint ?? '', /use https:\/\/elsewhere\.example\/api$/);
});

test('an address without a list is not an encoding service', async () => {
  const { error } = await requests(rejecting('404 Not Found', '<html>'), 'listJobs');
  assert.ok(isVencError(error, 'UnreachableError'));
  assert.match(
    error.message,
    /^There is no encoding service at http:\/\/127\.0\.0\.1:\d+\/base: it answered 404\.$/,
  );
});

for (const [header, seconds] of [
  ['99999999999999999999', null],
  ['Fri, 31 Dec 9999 23:59:59 GMT', null],
  ['1e99', null],
  ['soon', null],
  ['7200', 7200],
] as const) {
  test(`Retry-After: ${header} is ${seconds === null ? 'no advice' : 'advice'}`, async () => {
    const { error } = await requests(rejecting('429 Slow', '', `Retry-After: ${header}`), 'createJob');
    assert.is(error?.retryAfterSeconds, seconds);
    assert.is(
      error?.hint,
      seconds === null ? 'try again in a while' : `Try again after ${seconds} s, as the service asks.`,
    );
  });
}

test('a rejected key is reported with the place where keys are kept', async () => {
  const { error } = await requests(rejecting('401 No', '<html>'), 'listJobs');
  assert.equal(
    [error?.errorClass, error?.message],
    ['UnauthorizedError', 'The service rejects the key (401).'],
  );
  assert.match(error?.hint ?? '', /VENC_API_KEY.*venc target add/);
});

test('only errors of our own daemon refer to its log', async () => {
  const rejects = rejecting('500 Oops', '', 'Retry-After: 0');
  assert.match((await requests(rejects)).error?.hint ?? '', 'contact the operator');
  assert.is((await requests(rejects, 'jobDetails', true)).error?.hint, null);
});

test('an answer that nests too deep is invalid', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const { error } = await requests(answering(`{"job":{"id":7,"pass_through":${deep}}}`));
  assert.match(String(error), /sent invalid JSON/);
});

test.run();
