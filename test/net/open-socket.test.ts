import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSocket } from '../../daemon/net/open-socket.js';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { waitUntil } from '../helpers/wait-until.js';

const guard = createSsrfGuard({ allowPrivateNetwork: true });

/** Connects with `readsInTurn`, and passes both ends to `work`. */
async function withPair(work: (sender: Socket, receiver: Socket) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const receiver = await openSocket(
    guard,
    { host: '127.0.0.1', port, isTls: false, readsInTurn: true },
    5_000,
  );
  const [sender] = (await accepted) as [Socket];
  try {
    await work(sender, receiver);
  } finally {
    receiver.destroy();
    sender.destroy();
    server.close();
  }
}

test('reads in turn deliver every byte to a reader that processes them at once', () =>
  withPair(async (sender, receiver) => {
    const bytes = Buffer.from(Uint8Array.from({ length: 5_000_003 }, (_, at) => (at * 31 + at / 977) % 256));
    const received: Buffer[] = [];
    receiver.on('data', (data: Buffer) => received.push(Buffer.from(data)));
    sender.end(bytes);
    await once(receiver, 'end');
    assert.ok(Buffer.concat(received).equals(bytes));
  }));

test('reads in turn deliver every byte to a reader that pauses', () =>
  withPair(async (sender, receiver) => {
    const bytes = Buffer.from(Uint8Array.from({ length: 3_000_003 }, (_, at) => (at * 31 + at / 977) % 256));
    sender.end(bytes);
    const received: Buffer[] = [];
    for await (const data of receiver as AsyncIterable<Buffer>) {
      received.push(Buffer.from(data));
      if (received.length % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.ok(Buffer.concat(received).equals(bytes));
  }));

test('what a reader keeps of small reads, and of the end of a large one, is not overwritten', () =>
  withPair(async (sender, receiver) => {
    let receivedBytes = 0;
    const kept: Buffer[] = [];
    receiver.on('data', (data: Buffer) => {
      receivedBytes += data.byteLength;
      kept.push(data.subarray(-500));
    });
    const send = async (bytes: number, value: number) => {
      const expected = receivedBytes + bytes;
      sender.write(Buffer.alloc(bytes, value));
      await waitUntil('the bytes have arrived', () => receivedBytes === expected);
    };
    await send(1000, 1);
    await send(20_000, 2);
    const first = kept.length;
    for (const value of [3, 4, 5]) await send(1000, value);
    assert.equal(new Set(kept[0]), new Set([1]));
    assert.equal(new Set(kept[first - 1]), new Set([2]));
    for (const [index, value] of [3, 4, 5].entries())
      assert.equal(new Set(kept[first + index]), new Set([value]));
  }));

test.run();
