import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { listen } from '../../daemon/http/server.js';
import { daemonSuite } from '../helpers/daemon.js';

const test = daemonSuite('broken requests', { jobs: 0 });

test('a request that the HTTP parser rejects gets a response with a body', async ({ daemon }) => {
  const answer = await raw(daemon.url, 'NONSENSE\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, '"errors"');
});

test('a head that is too large gets a response with a body', async ({ daemon }) => {
  const answer = await raw(daemon.url, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 431 /);
  assert.match(answer, '"errors"');
});

const broken: readonly (readonly [string, string, number])[] = [
  ['a request without a host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['an invalid host', 'GET /health HTTP/1.1\r\nHost: a b/../\r\nConnection: close\r\n\r\n', 400],
  ['an invalid address', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ['an unsupported expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
];

for (const [what, request, status] of broken) {
  test(`${what} is rejected with a body`, async ({ daemon }) => {
    const answer = await raw(daemon.url, request);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /content-type: application\/json; charset=utf-8\r\n/i);
    assert.match(answer, '{"errors":["');
  });
}

for (const [what, head, status] of [
  [
    'a rejected expectation',
    'POST /first HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n',
    417,
  ],
  ['a rejected head', 'POST /first HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
  ['a tunnel', 'CONNECT first:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['text that is not HTTP', 'NONSENSE\r\n\r\n', 400],
] as const) {
  test(`a request behind ${what} is not executed`, async () => {
    const paths: string[] = [];
    const app = {
      fetch: ({ url }: Request) => {
        paths.push(new URL(url).pathname);
        return new Response('executed');
      },
    };
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const url = `http://127.0.0.1:${server.port}`;
    const answer = await raw(url, `${head}${request('/behind')}`);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.equal(paths, []);
    const answers = await raw(url, `${request('/before')}${head}${request('/behind')}`);
    assert.equal(paths, ['/before']);
    // A connection that no longer speaks HTTP ends at once.
    if (what.startsWith('a rejected')) assert.match(answers, /^HTTP\/1\.1 200 .*executed/s);
    await server.close(0);
  });
}

test('HTTP/1.0 needs no host', async ({ daemon }) => {
  const answer = await raw(daemon.url, 'GET /health HTTP/1.0\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /\{"status":"(ok|degraded)",/);
});

test('an incomplete head times out with an error', async () => {
  const app = { fetch: () => new Response('never reached') };
  const server = await listen(app, { host: '127.0.0.1', port: 0, requestTimeoutMs: 50 });
  const answer = await raw(`http://127.0.0.1:${server.port}`, 'GET /health HTTP/1.1\r\nHost: x\r\n');
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, '"errors"');
  await server.close(0);
});

function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test.run();
