import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/client.js';
import { isVencError } from '../../src/shared/errors.js';

const film = Buffer.from('the bytes of a film');
const size = film.length;
const state = (received: number, url?: string) => JSON.stringify({ received, size, url });
const done = '{"url": "upload://t/film.mov"}';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answer =
  (status: number, body: string): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);

const cut: Answer = (_, response) => void response.destroy();

interface Seen {
  readonly method: string;
  /** The offset of a part; null for other requests. */
  readonly offset: string | null;
  readonly body: string;
}

/** Uploads a film to a service that gives these answers, one after the other. */
async function upload(
  answers: readonly Answer[],
  { isContinued = true, signal }: { isContinued?: boolean; signal?: AbortSignal } = {},
) {
  const seen: Seen[] = [];
  const rest = [...answers];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { searchParams } = new URL(request.url ?? '', 'http://h');
    assert.is(searchParams.has('upload'), isContinued);
    if (isContinued) assert.match(searchParams.get('upload') ?? '', /^[A-Za-z0-9_-]{32,128}$/);
    seen.push({ method: request.method ?? '', offset: searchParams.get('offset'), body });
    (rest.shift() ?? answer(204, ''))(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}`, apiKey: 'k' });
  const read = async function* (offset: number) {
    yield film.subarray(offset);
  };
  try {
    const url = await client
      .upload({ name: 'film.mov', sizeBytes: size, read, isContinued }, signal)
      .catch((error: unknown) => {
        if (!isVencError(error)) throw error;
        return error;
      });
    const steps = seen.map(
      ({ method, offset, body }) => `${method}${offset === null ? '' : ` ${offset} ${body}`}`,
    );
    return { result: isVencError(url) ? url.errorClass : url, steps };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('an upload continues where the daemon says, with the bytes from there', async () => {
  const { result, steps } = await upload([cut, answer(200, state(4)), answer(201, done)]);
  assert.is(result, 'upload://t/film.mov');
  assert.equal(steps, [`PUT 0 ${film}`, 'GET', `PUT 4 ${film.subarray(4)}`]);
});

test('the URL of a lost answer is asked for', async () => {
  const { result, steps } = await upload([cut, answer(200, state(size, 'upload://t/film.mov'))]);
  assert.is(result, 'upload://t/film.mov');
  assert.equal(steps, [`PUT 0 ${film}`, 'GET']);
});

test('while the daemon stores the file, it is asked again with an empty part', async () => {
  const answers = [answer(200, state(size)), answer(200, state(size)), answer(201, done)];
  const { result, steps } = await upload(answers);
  assert.is(result, 'upload://t/film.mov');
  assert.equal(steps, [`PUT 0 ${film}`, `PUT ${size} `, `PUT ${size} `]);
});

test('at a daemon that does not know the upload it begins again', async () => {
  const { result, steps } = await upload([cut, answer(404, '{"errors": ["none"]}'), answer(201, done)]);
  assert.is(result, 'upload://t/film.mov');
  assert.equal(steps, [`PUT 0 ${film}`, 'GET', `PUT 0 ${film}`]);
});

test('a part at the wrong offset is sent again from the right one', async () => {
  const conflict = answer(409, '{"errors": ["Another request sends this file."]}');
  const { result, steps } = await upload([conflict, answer(200, state(4)), answer(201, done)]);
  assert.is(result, 'upload://t/film.mov');
  assert.equal(steps.slice(1), ['GET', `PUT 4 ${film.subarray(4)}`]);
});

test('a broken connection to a daemon of an earlier version is an error', async () => {
  const { result, steps } = await upload([cut, answer(405, '{"errors": ["no such method"]}')]);
  assert.is(result, 'UnreachableError');
  assert.equal(steps.slice(0, 2), [`PUT 0 ${film}`, 'GET']);
});

test('a rejection is not repeated, and what was received is removed', async () => {
  for (const [status, errorClass] of [
    [422, 'InvalidRequestError'],
    [503, 'UnavailableError'],
  ] as const) {
    const rejection: Answer = (_, response) =>
      void response.writeHead(status, { 'Retry-After': '30' }).end('{"errors": ["no space left"]}');
    const { result, steps } = await upload([rejection]);
    assert.is(result, errorClass);
    assert.equal(steps, [`PUT 0 ${film}`, 'DELETE']);
  }
});

test('an interrupted upload is cancelled', async () => {
  const controller = new AbortController();
  const interrupt: Answer = () => controller.abort(new Error('interrupted'));
  let steps: readonly string[] = [];
  const { signal } = controller;
  const seen: string[] = [];
  const remember: Answer = (request, response) => {
    seen.push(request.method ?? '');
    response.writeHead(204).end();
  };
  try {
    ({ steps } = await upload([interrupt, remember], { signal }));
    assert.unreachable();
  } catch (error) {
    assert.is(error, signal.reason);
  }
  assert.equal([steps, seen], [[], ['DELETE']]);
});

test('another service gets the whole file without parameters, once', async () => {
  const one = await upload([answer(201, done)], { isContinued: false });
  assert.equal(one, { result: 'upload://t/film.mov', steps: [`PUT`] });
  const broken = await upload([cut], { isContinued: false });
  assert.equal(broken, { result: 'UnreachableError', steps: ['PUT'] });
});

test.run();
