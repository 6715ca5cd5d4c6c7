import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { connectTo } from '../helpers/raw-http.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';
import { ambiguousRequests, type RawCase, unusualRequests } from './raw-requests.js';

/** Requests that no HTTP client sends, and connections that do not end, against the daemon as shipped. */
const test = suite<{ daemon: TestDaemon; jobId: number }>('connections');
const { isLong } = suiteOptions();
const counts: string[] = [];
const input = 'http://127.0.0.1:9/a.mp4';

test.before(async (context) => {
  context.daemon = await startTestDaemon({ jobs: 0, rateLimit: 1_000_000 });
  context.jobId = await context.daemon.create({ input });
});
test.after(async ({ daemon }) => {
  await daemon?.stop();
  printClosingLine('hostile/connections', counts);
});

interface RawReply {
  readonly statuses: readonly number[];
  readonly isClosed: boolean;
  readonly text: string;
}

/**
 * Sends bytes in pieces, then a last request that closes the connection. If the daemon answers that one too, it had not closed the
 * connection before.
 */
function exchange(url: string, text: string, pieceBytes = Number.POSITIVE_INFINITY): Promise<RawReply> {
  return new Promise((resolve) => {
    const socket = connectTo(url);
    let answer = '';
    const last = 'GET /health HTTP/1.1\r\nHost: last\r\nConnection: close\r\n\r\n';
    socket.setEncoding('latin1').on('data', (chunk) => {
      answer += chunk;
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
        const isClosed = !/\{"status":"(?:ok|degraded)",/.test(answer);
        resolve({ statuses: isClosed ? statuses : statuses.slice(0, -1), isClosed, text: answer });
      });
    const bytes = Buffer.from(`${text}${last}`, 'latin1');
    for (let at = 0; at < bytes.length; at += pieceBytes) socket.write(bytes.subarray(at, at + pieceBytes));
  });
}

async function assertCase(daemon: TestDaemon, one: RawCase): Promise<void> {
  // Whole, and byte by byte.
  for (const pieceBytes of [Number.POSITIVE_INFINITY, ...(one.text.length < 2_000 ? [1] : [])]) {
    const { statuses, isClosed, text } = await exchange(daemon.url, one.text, pieceBytes);
    assert.equal(
      { statuses, isClosed },
      { statuses: one.statuses, isClosed: one.isClosed },
      `${one.name}: ${text.slice(0, 300)}`,
    );
  }
}

test('a request whose end is ambiguous is rejected, and nothing after it is answered or executed', async ({
  daemon,
  jobId,
}) => {
  const body = JSON.stringify({ input, pass_through: 'smuggled' });
  const key = `Service-Api-Key: ${daemon.key}\r\n`;
  const smuggled = [
    `PUT /v2/jobs/${jobId}/cancel HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
    `POST /v2/jobs HTTP/1.1\r\nHost: a\r\n${key}Content-Length: ${body.length}\r\n\r\n${body}`,
  ].join('');
  const cases = ambiguousRequests(daemon.key, smuggled);
  for (const one of cases) await assertCase(daemon, one);
  const { job } = await daemon.read<{ job: { state: string } }>(`/v2/jobs/${jobId}`);
  assert.is(job.state, 'waiting');
  assert.not.match(await (await daemon.request('/v2/jobs?per_page=50')).text(), 'smuggled');
  counts.push(`${cases.length} ambiguous requests`);
});

test('unusual requests are answered once, without a change of protocol', async ({ daemon }) => {
  const cases = unusualRequests(daemon.key);
  for (const one of cases) await assertCase(daemon, one);
  counts.push(`${cases.length} unusual requests`);
});

test('headers of a request change no header of an answer, and no line of the log', async ({ daemon }) => {
  const injected = 'a\r\nSet-Cookie: x=1\r\n\r\n<script>';
  const encoded = encodeURIComponent(injected);
  for (const path of [
    `/v2/jobs?state=${encoded}`,
    `/v2/jobs?page=1&x=${encoded}`,
    `/v2/inputs/1.js?callback=${encoded}`,
    `/hosted/${encoded}/${encoded}`,
    `/${encoded}`,
    `/?format=${encoded}`,
    `/v2/reports/all?grouping=${encoded}&from=${encoded}`,
  ]) {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${daemon.key}\r\nX-Forwarded-Host: b"><script>\r\nOrigin: http://other.example\r\nConnection: close\r\n\r\n`;
    const { text } = await exchange(daemon.url, request);
    const [head = ''] = text.split('\r\n\r\n');
    assert.not.match(head, /set-cookie/i, path);
    assert.not.match(text, '<script>', path);
    assert.not.match(head, /allow-credentials/i, path);
  }
});

test('the name of a JSONP callback is a name, and its answer is no page', async ({ daemon, jobId }) => {
  const { job } = await daemon.read<{ job: { input_media_file: { id: number } } }>(`/v2/jobs/${jobId}`);
  const path = `/v2/inputs/${job.input_media_file.id}.js`;
  for (const callback of [
    'alert(1)//',
    'a;b',
    '<script>',
    'a\nb',
    'a=b',
    '"a"',
    'a'.repeat(5_000),
    '{}',
    'a/**/',
    '\u2028',
  ])
    for (const name of [path, `${path}/progress.js`.replace('.js/', '/')]) {
      const response = await daemon.request(`${name}?callback=${encodeURIComponent(callback)}`);
      const text = await response.text();
      assert.not.ok(text.startsWith(callback), text.slice(0, 80));
      assert.not.match(response.headers.get('content-type') ?? '', /html/);
    }
  const valid = await daemon.request(`${path}?callback=show.me_1`);
  assert.match(await valid.text(), /^(?:\/\*\*\/)?\s*show\.me_1\(/);
  assert.is(valid.headers.get('x-content-type-options'), 'nosniff');
});

/** Resident memory of a process, in MiB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** What each of many open connections has sent. */
const unfinished: Readonly<Record<string, (key: string) => string>> = {
  nothing: () => '',
  'half a first line': () => 'GET /v2/jo',
  'half a head': (key) => `POST /v2/jobs HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${key}\r\nX-A: `,
  'half a body': (key) =>
    `POST /v2/jobs HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${key}\r\nContent-Length: 1000000\r\n\r\n{"input": "`,
  'half a chunk': (key) =>
    `POST /v2/jobs HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n{`,
  'half an upload': (key) =>
    `PUT /v2/uploads/a HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${key}\r\nContent-Length: 1000000\r\n\r\nx`,
  'requests whose answers are not read': (key) =>
    `GET /v2/settings HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${key}\r\n\r\n`.repeat(50),
};

test('connections that never finish a request leave the daemon answering others, in bounded memory', async () => {
  const perKind = isLong ? 200 : 60;
  const daemon = await startDaemonProcess(tempFolder(), ['--jobs', '0', '--stall-timeout', '2']);
  const headers = { 'Service-Api-Key': processKey };
  const sockets: Socket[] = [];
  try {
    await fetch(`${daemon.url}/v2/settings`, { headers }).then((response) => response.arrayBuffer());
    const before = memoryOf(daemon.pid);
    const { hostname, port } = new URL(daemon.url);
    for (const text of Object.values(unfinished))
      for (let count = 0; count < perKind; count += 1) {
        const socket = connect(Number(port), hostname);
        // Half of them close their side, as a client that is gone does.
        socket.on('error', () => undefined).pause();
        if (count % 2 === 0) socket.write(text(processKey));
        else socket.end(text(processKey));
        sockets.push(socket);
      }
    let slowest = 0;
    for (let round = 0; round < 40; round += 1) {
      const start = performance.now();
      for (const socket of sockets) if (socket.writable) socket.write('x');
      const created = await fetch(`${daemon.url}/v2/jobs`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input, mock: true }),
        signal: AbortSignal.timeout(20_000),
      });
      assert.is(created.status, 201);
      slowest = Math.max(slowest, performance.now() - start);
    }
    const growth = memoryOf(daemon.pid) - before;
    assert.ok(growth < 200, `memory grew by ${Math.round(growth)} MiB`);
    counts.push(
      `${sockets.length} unfinished connections: slowest answer to others ${Math.round(slowest)} ms, memory +${Math.round(growth)} MiB`,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    await daemon.end('SIGTERM');
  }
});

test.run();
