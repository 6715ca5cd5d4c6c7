import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greatestToOne } from '../../daemon/webhooks/delivery-queue.js';
import { type ReceiverAnswer, startReceiver } from '../helpers/servers/receiver.js';
import { until } from '../helpers/until.js';
import { noneIsDue, notifyRoom, secret, verified, withRoom } from './webhook-harness.js';

const hang: ReceiverAnswer = () => {};

test('a notice that nobody takes is tried twenty times, after 2 seconds, 4, 8 and so on, under one id', async () => {
  await withRoom(
    async (room, receiver) => {
      room.open();
      const { id } = await room.start([{ url: receiver.url('/') }], [undefined]);
      const ended = await room.change(id, { type: 'cancelled' });
      await until('it is given up', () => noneIsDue(room));
      assert.is(receiver.received.length, 20);
      assert.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
      const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
      assert.equal(
        times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0))),
        Array.from({ length: 19 }, (_, index) => 2 ** (index + 1)),
      );
      assert.match(
        room.logLines.at(-1) ?? '',
        /^error Gave up notice msg_.* after attempt 20: .* answered 503\.$/,
      );
      assert.equal({ ...(await room.store.get(id)), notices: [] }, { ...ended, notices: [] });
    },
    (response) => response.writeHead(503).end(),
  );
});

test('a notice that was not taken at first is taken later, and then never sent again', async () => {
  const answers = [500, 302, 404, 200];
  await withRoom(
    async (room, receiver) => {
      room.open();
      const { id } = await room.start([{ url: receiver.url('/') }], [undefined]);
      await room.change(id, { type: 'cancelled' });
      await until('it is taken', () => noneIsDue(room));
      assert.is(receiver.received.length, answers.length);
      assert.equal(
        room.logLines.map((line) => line.replace(/ notice.*?(\(attempt|\.$)/, ' $1').replace(/,.*?\)/, ')')),
        [
          `warn Could not deliver (attempt 1 of 20): 127.0.0.1:${receiver.port} answered 500.`,
          `warn Could not deliver (attempt 2 of 20): 127.0.0.1:${receiver.port} redirects elsewhere (302), which is not followed.`,
          `warn Could not deliver (attempt 3 of 20): 127.0.0.1:${receiver.port} answered 404.`,
          'info Delivered .',
        ],
      );
    },
    (response, _, count) => response.writeHead(answers[count - 1] ?? 500, { location: '/b' }).end(),
  );
});

test('a receiver that hangs gets two at once, and delays neither jobs nor other receivers', async () => {
  await withRoom(async (room, hanging) => {
    room.open();
    const receiver = await startReceiver();
    const both = [{ url: hanging.url('/') }, { url: receiver.url('/') }];
    for (let count = 1; count <= 5; count += 1) {
      const { id } = await room.start(both, [undefined]);
      await room.change(id, { type: 'cancelled' });
    }
    await until('all are told to the other', () => receiver.received.length === 5);
    await until('the first are on their way', () => hanging.received.length === greatestToOne);
    assert.is(hanging.open.most, greatestToOne);
    await receiver.close();
  }, hang);
});

test('a receiver that hangs is tried again when the time for an attempt is up', async () => {
  await withRoom(
    async (room, receiver) => {
      room.open({ timeoutMs: 50 });
      const { id } = await room.start([{ url: receiver.url('/') }], [undefined]);
      await room.change(id, { type: 'cancelled' });
      await until('it is told', () => noneIsDue(room));
      assert.is(receiver.received.length, 2);
      assert.match(room.logLines[0] ?? '', 'did not answer within 0.05 seconds');
    },
    (response, _, count) => {
      if (count > 1) response.end();
    },
  );
});

test('a receiver that refuses connections is told when it takes them again', async () => {
  const room = await notifyRoom();
  const gone = await startReceiver();
  await gone.close();
  // The clock stands still until the receiver is there.
  let wakeUp = (): void => {};
  room.open({
    alarm: (_, wake) => {
      wakeUp = wake;
      return () => {};
    },
    now: () => new Date(Date.now() + room.logLines.length * 10_000),
  });
  const { id } = await room.start([{ url: gone.url('/') }], [undefined]);
  await room.change(id, { type: 'cancelled' });
  await until('it was refused', () => room.logLines.length === 1);
  assert.match(room.logLines[0] ?? '', 'refused the connection');
  const receiver = await startReceiver(undefined, gone.port);
  wakeUp();
  await until('it is told', () => noneIsDue(room));
  assert.is(receiver.received.length, 1);
  await room.close();
  await receiver.close();
});

test('an end of the deliverer takes no time and leaves what was under way due; the next one sends it under the same id', async () => {
  await withRoom(
    async (room, receiver) => {
      const first = room.open();
      const url = receiver.url('/');
      const { id } = await room.start([{ url }], [[{ url }]]);
      await room.change(id, { type: 'cancelled' });
      await until('the first is on its way', () => receiver.received.length === 1);
      await first.close();
      assert.is((await room.store.get(id))?.notices.length, 2);
      assert.equal((await room.store.get(id))?.notices[0]?.attempts, 0);
      room.open();
      await until('both are told', () => noneIsDue(room));
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal([ids.length, ids[0], new Set(ids).size], [3, ids[1], 2]);
    },
    (response, _, count) => {
      if (count > 1) response.end();
    },
  );
});

test('a job whose account is gone keeps its notices until it is back', async () => {
  await withRoom(async (room, receiver) => {
    let asked = 0;
    room.open({
      secretOf: () => {
        asked += 1;
        return asked > 2 ? secret : null;
      },
    });
    const { id } = await room.start([{ url: receiver.url('/') }], [undefined]);
    await room.change(id, { type: 'cancelled' });
    await until('it is told', () => noneIsDue(room));
    const refused = room.logLines.filter((line) => line.startsWith('warn '));
    assert.is(refused.length, 2, room.logLines.join('\n'));
    assert.ok(refused.every((line) => line.includes('no such account')));
    assert.equal(receiver.received.map(verified).length, 1);
  });
});

test('a notice that cannot be kept as told for want of room is kept when there is some, and sent once', async () => {
  let strike = (): void => {};
  await withRoom(
    async (room, receiver) => {
      room.open();
      const { id } = await room.start([{ url: receiver.url('/') }], [undefined]);
      strike = () => room.faults.noRoomAt(1);
      await room.change(id, { type: 'cancelled' });
      await until('it is told and kept', () => noneIsDue(room));
      assert.ok(room.faults.hasStruck);
      assert.is(receiver.received.length, 1);
    },
    (response) => {
      strike();
      response.end();
    },
  );
});

test.run();
