import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
}

const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
const newToken = () => randomBytes(24).toString('base64url');

const test = daemonSuite<Context>('uploads in parts', { jobs: 0, stallTimeoutSeconds: 2 });
test.after(killDaemons);

type Sender = Pick<TestDaemon, 'url'>;

/** Sends a request about an upload. */
async function send(
  daemon: Sender,
  method: string,
  query: Readonly<Record<string, string | number>>,
  { body, key = processKey, name = 'film.mp4' }: { body?: Buffer; key?: string; name?: string } = {},
) {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]),
  );
  const path = `/v2/uploads/${name}?${parameters}`;
  const init = { method, headers: { 'Service-Api-Key': key }, ...(body === undefined ? {} : { body }) };
  const response = await fetch(`${daemon.url}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    record: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

const put = (daemon: Sender, upload: string, offset: number, body: Buffer, size = content.length) =>
  send(daemon, 'PUT', { upload, offset, size }, { body });

const stateOf = async (daemon: Sender, upload: string) => (await send(daemon, 'GET', { upload })).record;

/** Begins to send a part, and writes the beginning of its body. */
function startPart(daemon: Sender, upload: string, offset: number, beginning: Buffer): ClientRequest {
  const started = request(
    `${daemon.url}/v2/uploads/film.mp4?upload=${upload}&offset=${offset}&size=${content.length}`,
    {
      method: 'PUT',
      agent: false,
      headers: { 'Service-Api-Key': processKey, 'Content-Length': content.length - offset },
    },
  );
  started.on('error', () => {});
  started.write(beginning);
  return started;
}

/** The bytes of an upload in the data folder. */
function storedBytes(dataFolder: string, url: unknown): Buffer {
  return readFileSync(join(dataFolder, 'uploads', String(url).slice('upload://'.length)));
}

const partsIn = (dataFolder: string) => readdirSync(join(dataFolder, 'uploads', '.parts'));

test('the last part answers with the URL of the whole file, and so does every later question', async ({
  daemon,
}) => {
  const upload = newToken();
  assert.equal(await put(daemon, upload, 0, content.subarray(0, 60_000)), {
    status: 200,
    record: { received: 60_000, size: 100_000 },
  });
  assert.equal(await stateOf(daemon, upload), { received: 60_000, size: 100_000 });
  const last = await put(daemon, upload, 60_000, content.subarray(60_000));
  assert.is(last.status, 201);
  assert.equal(Object.keys(last.record), ['url']);
  assert.equal(storedBytes(daemon.dataFolder, last.record.url), content);
  // The answer may have been lost.
  assert.equal(await put(daemon, upload, 100_000, Buffer.alloc(0)), last);
  assert.equal(await stateOf(daemon, upload), { received: 100_000, size: 100_000, ...last.record });
  const record = JSON.parse(
    readFileSync(
      join(daemon.dataFolder, 'uploads/.records', `${String(last.record.url).split('/')[2]}.json`),
      'utf8',
    ),
  ) as object;
  const md5 = createHash('md5').update(content).digest('hex');
  assert.equal(record, { ownerId: 'default', sizeBytes: 100_000, md5 });
});

test('a part that does not begin where the file ends is answered with 409 and the number', async ({
  daemon,
}) => {
  const upload = newToken();
  const beyond = await put(daemon, upload, 10, content.subarray(10));
  assert.is(beyond.status, 409);
  assert.match(String(beyond.record.errors), /offset must be 0, the number of bytes received so far/);
  assert.is((await send(daemon, 'GET', { upload })).status, 404);
  await put(daemon, upload, 0, content.subarray(0, 1000));
  for (const offset of [0, 999, 1001]) {
    const wrong = await put(daemon, upload, offset, content.subarray(offset));
    assert.is(wrong.status, 409);
    assert.match(String(wrong.record.errors), /offset must be 1000/);
  }
  const other = await put(daemon, upload, 1000, content.subarray(1000, 2000), 99_999);
  assert.is(other.status, 422);
  assert.match(String(other.record.errors), /size must be 100000, as before/);
  assert.equal(await stateOf(daemon, upload), { received: 1000, size: 100_000 });
});

test('a part that breaks off or stalls keeps its bytes', async ({ daemon }) => {
  const upload = newToken();
  const first = startPart(daemon, upload, 0, content.subarray(0, 30_000));
  await pollUntil(
    () => stateOf(daemon, upload),
    ({ received }) => received === 30_000,
  );
  first.destroy();
  const stalled = startPart(daemon, upload, 30_000, content.subarray(30_000, 50_000));
  await new Promise((resolve) => stalled.once('close', resolve));
  assert.equal(await stateOf(daemon, upload), { received: 50_000, size: 100_000 });
  const last = await put(daemon, upload, 50_000, content.subarray(50_000));
  assert.equal(storedBytes(daemon.dataFolder, last.record.url), content);
});

test('a second request for the same upload ends the first', async ({ daemon }) => {
  const upload = newToken();
  const first = startPart(daemon, upload, 0, content.subarray(0, 30_000));
  await pollUntil(
    () => stateOf(daemon, upload),
    ({ received }) => received === 30_000,
  );
  const ended = new Promise<number | undefined>((resolve) => {
    first.on('response', (response) => resolve(response.statusCode));
    first.on('close', () => resolve(undefined));
  });
  assert.is((await put(daemon, upload, 30_000, content.subarray(30_000))).status, 201);
  assert.ok([409, undefined].includes(await ended));
  first.destroy();
});

test('of many requests for one upload at once, the file is stored once and whole', async ({ daemon }) => {
  const upload = newToken();
  await put(daemon, upload, 0, content.subarray(0, 1000));
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      put(daemon, upload, 1000, content.subarray(1000)).catch(() => ({ status: 0, record: {} })),
    ),
  );
  assert.ok(
    answers.every(({ status }) => [0, 201, 409].includes(status)),
    JSON.stringify(answers),
  );
  const { received } = await stateOf(daemon, upload);
  const last = await put(daemon, upload, Number(received), content.subarray(Number(received)));
  assert.is(last.status, 201);
  assert.equal(storedBytes(daemon.dataFolder, last.record.url), content);
});

test('an empty file is accepted, as with a whole upload', async ({ daemon }) => {
  const whole = await daemon.request('/v2/uploads/film.mp4', { method: 'PUT' });
  assert.is(whole.status, 201);
  const upload = newToken();
  const empty = await put(daemon, upload, 0, Buffer.alloc(0), 0);
  assert.is(empty.status, 201);
  assert.is(storedBytes(daemon.dataFolder, empty.record.url).length, 0);
  assert.equal(await put(daemon, upload, 0, Buffer.alloc(0), 0), empty);
});

test('the answers are the same in XML', async ({ daemon }) => {
  const upload = newToken();
  const ask = async (method: string, query: object, body?: Buffer) => {
    const parameters = new URLSearchParams({ upload, format: 'xml', ...query });
    const init = { method, ...(body === undefined ? {} : { body }) };
    const response = await daemon.request(`/v2/uploads/film.mp4?${parameters}`, init);
    return readXmlAnswer(await response.text());
  };
  const size = `${content.length}`;
  const first = { received: 9, size: content.length };
  assert.equal(await ask('PUT', { offset: '0', size }, content.subarray(0, 9)), first);
  assert.equal(await ask('GET', {}), first);
  const last = (await ask('PUT', { offset: '9', size }, content.subarray(9))) as object;
  assert.equal(Object.keys(last), ['url']);
  assert.equal(await ask('GET', {}), { received: content.length, size: content.length, ...last });
});

test('an upload is announced without bytes', async ({ daemon }) => {
  const upload = newToken();
  const announced = await put(daemon, upload, 0, Buffer.alloc(0));
  assert.equal(announced, { status: 200, record: { received: 0, size: 100_000 } });
  // Nothing has been received, so the size may change.
  assert.is((await put(daemon, upload, 0, content.subarray(0, 10), 10)).status, 201);
});

test('a cancelled upload is gone', async ({ daemon }) => {
  const upload = newToken();
  const before = partsIn(daemon.dataFolder).length;
  await put(daemon, upload, 0, content.subarray(0, 1000));
  const open = startPart(daemon, upload, 1000, content.subarray(1000, 2000));
  assert.is(partsIn(daemon.dataFolder).length, before + 1);
  assert.is((await send(daemon, 'DELETE', { upload })).status, 204);
  assert.is(partsIn(daemon.dataFolder).length, before);
  assert.is((await send(daemon, 'DELETE', { upload })).status, 404);
  assert.is((await send(daemon, 'GET', { upload })).status, 404);
  open.destroy();
  assert.is((await put(daemon, upload, 0, content)).status, 201);
  // A complete one is no longer there to be cancelled.
  assert.is((await send(daemon, 'DELETE', { upload })).status, 404);
});

const token = newToken();
const wrong: readonly (readonly [string, Record<string, string | number>, number, RegExp])[] = [
  ['a short token', { upload: 'short', offset: 0, size: 3 }, 422, /upload must have 32 to 128 characters/],
  ['a token with a slash', { upload: 'a/'.repeat(16), offset: 0, size: 3 }, 422, /upload must have/],
  ['no token', { offset: 0, size: 3 }, 422, /upload is missing/],
  ['no offset', { upload: token, size: 3 }, 422, /offset must be a number of bytes/],
  ['no size', { upload: token, offset: 0 }, 422, /size must be a number of bytes/],
  ['a negative size', { upload: token, offset: 0, size: -3 }, 422, /size must be a number/],
  [
    'an offset beyond the size',
    { upload: token, offset: 4, size: 3 },
    422,
    /offset must not be greater than/,
  ],
  ['a body beyond the size', { upload: token, offset: 0, size: 2 }, 422, /size is 2, and offset plus the/],
  ['a size above the free space', { upload: token, offset: 0, size: 10 ** 15 }, 503, /no space left/],
];
for (const [what, query, status, message] of wrong)
  test(`${what} is rejected, and nothing is kept`, async ({ daemon }) => {
    const before = partsIn(daemon.dataFolder);
    const answer = await send(daemon, 'PUT', query, { body: Buffer.from('abc') });
    assert.is(answer.status, status);
    assert.match(String(answer.record.errors), message);
    assert.equal(partsIn(daemon.dataFolder), before);
  });

test('a body without a length that is longer than size is rejected', async ({ daemon }) => {
  const upload = newToken();
  const answer = await new Promise<string>((resolve, reject) => {
    const started = request(`${daemon.url}/v2/uploads/film.mp4?upload=${upload}&offset=0&size=10`, {
      method: 'PUT',
      headers: { 'Service-Api-Key': processKey },
    });
    started.on('error', reject);
    started.on('response', (response) => {
      response.setEncoding('utf8').on('data', (text) => resolve(`${response.statusCode} ${text}`));
    });
    // Without a length, because the body is not given at once.
    started.write(content);
    started.end(content);
  });
  assert.match(answer, /^422 .*more than the 10 bytes that size says/);
});

test('two uploads that do not fit together are not both accepted', async ({ daemon }) => {
  const { bavail, bsize } = (await import('node:fs')).statfsSync(daemon.dataFolder);
  const size = Math.floor(bavail * bsize * 0.6);
  const [first, second] = [newToken(), newToken()];
  assert.is((await put(daemon, first, 0, content, size)).status, 200);
  const answer = await put(daemon, second, 0, content, size);
  assert.is(answer.status, 503);
  assert.match(String(answer.record.errors), /no space left/);
  // The whole upload neither.
  const whole = request(`${daemon.url}/v2/uploads/film.mp4`, {
    method: 'PUT',
    headers: { 'Service-Api-Key': processKey, 'Content-Length': size },
  });
  whole.on('error', () => {});
  whole.write('a');
  const status = await new Promise((resolve) =>
    whole.on('response', (response) => resolve(response.statusCode)),
  );
  whole.destroy();
  assert.is(status, 503);
  await send(daemon, 'DELETE', { upload: first });
  assert.is((await put(daemon, second, 0, content, size)).status, 200);
  await send(daemon, 'DELETE', { upload: second });
});

test('an account neither sees nor continues the upload of another', async ({ daemon }) => {
  const venc = async (...words: string[]) =>
    (await runInProcess([...words, '--data', daemon.dataFolder], {})).stdout.trim();
  const key = await venc('accounts', 'create', 'studio');
  const upload = newToken();
  await put(daemon, upload, 0, content.subarray(0, 1000));
  assert.is((await send(daemon, 'GET', { upload }, { key })).status, 404);
  assert.is((await send(daemon, 'DELETE', { upload }, { key })).status, 404);
  const query = { upload, offset: 1000, size: content.length };
  assert.is((await send(daemon, 'PUT', query, { key, body: content.subarray(1000) })).status, 409);
  const own = await send(daemon, 'PUT', { ...query, offset: 0 }, { key, body: content.subarray(0, 10) });
  assert.equal(own.record, { received: 10, size: 100_000 });
  assert.equal(await stateOf(daemon, upload), { received: 1000, size: 100_000 });
  const renamed = await send(daemon, 'GET', { upload }, { name: 'other.mp4' });
  assert.is(renamed.status, 404);
});

test('an upload survives a restart and a kill -9, with all that was acknowledged', async () => {
  const dataFolder = join(tempFolder(), 'data');
  const [upload, complete, open] = [newToken(), newToken(), newToken()];
  const start = () => startDaemonProcess(dataFolder, ['--jobs', '0', '--min-free', '0']);
  let daemon = await start();
  await put(daemon, upload, 0, content.subarray(0, 40_000));
  const { record } = await put(daemon, complete, 0, content);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { received = 0 } = await stateOf(daemon, open);
    const part = startPart(daemon, open, Number(received), content.subarray(0, 10_000));
    await pollUntil(
      () => stateOf(daemon, open),
      (state) => Number(state.received) === Number(received) + 10_000,
    );
    await daemon.end(signal);
    part.destroy();
    daemon = await start();
    assert.equal(await stateOf(daemon, upload), { received: 40_000, size: 100_000 });
    assert.equal(await stateOf(daemon, open), { received: Number(received) + 10_000, size: 100_000 });
    assert.equal(await stateOf(daemon, complete), { received: 100_000, size: 100_000, ...record });
  }
  const last = await put(daemon, upload, 40_000, content.subarray(40_000));
  assert.is(last.status, 201);
  assert.equal(storedBytes(dataFolder, last.record.url), content);
  await daemon.end('SIGTERM');
});

test('a client that disconnects while parts arrive is not an error of the daemon', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const upload = newToken();
  const part = startPart(daemon, upload, 0, content.subarray(0, 10));
  await pollUntil(
    () => stateOf(daemon, upload),
    ({ received }) => received === 10,
  );
  part.destroy();
  const lines = () => daemon.logLines.filter((line) => line.includes('/v2/uploads/'));
  await waitUntil('the log reports it', () => lines().length > 0);
  assert.equal(lines(), ['info PUT /v2/uploads/film.mp4: the client disconnected before the answer.']);
  await daemon.stop();
});

test.run();
