import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const chunk = Buffer.alloc(64 * 1024);
const settleMs = 200;

/**
 * Measures how many bytes the kernel takes for a client of the loopback that never reads. A server that respects this client writes no more
 * than that.
 */
export async function socketCapacityBytes(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  const [socket] = (await once(server, 'connection')) as [Socket];
  let written = 0;
  const write = () => {
    // Only what the kernel takes at once: nothing waits in this process, except one chunk.
    while (socket.writableLength === 0) {
      socket.write(chunk);
      written += chunk.length;
    }
  };
  socket.on('drain', write);
  write();
  for (let before = -1; before !== written; ) {
    before = written;
    await sleep(settleMs);
  }
  socket.destroy();
  client.destroy();
  server.close();
  return written;
}
