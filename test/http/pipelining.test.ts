import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { connectTo, pipelined } from '../helpers/raw-http.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite<{ folder: string; daemon: DaemonProcess }>('pipelined requests');

test.before(async (context) => {
  context.folder = tempFolder();
  context.daemon = await startDaemonProcess(context.folder, ['--jobs', '0']);
});
test.after(killDaemons);

const key = `Service-Api-Key: ${processKey}\r\n`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${key}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const unread: readonly (readonly [string, string])[] = [
  ['the OpenAPI document', 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['its head', 'HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['the home page', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['the list of jobs', get('/v2/jobs')],
  ['creates', post('/v2/jobs', '{}')],
];

for (const [what, request] of unread) {
  test(`1,600 unread requests on each of 20 connections for ${what} cost little memory and no time`, async ({
    daemon,
  }) => {
    const before = await maxMemory(daemon.pid);
    const sockets = Array.from({ length: 20 }, () => connectTo(daemon.url).pause());
    for (const socket of sockets) socket.on('error', () => {}).write(request.repeat(1600));
    await waitUntil('the daemon reads them', () => sockets.some(({ bytesWritten }) => bytesWritten > 0));
    for (let count = 0; count < 10; count += 1) {
      const health = await fetch(`${daemon.url}/health`, { signal: AbortSignal.timeout(10_000) });
      assert.is(health.status, 200);
    }
    const grownBy = (await maxMemory(daemon.pid)) - before;
    for (const socket of sockets) socket.destroy();
    assert.ok(grownBy < 100e6, `it has grown by ${Math.round(grownBy / 1e6)} MB`);
  });
}

test('a thousand pipelined requests of all kinds are answered in order', async ({ daemon }) => {
  const kinds: readonly (readonly [string, number])[] = [
    [get('/v2/jobs/999'), 404],
    ['GET /version HTTP/1.1\r\nHost: a\r\n\r\n', 200],
    [post('/v2/jobs', '{}'), 422],
    ['HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n', 200],
    [post('/v2/jobs', `{"input": "${'x'.repeat(5000)}"`), 400],
    ['DELETE /health HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['GET /v2/jobs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n', 401],
    ['GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n', 200],
  ];
  const requests = Array.from(
    { length: 1000 },
    (_, index) => kinds[index % kinds.length] ?? (['', 0] as const),
  );
  const answers = await pipelined(
    daemon.url,
    requests.map(([text]) => text),
    (index) => index % kinds.length === 3,
  );
  assert.equal(
    answers.map(({ status }) => status),
    requests.map(([, status]) => status),
  );
  const document = answers[7]?.body ?? '';
  assert.ok(document.length > 100_000);
  assert.ok(answers.every(({ body }, index) => index % kinds.length !== 7 || body === document));
});

test('bodies between pipelined requests arrive whole', async ({ daemon, folder }) => {
  const file = randomBytes(3_000_000);
  const head = `PUT /v2/uploads/film.mov HTTP/1.1\r\nHost: a\r\n${key}`;
  const chunks = Array.from({ length: 30 }, (_, index) =>
    file.subarray(index * 100_000, (index + 1) * 100_000),
  );
  const text = [
    get('/v2/jobs/999'),
    `${head}Content-Length: ${file.length}\r\n\r\n${file.toString('latin1')}`,
    get('/v2/jobs/998'),
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`).join(''),
    '0\r\n\r\n',
    get('/v2/jobs/997'),
  ].join('');
  const socket = connectTo(daemon.url);
  socket.write(text, 'latin1');
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
    answer += chunk;
    if (answer.split('HTTP/1.1 ').length === 6 && answer.endsWith('}')) break;
  }
  assert.equal(
    answer.split('HTTP/1.1 ').map((each) => each.slice(0, 3)),
    ['', '404', '201', '404', '201', '404'],
  );
  const uploads = join(folder, 'uploads');
  const tokens = (await readdir(uploads)).filter((name) => !name.startsWith('.'));
  assert.is(tokens.length, 2);
  for (const token of tokens) {
    assert.is(sha256(await readFile(join(uploads, token, 'film.mov'))), sha256(file));
  }
});

/** The peak memory of a process in bytes. */
async function maxMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test.run();
