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
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

test.after(() => killDaemons());

const bytes = 100_000;

/** Loaded by Node before the program: sockets connected to certain ports throw, or leave a rejected promise, when they receive data. */
const injectedErrors = `
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
const ports = JSON.parse(process.env.TEST_FAILING_PORTS);
Socket.prototype.emit = function (event, ...words) {
  if (event === 'data' && this.remotePort === ports.throws) throw new Error('thrown at http://user:hunter2@host/film');
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

function environmentOf(folder: string, ports: Readonly<Record<string, number>>) {
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
  const headers = { 'Service-Api-Key': processKey };
  const create = async (input: string) => {
    const body = JSON.stringify({ input, download_connections: 1 });
    const response = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
    return ((await response.json()) as { id: string }).id;
  };
  const failureOf = async (id: string) => {
    for (;;) {
      const response = await fetch(`${daemon.url}/v2/jobs/${id}`, { headers });
      const { job } = (await response.json()) as {
        job: {
          state: string;
          input_media_file: { error_class: string | null; error_message: string | null };
        };
      };
      if (job.state === 'failed')
        return `${job.input_media_file.error_class}: ${job.input_media_file.error_message}`;
      await pause(20);
    }
  };
  const unaffected = await create(good.url);
  await waitUntil('the download is running', () => held.length > 0);
  const thrown = 'DownloadFailureError: thrown at http://user:***@host/film';
  assert.match(await failureOf(await create(throws.url)), thrown);
  assert.match(await failureOf(await create(rejects.url)), 'DownloadFailureError: left alone');
  daemon.child.kill('SIGUSR2');
  await waitUntil('the error is logged', () => daemon.logged().includes('of nobody'));
  for (const response of held) response.end(payloadOf(bytes).subarray(50_000));
  assert.match(await failureOf(unaffected), 'NoMediaError');
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
