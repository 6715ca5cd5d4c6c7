import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { createChecksumProbe, downloadMany, payloadMd5, payloadOf } from '../helpers/download-harness.js';
import { startSocketSource } from '../helpers/servers/http-source.js';
import { tempFolder } from '../helpers/temp.js';

test.after(() => killDaemons());

/** Response heads after which a server closes the connection. */
const heads: Readonly<Record<string, (bytes: number) => string>> = {
  'HTTP/1.0 with Content-Length': (bytes) => `HTTP/1.0 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`,
  'HTTP/1.0 without Content-Length': () => 'HTTP/1.0 200 OK\r\n\r\n',
  'HTTP/1.1 with Connection: close': (bytes) =>
    `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`,
};

/**
 * Slightly more than a download buffers in memory while it writes to disk (1 MiB): the connection closes while the end of the body
 * is still buffered.
 */
const sizes = Array.from({ length: 12 }, (_, index) => 1_120_000 + index * 80_000);

/** A server whose files are as large as their names say. */
const source = (headOf: (bytes: number) => string) =>
  startSocketSource((socket) => {
    socket.once('data', (request) => {
      const bytes = Number(/^GET \/(\d+)/.exec(String(request))?.[1]);
      socket.write(headOf(bytes));
      socket.end(payloadOf(bytes));
    });
  });

test('the daemon keeps running after downloads from servers that close the connection after the body', async () => {
  const folder = tempFolder();
  const probe = createChecksumProbe(folder);
  const daemon = await startDaemonProcess(join(folder, 'data'), [
    '--ffprobe',
    probe.path,
    '--sandbox',
    'none',
    '--jobs',
    '2',
  ]);
  for (const [name, headOf] of Object.entries(heads)) {
    const server = await source(headOf);
    const inputs = sizes.map((bytes) => `${server.url}/${bytes}`);
    const classes = await downloadMany(daemon, inputs)
      .catch((error: unknown) => {
        throw new Error(`${name}: ${String(error)}: ${daemon.logged().slice(-800)}`);
      })
      .finally(() => server.close());
    assert.equal([...new Set(classes)], ['NoMediaError'], name);
  }
  assert.is(daemon.child.exitCode, null, 'the daemon is still running');
  const expected = Object.keys(heads).flatMap(() => sizes.map(payloadMd5));
  assert.equal(probe.sums().toSorted(), expected.toSorted());
  assert.is(await daemon.end('SIGTERM'), 0);
});

test('venc run reports its own error if the server closes the connection after the body', async () => {
  const folder = tempFolder();
  const probe = createChecksumProbe(folder);
  const server = await source((bytes) => heads['HTTP/1.1 with Connection: close']?.(bytes) ?? '');
  const some = sizes.filter((_, index) => index % 2 === 0);
  // The probe writes a file, which a sandbox does not let it.
  const env = { XDG_CONFIG_HOME: folder };
  await runCli(['config', 'set', 'sandbox', 'none'], { env });
  try {
    for (const bytes of some) {
      const words = ['run', `${server.url}/${bytes}`, '--ffprobe', probe.path, '-o', 'film.mp4'];
      const { code, stderr } = await runCli(words, { cwd: folder, env });
      assert.is(code, 1, stderr);
      assert.match(stderr, /no video and no audio|NoMediaError/, stderr);
    }
  } finally {
    await server.close();
  }
  assert.equal(probe.sums(), some.map(payloadMd5));
});

// Smaller than the download buffer (1 MiB): beyond that the download pauses the body, and Node.js drops buffered data when a body is interrupted.
const whole = 1_200_000;
const part = 900_000;
/** Interrupted responses, sent to the first request for a path. Later requests get complete responses. */
const breaks: Readonly<Record<string, (socket: Socket) => void>> = {
  // The client receives a connection reset.
  reset: (socket) => {
    const head = `HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: ${whole}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), payloadOf(part)]), () => socket.resetAndDestroy());
  },
  'closed-early': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nETag: "1"\r\nConnection: close\r\nContent-Length: ${whole}\r\n\r\n`);
    socket.end(payloadOf(part));
  },
  'chunked-without-end': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${part.toString(16)}\r\n`);
    socket.end(Buffer.concat([payloadOf(part), Buffer.from('\r\n')]));
  },
};

test('an interrupted body is detected, and the download resumes after the received part', async () => {
  const folder = tempFolder();
  const probe = createChecksumProbe(folder);
  const daemon = await startDaemonProcess(join(folder, 'data'), [
    '--ffprobe',
    probe.path,
    '--sandbox',
    'none',
  ]);
  const askedFrom = new Map<string, number[]>();
  const server = await startSocketSource((socket) => {
    socket.once('data', (request) => {
      const [, name = ''] = /^GET \/(\S+)/.exec(String(request)) ?? [];
      const from = Number(/^range: bytes=(\d+)-/im.exec(String(request))?.[1] ?? 0);
      const before = askedFrom.get(name) ?? [];
      askedFrom.set(name, [...before, from]);
      if (before.length === 0) return breaks[name]?.(socket);
      const range = from > 0 ? `\r\nContent-Range: bytes ${from}-${whole - 1}/${whole}` : '';
      const status = from > 0 ? '206 Partial Content' : '200 OK';
      socket.write(`HTTP/1.1 ${status}\r\nETag: "1"${range}\r\nContent-Length: ${whole - from}\r\n\r\n`);
      socket.end(payloadOf(whole).subarray(from));
    });
  });
  const names = Object.keys(breaks);
  // One after the other, because concurrent jobs first request the sizes of their inputs.
  for (const name of names)
    assert.equal(await downloadMany(daemon, [`${server.url}/${name}`]), ['NoMediaError']);
  await server.close();
  assert.equal(
    probe.sums(),
    names.map(() => payloadMd5(whole)),
  );
  for (const [name, froms] of askedFrom) assert.is(froms.length, 2, name);
  // Without an ETag a download cannot be resumed.
  assert.ok((askedFrom.get('reset')?.[1] ?? 0) > 0, 'resumed after a reset');
  assert.is(askedFrom.get('closed-early')?.[1], part);
  assert.is(await daemon.end('SIGTERM'), 0);
});

test.run();
