import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { testCertificate, testKey } from '../helpers/servers/test-certificate.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createWorkerKey, runVenc, startWorker } from '../helpers/worker-process.js';

const test = suite('errors of venc worker');

let daemon: TestDaemon;
let token = '';

test.before(async () => {
  daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true });
  token = await createWorkerKey(daemon.dataFolder);
});

test.after(() => daemon.stop());

const join = (
  url: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = { VENC_WORKER_TOKEN: token },
) => runVenc(['worker', '--join', url, '--data', tempFolder(), ...args], env);

test('a wrong token is named, with what to do', async () => {
  const { code, stderr } = await startWorker(daemon.url, 'vencw_wrong').ended;
  assert.is(code, exitCodes.unauthorized);
  assert.match(stderr, /does not accept the token of this worker: it is wrong or was revoked/);
  assert.match(stderr, /venc keys create --worker/);
});

test('the key of an account is not one for workers', async () => {
  const { code, stderr } = await startWorker(daemon.url, daemon.key).ended;
  assert.is(code, exitCodes.unauthorized);
  assert.match(stderr, /hint: set VENC_WORKER_TOKEN to a key that "venc keys create --worker" printed/);
});

test('without a token, with an invalid URL and over plain HTTP it does not start', async () => {
  const joined = ['--join', daemon.url];
  const badName = /--name takes up to 64/;
  for (const [words, message, given = token] of [
    [joined, /set VENC_WORKER_TOKEN/, ''],
    [['--join', 'http://box.example:8686'], /unencrypted.*--allow-plain-http/],
    [['--join', 'box:8686'], /--join takes the URL of a daemon/],
    [[], /--join/],
    [[...joined, '--label', 'two words'], /--label/],
    [[...joined, '--name', '..'], badName],
    [[...joined, '--name', 'a/b'], badName],
    [[...joined, '--name', 'x'.repeat(65)], badName],
  ] as const) {
    const env = { VENC_WORKER_TOKEN: given };
    const result = await runInProcess(['worker', ...words, '--data', tempFolder()], { env, stdin: '' });
    assert.is(result.code, exitCodes.usage, words.join(' '));
    assert.match(result.stderr, message);
  }
});

test('a server that is no daemon and an address without a server are named', async () => {
  const server = createServer((_, response) => response.end('<html>hello</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wrong = await join(url);
  assert.is(wrong.code, exitCodes.usage);
  assert.match(wrong.stderr, /is not a venc daemon/);
  const tls = await join(url.replace('http', 'https'));
  assert.is(tls.code, exitCodes.unreachable);
  assert.match(tls.stderr, /does not speak TLS: the URL of --join says https:/);
  assert.match(tls.stderr, /hint: use http:\/\/127\.0\.0\.1:\d+ .*--allow-plain-http/i);
  assert.not.match(tls.stderr, /ftp/);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const closed = await join(url);
  assert.is(closed.code, exitCodes.unreachable);
  assert.match(closed.stderr, /refused the connection/);
});

test('a port for TLS is named, with the URL to use', async () => {
  const server = createTlsServer({ key: testKey, cert: testCertificate });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await join(`http://127.0.0.1:${port}`);
  assert.is(code, exitCodes.usage);
  assert.match(stderr, new RegExp(`speaks TLS.*Use --join https://127\\.0\\.0\\.1:${port}`));
  await new Promise((resolve) => server.close(resolve));
});

test('a token may end with a line feed, as in a secret that was made from a file', async () => {
  const worker = startWorker(daemon.url, `${token}\n`);
  await waitUntil('the worker has joined', () => worker.written().includes('has joined'));
  await worker.end('SIGTERM');
});

test('without VENC_WORKER_TOKEN the token is the first line of stdin', async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const input = `http://127.0.0.1:${(server.address() as AddressInfo).port}/missing.mp4`;
  const id = await daemon.create({ input, outputs: [{}] });
  const args = ['worker', '--join', daemon.url, '--data', tempFolder(), '--once', '--allow-private-network'];
  const { code, stdout } = await runVenc(args, { VENC_WORKER_TOKEN: '' }, `${token}\n`);
  assert.match(stdout, /has joined/);
  assert.is(code, exitCodes.jobFailed);
  assert.is((await daemon.waitForJob(id)).input_media_file.error_class, 'FileNotFoundError');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('two workers do not share a folder', async () => {
  const first = startWorker(daemon.url, token);
  await waitUntil('the first worker has joined', () => first.written().includes('has joined'));
  const { code, stderr } = await startWorker(daemon.url, token, [], first.dataFolder).ended;
  assert.is(code, exitCodes.conflict);
  assert.match(stderr, /Another worker on this machine uses the folder/);
  assert.match(stderr, /--data/);
  assert.is((await first.end('SIGTERM')).code, 0);
});

for (const [protocol, minProtocol, sentence] of [
  [9, 8, /This worker is too old for the daemon \(venc 9\.0\.0\): upgrade venc on this machine/],
  [0, 0, /The daemon \(venc 9\.0\.0\) is too old for this worker: upgrade venc on the machine of the daemon/],
] as const) {
  test(`a daemon of a version too far apart (${protocol}) is named, with what to upgrade`, async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      const time = new Date().toISOString();
      response.end(JSON.stringify({ protocol, min_protocol: minProtocol, version: '9.0.0', time }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { code, stderr } = await join(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    assert.is(code, exitCodes.conflict);
    assert.match(stderr, sentence);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

test('a clock that differs by minutes is reported', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const time = new Date(Date.now() - 300_000).toISOString();
    if (request.url === '/worker/v1')
      return response.end(JSON.stringify({ protocol: 1, min_protocol: 1, version: '0.1.0', time }));
    response.statusCode = request.url === '/worker/v1/workers' ? 200 : 401;
    const answer = { workerId: 'id', name: 'w', leaseSeconds: 30, heartbeatSeconds: 2, pollSeconds: 20 };
    return response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { code, stderr } = await join(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.match(stderr, /The clock of this machine is 300 s ahead of that of the daemon/);
  // The request for a job was rejected: the token is no longer valid.
  assert.is(code, exitCodes.unauthorized);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.run();
