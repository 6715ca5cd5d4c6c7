import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { createChecksumProbe, payloadMd5, payloadOf } from '../helpers/download-harness.js';
import { startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { startSftpSource } from '../helpers/servers/sftp-source.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

test.after(() => killDaemons());

const headers = { 'Service-Api-Key': processKey };

/** Creates a job, and resolves to the error of its input once it has failed. */
async function failureOf(daemon: { readonly url: string }, input: string): Promise<string> {
  return waitForFailure(daemon, await create(daemon, input));
}

async function create({ url }: { readonly url: string }, input: string): Promise<string> {
  const body = JSON.stringify({ input, download_connections: 1 });
  const response = await fetch(`${url}/v2/jobs`, { method: 'POST', headers, body });
  return ((await response.json()) as { id: string }).id;
}

async function waitForFailure({ url }: { readonly url: string }, id: string): Promise<string> {
  const startedAt = performance.now();
  for (;;) {
    assert.ok(performance.now() - startedAt < 20_000, `job ${id} does not fail`);
    const response = await fetch(`${url}/v2/jobs/${id}`, { headers });
    const { job } = (await response.json()) as {
      job: { state: string; input_media_file: { error_class: string | null; error_message: string | null } };
    };
    if (job.state === 'failed')
      return `${job.input_media_file.error_class}: ${job.input_media_file.error_message}`;
    await pause(20);
  }
}

const bytes = 100_000;

/**
 * Loaded by Node before the program: sockets connected to certain ports throw, or leave a rejected promise, when they receive data;
 * the end of a program and a timer that aborts something throw if the test asks for it.
 */
const injectedErrors = `
import { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
const ports = JSON.parse(process.env.TEST_FAILING_PORTS);
const { abort } = AbortController.prototype;
AbortController.prototype.abort = function (reason) {
  if (ports.timers && new Error().stack.includes('listOnTimeout')) throw new Error('thrown by a timer');
  abort.call(this, reason);
};
ChildProcess.prototype.emit = function (event, ...words) {
  const isHeard = EventEmitter.prototype.emit.call(this, event, ...words);
  if (ports.programs && event === 'exit' && this.spawnargs.at(-1).startsWith('file:')) throw new Error('thrown by a program');
  return isHeard;
};
Socket.prototype.emit = function (event, ...words) {
  if (event === 'data' && [ports.throws].flat().includes(this.remotePort)) throw new Error('thrown at http://user:hunter2@host/film');
  if (event === 'data' && this.remotePort === (ports.rejects ?? -1)) Promise.reject(new Error('left alone'));
  return EventEmitter.prototype.emit.call(this, event, ...words);
};
process.on('SIGUSR2', () => { throw new Error('of nobody'); });
`;

interface Source {
  readonly url: string;
  readonly port: number;
  close(): void;
}

async function source(answer: (response: ServerResponse) => void): Promise<Source> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/film`, port, close };
}

const whole = (response: ServerResponse) => response.end(payloadOf(bytes));

function environmentOf(
  folder: string,
  ports: Readonly<Record<string, number | boolean | readonly number[]>>,
) {
  const path = join(folder, 'failing.mjs');
  writeFileSync(path, injectedErrors);
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(path).href}`,
    TEST_FAILING_PORTS: JSON.stringify(ports),
  };
}

test('an uncaught error fails the job that it was thrown for and no other', async () => {
  const folder = tempFolder();
  const probe = createChecksumProbe(folder);
  const held: ServerResponse[] = [];
  const good = await source((response) => {
    response.writeHead(200, { 'content-length': bytes });
    response.write(payloadOf(bytes).subarray(0, 50_000));
    held.push(response);
  });
  const throws = await source(whole);
  const rejects = await source(whole);
  const environment = environmentOf(folder, { throws: throws.port, rejects: rejects.port });
  Object.assign(process.env, environment);
  const daemon = await startDaemonProcess(join(folder, 'data'), [
    '--ffprobe',
    probe.path,
    '--sandbox',
    'none',
    '--jobs',
    '3',
  ]);
  for (const name of Object.keys(environment)) delete process.env[name];
  const unaffected = await create(daemon, good.url);
  await waitUntil('the download is running', () => held.length > 0);
  const thrown = 'DownloadFailureError: thrown at http://user:***@host/film';
  assert.match(await failureOf(daemon, throws.url), thrown);
  assert.match(await failureOf(daemon, rejects.url), 'DownloadFailureError: left alone');
  daemon.child.kill('SIGUSR2');
  await waitUntil('the error is logged', () => daemon.logged().includes('of nobody'));
  for (const response of held) response.end(payloadOf(bytes).subarray(50_000));
  assert.match(await waitForFailure(daemon, unaffected), 'NoMediaError');
  assert.equal(probe.sums(), [payloadMd5(bytes)]);
  assert.is(daemon.child.exitCode, null);
  const log = daemon.logged();
  assert.match(
    log,
    /error An unexpected error was thrown in the work of job \d+: Error: thrown at .*(?:\n +at .*)*failing\.mjs/,
  );
  assert.match(
    log,
    /error An unexpected error was thrown in the work of job \d+: Error: left alone(?:\n +at .*)*failing\.mjs/,
  );
  assert.match(
    log,
    /error An unexpected error was thrown outside of any job: Error: of nobody(?:\n +at .*)*failing\.mjs/,
  );
  assert.not.match(log, 'hunter2');
  for (const server of [good, throws, rejects]) server.close();
  assert.is(await daemon.end('SIGTERM'), 0);
});

/** Starts a daemon in which the given errors are injected. */
async function startWithErrors(
  folder: string,
  ports: Parameters<typeof environmentOf>[1],
  env: Readonly<Record<string, string>> = {},
) {
  const probe = createChecksumProbe(folder);
  const args = ['--ffprobe', probe.path, '--sandbox', 'none', '--stall-timeout', '1s'];
  return startDaemonProcess(join(folder, 'data'), args, { ...environmentOf(folder, ports), ...env });
}

test('an uncaught error of a transfer over each protocol fails its job within a second', async () => {
  const folder = tempFolder();
  const [http, s3, ftp, sftp] = await Promise.all([
    source(whole),
    source(whole),
    startFtpTestServer(),
    startSftpSource(),
  ]);
  ftp.files.set('/film.mp4', payloadOf(bytes));
  sftp.files.set('/film.mp4', payloadOf(bytes));
  const ports = { throws: [http, s3, ftp, sftp].map(({ port }) => port) };
  const service = { AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${s3.port}` };
  const daemon = await startWithErrors(folder, ports, service);
  for (const url of [
    http.url,
    's3://key:secret@films/film.mp4',
    `ftp://user:word@127.0.0.1:${ftp.port}/film.mp4`,
    sftp.url('/film.mp4'),
  ]) {
    const id = await create(daemon, url);
    await waitUntil('the error is logged', () => daemon.logged().includes(`in the work of job ${id}:`));
    const startedAt = performance.now();
    assert.match(await waitForFailure(daemon, id), 'DownloadFailureError: thrown at');
    assert.ok(performance.now() - startedAt < 1000, url);
  }
  assert.not.match(daemon.logged(), 'outside of any job');
  for (const server of [http, s3, ftp, sftp]) await server.close();
  assert.is(await daemon.end('SIGTERM'), 0);
});

test('an uncaught error at the end of a program or in a timer fails the job that started it', async () => {
  const folder = tempFolder();
  const good = await source(whole);
  const silent = await source(() => undefined);
  const programs = await startWithErrors(tempFolder(), { throws: -1, programs: true });
  assert.match(await failureOf(programs, good.url), 'thrown by a program');
  assert.not.match(programs.logged(), 'outside of any job');
  const timers = await startWithErrors(folder, { throws: -1, timers: true });
  assert.match(await failureOf(timers, silent.url), 'DownloadFailureError: thrown by a timer');
  assert.not.match(timers.logged(), 'outside of any job');
  for (const server of [good, silent]) server.close();
  for (const daemon of [programs, timers]) assert.is(await daemon.end('SIGTERM'), 0);
});

test('in venc run an uncaught error fails the encode with a plain message and leaves nothing', async () => {
  const folder = tempFolder();
  const probe = createChecksumProbe(folder);
  const throws = await source(whole);
  const words = ['run', throws.url, '--ffprobe', probe.path, '-o', 'film.mp4'];
  const env = environmentOf(folder, { throws: throws.port });
  const { code, stderr } = await runCli(words, { cwd: folder, env });
  throws.close();
  assert.is(code, 1, stderr);
  assert.match(
    stderr,
    /venc: An unexpected error was thrown in the work of job \d+: Error: thrown at .*(?:\n +at .*)*failing\.mjs/s,
  );
  assert.match(stderr, /The input failed|TranscodingError|failed/);
  assert.not.match(stderr, 'hunter2');
});

test.run();
