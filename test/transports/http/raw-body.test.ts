import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../../../daemon/transports/http/http-transport.js';
import {
  contentsOf,
  factsOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../../contracts/transport/evidence.js';

/** Large enough to be read past the parser, and no multiple of a buffer. */
const bytes = sampleBytes(12_000_007);

const transport = createHttpTransport({
  guard: createSsrfGuard({ allowPrivateNetwork: true }),
  stallTimeoutMs: 5_000,
  retryDelayMs: 1,
});

/** Serves every request with `answer`, and passes the URL to `work`. */
async function withServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => answer(response, request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The headers of the bytes from an offset on, as the request wants them. */
function head(response: ServerResponse, { headers }: IncomingMessage): number {
  const fromByte = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  response.writeHead(fromByte === 0 ? 200 : 206, {
    'content-length': bytes.byteLength - fromByte,
    'accept-ranges': 'bytes',
    etag: '"one"',
    ...(fromByte === 0
      ? {}
      : { 'content-range': `bytes ${fromByte}-${bytes.byteLength - 1}/${bytes.byteLength}` }),
  });
  return fromByte;
}

test('a large body is complete, also when its first bytes come with the headers', async () => {
  const answer = (response: ServerResponse, request: IncomingMessage) =>
    void response.end(bytes.subarray(head(response, request)));
  await withServer(answer, async (url) => {
    const path = join(scratchFolder(), 'in');
    assert.equal(await transport.download?.(url, path, transferOf()), factsOf(bytes));
    assert.ok(readFileSync(path).equals(bytes));
  });
});

test('a large body that comes in small pieces is complete', async () => {
  const answer = async (response: ServerResponse, request: IncomingMessage) => {
    for (let at = head(response, request); at < bytes.byteLength; at += 99_991) {
      if (!response.write(bytes.subarray(at, at + 99_991))) await once(response, 'drain');
      if (at % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  await withServer(answer, async (url) => {
    const path = join(scratchFolder(), 'in');
    assert.equal(await transport.download?.(url, path, transferOf()), factsOf(bytes));
    assert.ok(readFileSync(path).equals(bytes));
  });
});

test('a large body that breaks off is continued where it broke off', async () => {
  const starts: number[] = [];
  const answer = (response: ServerResponse, request: IncomingMessage) => {
    const fromByte = head(response, request);
    starts.push(fromByte);
    if (fromByte > 0) return response.end(bytes.subarray(fromByte));
    response.write(bytes.subarray(0, 3_000_000), () => setTimeout(() => response.destroy(), 50));
    return response;
  };
  await withServer(answer, async (url) => {
    const path = join(scratchFolder(), 'in');
    assert.equal(await transport.download?.(url, path, transferOf()), factsOf(bytes));
    assert.ok(readFileSync(path).equals(bytes));
    assert.is(starts[0], 0);
    assert.ok(starts.slice(1).every((start) => start > 0 && start <= 3_000_000));
  });
});

test('a download of a large body ends with the reason of its signal and leaves nothing', async () => {
  const answer = (response: ServerResponse, request: IncomingMessage) => {
    head(response, request);
    response.write(bytes.subarray(0, 2_000_000));
  };
  await withServer(answer, async (url) => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const folder = scratchFolder();
    const onProgress = (doneBytes: number) => {
      if (doneBytes > 0) stopping.abort(reason);
    };
    const transfer = transferOf({ signal: stopping.signal, onProgress });
    assert.is(
      await rejectionOf(Promise.resolve(transport.download?.(url, join(folder, 'in'), transfer))),
      reason,
    );
    assert.equal(contentsOf(folder), []);
  });
});

test('a large body that stalls ends the attempt', async () => {
  const answer = (response: ServerResponse, request: IncomingMessage) => {
    if (head(response, request) === 0) response.write(bytes.subarray(0, 2_000_000));
    else response.flushHeaders();
  };
  const impatient = createHttpTransport({
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    stallTimeoutMs: 200,
    retryDelayMs: 1,
  });
  await withServer(answer, async (url) => {
    const failure = await rejectionOf(
      Promise.resolve(impatient.download?.(url, join(scratchFolder(), 'in'), transferOf())),
    );
    assert.match(String(failure), /stopped sending/);
  });
});

test.run();
