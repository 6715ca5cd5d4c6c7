import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { connectTo } from '../helpers/raw-http.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite<{ daemon: DaemonProcess }>('requests that take a minute');

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder(), ['--jobs', '0', '--stall-timeout', '300']);
});
test.after(killDaemons);

/** The contract's 60 seconds, plus the interval at which the server checks for overdue requests. */
const soonestMs = 59_000;
const latestMs = 65_000;

test('every request that is not complete after 60 seconds is closed, except uploads', async ({ daemon }) => {
  const upload = connectTo(daemon.url);
  upload.write(
    `PUT /v2/uploads/a.mov HTTP/1.1\r\nHost: a\r\nService-Api-Key: ${processKey}\r\nContent-Length: 9\r\n\r\nx`,
  );
  const requests = [
    'GET /health',
    'HEAD /health',
    'DELETE /v2/jobs/1',
    'PUT /v2/jobs/1/cancel',
    'POST /v2/jobs',
  ];
  const taken = await Promise.all([
    ...requests.map((line) => openFor(daemon, `${line} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`)),
    openFor(daemon, 'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'),
    openFor(daemon, 'GET /health HTTP/1.1\r\nHost: a\r\n'),
    openFor(daemon, ''),
  ]);
  // The rest of a rejected request is not read, so those connections close sooner.
  assert.ok(
    taken.every((milliseconds) => milliseconds < latestMs),
    String(taken),
  );
  assert.ok(taken.filter((milliseconds) => milliseconds > soonestMs).length >= 5, String(taken));
  assert.is(upload.readyState, 'open');
  upload.destroy();
});

/** How long a connection stays open, in milliseconds, after the text is sent and while its body is sent byte by byte. */
async function openFor(daemon: DaemonProcess, text: string): Promise<number> {
  const begun = performance.now();
  const socket = connectTo(daemon.url).resume();
  socket.on('error', () => {}).write(text);
  // Sends a byte of the body from time to time, so that the connection is not idle.
  const trickle = setInterval(() => text.includes('\r\n\r\nx') && socket.write('x'), 8000);
  await once(socket, 'close');
  clearInterval(trickle);
  return performance.now() - begun;
}

test.run();
