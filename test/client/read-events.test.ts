import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JobEvent, readEvents, type Silence } from '../../src/client/read-events.js';
import { waitUntil } from '../helpers/wait-until.js';

/** A server that answers one request as the test says. */
interface Room {
  server: Server;
  answer: (response: ServerResponse) => void;
  closed: boolean;
}

const test = suite<Room>('reading events');

test.before.each(async (room) => {
  room.closed = false;
  room.server = createServer((_, response) => {
    response.on('close', () => {
      room.closed = true;
    });
    room.answer(response);
  });
  await new Promise<void>((resolve) => room.server.listen(0, '127.0.0.1', resolve));
});
test.after.each(({ server }) => void server.close());

/** Reads what the server answers; whether it was of use, and the events. */
async function reading(room: Room, silence?: Silence): Promise<readonly [boolean, readonly JobEvent[]]> {
  const { port } = room.server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve);
  });
  const events: JobEvent[] = [];
  const isOfUse = await readEvents(7, response, (event) => events.push(event), silence);
  await waitUntil('the connection is let go of', () => room.closed);
  return [isOfUse, events];
}

const sends =
  (...parts: readonly (string | Buffer)[]) =>
  (response: ServerResponse) => {
    for (const part of parts) response.write(part);
    response.end();
  };
const record = (state: string) => `data: ${JSON.stringify({ state, progress: '12.5', outputs: [] })}\n\n`;

test('events are read in full, with what is needed to come back', async (room) => {
  room.answer = sends('retry: 50\n\n', `id: a\n${record('waiting')}`, `id: b\n${record('processing')}`);
  const [isOfUse, events] = await reading(room);
  assert.ok(isOfUse);
  assert.equal(
    events.map(({ job, eventId, retryMs }) => [job.id, job.state, job.progress, eventId, retryMs]),
    [
      [7, 'waiting', 12.5, 'a', 50],
      [7, 'processing', 12.5, 'b', 50],
    ],
  );
});

test('a final state ends it, though the stream goes on', async (room) => {
  room.answer = (response) => response.write(`${record('failed')}${record('waiting')}`);
  const [isOfUse, events] = await reading(room);
  assert.equal([isOfUse, events.length], [true, 1]);
});

test('a letter that was cut in two is read whole', async (room) => {
  const bytes = Buffer.from(record('état'));
  const cut = bytes.indexOf('é') + 1;
  room.answer = (response) => {
    response.write(bytes.subarray(0, cut));
    setImmediate(() => response.end(bytes.subarray(cut)));
  };
  const [, events] = await reading(room);
  assert.is(String(events[0]?.job.state), 'état');
});

test('events of other names are none of ours', async (room) => {
  room.answer = sends(`event: advertisement\ndata: buy!\n\n`, record('waiting'));
  const [isOfUse, events] = await reading(room);
  assert.equal([isOfUse, events.length], [true, 1]);
});

test('a connection that breaks is an end like any other', async (room) => {
  room.answer = (response) => response.write(record('waiting'), () => response.destroy());
  const [isOfUse, events] = await reading(room);
  assert.equal([isOfUse, events.length], [true, 1]);
});

for (const [what, answer] of [
  ['what is no JSON', sends('data: hello\n\n')],
  ['a line without an end', sends('x'.repeat(5 * 1024 * 1024))],
  ['nothing at all, which a proxy may hold back', (response: ServerResponse) => response.flushHeaders()],
] as const) {
  test(`a stream of ${what} is of no use`, async (room) => {
    room.answer = answer;
    const [isOfUse, events] = await reading(room, { firstMs: 20, laterMs: 60_000 });
    assert.equal([isOfUse, events.length], [false, 0]);
  });
}

test('a stream that falls silent is broken', async (room) => {
  room.answer = (response) => response.write(': \n\n');
  const [isOfUse, events] = await reading(room, { firstMs: 60_000, laterMs: 20 });
  assert.equal([isOfUse, events.length], [true, 0]);
});

test.run();
