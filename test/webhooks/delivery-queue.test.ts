import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  DeliveryQueue,
  maxConcurrent,
  maxConcurrentPerEndpoint,
  maxConcurrentPerOrigin,
  type QueuedNotification,
} from '../../daemon/webhooks/delivery-queue.js';

const notification = (id: string, jobId: number, origin = 'a', dueMs = 0): QueuedNotification => ({
  id,
  jobId,
  origin,
  endpoint: origin,
  dueMs,
});
const notificationAt = (endpoint: string, id: string, jobId: number): QueuedNotification => ({
  ...notification(id, jobId),
  endpoint,
});

/** A queue with these notifications, in this order. */
function queueOf(...notifications: readonly QueuedNotification[]): DeliveryQueue {
  const line = new DeliveryQueue();
  for (const one of notifications) line.add(one);
  return line;
}

/** All notifications that may be sent at a moment. */
function takeAll(line: DeliveryQueue, nowMs = 0): readonly QueuedNotification[] {
  const taken: QueuedNotification[] = [];
  for (let next = line.next(nowMs); next !== null; next = line.next(nowMs)) taken.push(next);
  return taken;
}

const idsOf = (notifications: readonly QueuedNotification[]) => notifications.map(({ id }) => id);

test('notifications are sent in order of due time; equal due times keep their order of arrival', () => {
  const due = [30, 10, 20, 10, 0, 30].map((dueMs, index) =>
    notification(`n${index}`, index, `o${index}`, dueMs),
  );
  const line = queueOf(...due);
  assert.equal(idsOf(takeAll(line, 5)), ['n4']);
  assert.is(line.nextDueMs(), 10);
  assert.equal(idsOf(takeAll(line, 20)), ['n1', 'n3', 'n2']);
  assert.equal(idsOf(takeAll(line, 30)), ['n0', 'n5']);
  assert.is(line.nextDueMs(), null);
});

test('each endpoint has its own limit and takes no slots from another', () => {
  const line = queueOf(
    ...Array.from({ length: 9 }, (_, index) => notification(`a${index}`, index)),
    notification('b', 100, 'b'),
  );
  const taken = takeAll(line);
  assert.equal(idsOf(taken), ['a0', 'b', 'a1']);
  assert.is(maxConcurrentPerEndpoint, 2);
  const [first] = taken;
  assert.ok(first !== undefined);
  line.release(first, null);
  assert.equal(idsOf(takeAll(line)), ['a2']);
});

test('notifications of one job are sent to one endpoint one after the other, and do not delay others', () => {
  const line = queueOf(
    notification('a1', 1),
    notification('a2', 1),
    notification('a3', 1),
    notification('b', 2),
    notification('c', 1, 'c'),
  );
  const [first, ...others] = takeAll(line);
  assert.equal([first?.id, idsOf(others)], ['a1', ['c', 'b']]);
  assert.ok(first !== undefined);
  line.release(first, null);
  assert.equal(idsOf(takeAll(line)), ['a2']);
});

test('an endpoint that hangs does not delay another one at its origin', () => {
  const hanging = Array.from({ length: 9 }, (_, index) => notificationAt('a/hang', `hang${index}`, index));
  const line = queueOf(...hanging, notificationAt('a/fine', 'fine', 100));
  assert.equal(idsOf(takeAll(line)), ['hang0', 'fine', 'hang1']);
});

test('an origin has a limit, however many endpoints it has', () => {
  const many = Array.from({ length: maxConcurrentPerOrigin + 3 }, (_, index) =>
    notificationAt(`a/${index}`, `a${index}`, index),
  );
  const line = queueOf(...many, notification('b', 100, 'b'));
  const taken = takeAll(line);
  assert.equal([taken.length, taken.at(-1)?.id], [maxConcurrentPerOrigin + 1, 'b']);
  for (const one of taken) line.release(one, null);
  assert.is(takeAll(line).length, 3);
});

test('notifications of one job are sent to endpoints at one origin one after the other', () => {
  const line = queueOf(notificationAt('a/output', 'output', 1), notificationAt('a/job', 'job', 1));
  const [first, ...others] = takeAll(line);
  assert.equal([first?.id, others], ['output', []]);
  assert.ok(first !== undefined);
  line.release(first, 100);
  assert.equal(idsOf(takeAll(line)), ['job']);
});

test('the total in flight is limited, and endpoints are served in turn', () => {
  const origins = Array.from({ length: maxConcurrent }, (_, index) => `o${index}`);
  const line = queueOf(
    ...origins.flatMap((origin, index) =>
      [1, 2, 3].map((n) => notification(`${origin}-${n}`, index * 3 + n, origin)),
    ),
  );
  const taken = takeAll(line);
  assert.equal(
    idsOf(taken),
    origins.map((origin) => `${origin}-1`),
  );
  for (const one of taken) line.release(one, null);
  assert.equal(
    idsOf(takeAll(line)),
    origins.map((origin) => `${origin}-2`),
  );
});

test('a notification that is released with a due time is queued again, and one without is dropped', () => {
  const line = queueOf(notification('a', 1), notification('b', 2));
  for (const one of takeAll(line)) line.release(one, one.id === 'a' ? 100 : null);
  assert.equal([line.nextDueMs(), takeAll(line, 99)], [100, []]);
  assert.equal(takeAll(line, 100), [notification('a', 1, 'a', 100)]);
});

test('a known notification is not queued twice, in flight or not', () => {
  const line = queueOf(notification('a', 1), notification('a', 1, 'a', 50));
  assert.is(line.nextDueMs(), 0);
  const taken = takeAll(line);
  line.add(notification('a', 1));
  assert.equal([idsOf(taken), takeAll(line)], [['a'], []]);
});

test('a withdrawn notification is never sent, from any state', () => {
  const line = queueOf(
    notification('a', 1),
    notification('b', 1),
    notification('c', 1, 'a', 10),
    notification('d', 1, 'a', 20),
  );
  const [first] = takeAll(line);
  for (const id of ['a', 'b', 'c', 'nobody']) line.remove(id);
  assert.ok(first !== undefined);
  line.release(first, 30);
  assert.equal(idsOf(takeAll(line, 1_000)), ['d']);
});

test('a notification that is withdrawn and added again is sent once', () => {
  const line = queueOf(notification('a', 1, 'a', 5));
  line.remove('a');
  line.add(notification('a', 1, 'a', 7));
  assert.equal(takeAll(line, 100), [notification('a', 1, 'a', 7)]);
});

test('twenty thousand notifications can be queued and sent', () => {
  const line = new DeliveryQueue();
  const count = 20_000;
  for (let index = 0; index < count; index += 1) {
    line.add(notification(`n${index}`, index, `o${index % 7}`, (index * 7919) % count));
  }
  let gone = 0;
  for (let next = line.next(count); next !== null; next = line.next(count)) {
    line.release(next, null);
    gone += 1;
  }
  assert.is(gone, count);
});

test.run();
