import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Feed, type StreamEvent } from '../../daemon/actions/event-hub.js';
import { selectLines } from '../../daemon/actions/log-events.js';
import type { LogRecord } from '../../src/shared/records.js';
import type { LogLevel } from '../../src/shared/util/log.js';

const line = (id: number, level: LogLevel = 'info'): LogRecord => ({
  id: String(id),
  time: '2026-03-01T12:00:00.000Z',
  level,
  message: `line ${id}`,
});

const event = (id: number): StreamEvent => ({ id: String(id), json: '{}' });

async function idsOf(feed: Feed<StreamEvent>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const item = await feed.next();
    if (item === null) break;
    ids.push(item === 'heartbeat' ? item : item.id);
  }
  return ids;
}

test('events that arrive while the earlier ones are read come after them, each once', async () => {
  const feed = new Feed({ onEnd: () => {} });
  feed.push(event(2));
  feed.push(event(3));
  feed.replay([event(1), event(2)]);
  feed.push(event(4));
  assert.equal(await idsOf(feed, 4), ['1', '2', '3', '4']);
});

test('events that are not accepted are left out, and a heartbeat is sent only if there is no event', async () => {
  const feed = new Feed({ accepts: ({ id }) => id !== '1', onEnd: () => {} });
  feed.replay([]);
  for (const id of [1, 4, 5]) feed.push(event(id));
  feed.pushHeartbeat();
  assert.equal(await idsOf(feed, 2), ['4', '5']);
  feed.pushHeartbeat();
  assert.equal(await idsOf(feed, 1), ['heartbeat']);
});

test('a reader that is too slow gets what waits for it, and then the end', async () => {
  let ends = 0;
  const feed = new Feed({
    onEnd: () => {
      ends += 1;
    },
  });
  feed.replay([]);
  for (let id = 1; id <= 5000; id += 1) feed.push(event(id));
  const ids = await idsOf(feed, 5000);
  assert.is(ids.length, 2000);
  assert.is(ids.at(-1), '2000');
  assert.is(await feed.next(), null);
  assert.is(ends, 1);
});

test('a cancelled feed ends at once', async () => {
  const feed = new Feed({ onEnd: () => {} });
  feed.replay([event(1)]);
  feed.cancel();
  assert.is(await feed.next(), null);
});

test('a stream continues after its last line, by position, and by number if that line is gone', () => {
  // The clock was set back after 900.
  const lines = [line(100), line(900), line(200), line(300)];
  const after = (id: string) => selectLines(lines, { level: 'info', tail: 1 }, id).map((one) => one.id);
  assert.equal(after('900'), ['200', '300']);
  assert.equal(after('300'), []);
  assert.equal(after('150'), ['900', '200', '300']);
  assert.equal(
    selectLines(lines, { level: 'info', tail: 3 }, null).map((one) => one.id),
    ['900', '200', '300'],
  );
});

test.run();
