import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type IdleTimeouts, type JobEvent, readEvents } from '../../src/client/job-updates.js';
import { waitUntil } from '../helpers/wait-until.js';

/** A server that answers one request as the test defines. */
interface Harness {
  server: Server;
  answer: (response: ServerResponse) => void;
  closed: boolean;
}

const test = suite<Harness>('reading events');

test.before.each(async (harness) => {
  harness.closed = false;
  harness.server = createServer((_, response) => {
    response.on('close', () => {
      harness.closed = true;
    });
    harness.answer(response);
  });
  await new Promise<void>((resolve) => harness.server.listen(0, '127.0.0.1', resolve));
});
test.after.each(({ server }) => void server.close());

/** Reads the answer of the server; returns whether it was usable, and the events. */
async function reading(
  harness: Harness,
  silence?: IdleTimeouts,
): Promise<readonly [boolean, readonly JobEvent[]]> {
  const { port } = harness.server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve);
  });
  const events: JobEvent[] = [];
  const isOfUse = await readEvents(7, response, (event) => events.push(event), silence);
  await waitUntil('the connection is closed', () => harness.closed);
  return [isOfUse, events];
}

const sends =
  (...parts: readonly (string | Buffer)[]) =>
  (response: ServerResponse) => {
    for (const part of parts) response.write(part);
    response.end();
  };
const record = (state: string) => `data: ${JSON.stringify({ state, progress: '12.5', outputs: [] })}\n\n`;

test('events are read in full, with their ids for a later resume', async (harness) => {
  harness.answer = sends('retry: 50\n\n', `id: a\n${record('waiting')}`, `id: b\n${record('processing')}`);
  const [isOfUse, events] = await reading(harness);
  assert.ok(isOfUse);
  assert.equal(
    events.map(({ job, eventId, retryMs }) => [job.id, job.state, job.progress, eventId, retryMs]),
    [
      [7, 'waiting', 12.5, 'a', 50],
      [7, 'processing', 12.5, 'b', 50],
    ],
  );
});

test('a final state ends it, though the stream continues', async (harness) => {
  harness.answer = (response) => response.write(`${record('failed')}${record('waiting')}`);
  const [isOfUse, events] = await reading(harness);
  assert.equal([isOfUse, events.length], [true, 1]);
});

test('a character that was split between chunks is read whole', async (harness) => {
  const bytes = Buffer.from(record('état'));
  const cut = bytes.indexOf('é') + 1;
  harness.answer = (response) => {
    response.write(bytes.subarray(0, cut));
    setImmediate(() => response.end(bytes.subarray(cut)));
  };
  const [, events] = await reading(harness);
  assert.is(String(events[0]?.job.state), 'état');
});

test('events with other names are ignored', async (harness) => {
  harness.answer = sends(`event: advertisement\ndata: buy!\n\n`, record('waiting'));
  const [isOfUse, events] = await reading(harness);
  assert.equal([isOfUse, events.length], [true, 1]);
});

test('a broken connection ends the stream like any other end', async (harness) => {
  harness.answer = (response) => response.write(record('waiting'), () => response.destroy());
  const [isOfUse, events] = await reading(harness);
  assert.equal([isOfUse, events.length], [true, 1]);
});

for (const [what, answer] of [
  ['what is no JSON', sends('data: hello\n\n')],
  ['a line without an end', sends('x'.repeat(5 * 1024 * 1024))],
  ['nothing, which a proxy may buffer', (response: ServerResponse) => response.flushHeaders()],
] as const) {
  test(`a stream of ${what} is not usable`, async (harness) => {
    harness.answer = answer;
    const [isOfUse, events] = await reading(harness, { firstEventMs: 20, nextEventMs: 60_000 });
    assert.equal([isOfUse, events.length], [false, 0]);
  });
}

test('a stream that goes silent counts as broken', async (harness) => {
  harness.answer = (response) => response.write(': \n\n');
  const [isOfUse, events] = await reading(harness, { firstEventMs: 60_000, nextEventMs: 20 });
  assert.equal([isOfUse, events.length], [true, 0]);
});

test.run();
