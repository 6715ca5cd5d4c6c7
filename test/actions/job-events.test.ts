import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Feed } from '../../daemon/actions/event-hub.js';
import type { JobProgressEvent } from '../../daemon/actions/job-events.js';
import { jobProgress } from '../../daemon/jobs/progress.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { EventHarness, type EventIntervals } from '../helpers/event-harness.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { tempFolder } from '../helpers/temp.js';
import { settleEventLoop, waitUntil } from '../helpers/wait-until.js';

const test = suite<{
  store: JobStore;
  harnesses: EventHarness[];
  harness: (times?: EventIntervals) => Promise<EventHarness>;
}>('events of jobs');

test.before.each(async (context) => {
  const store = await openJobStore(tempFolder(), { log: () => {} });
  context.store = store;
  context.harnesses = [];
  context.harness = async (times = { minIntervalMs: 0 }) => {
    const harness = new EventHarness(store, (await store.create(sampleDraft(2))).id, times);
    context.harnesses.push(harness);
    return harness;
  };
});
test.after.each(async ({ store, harnesses }) => {
  for (const { events } of harnesses) events.close();
  await store.close();
});

async function nextEvent(feed: Feed<JobProgressEvent>): Promise<JobProgressEvent> {
  const item = await feed.next();
  if (item === null || item === 'heartbeat') throw new Error(`no event, but ${item}`);
  return item;
}

/** Whether a feed stays silent until the next change. */
async function isIdle(feed: Feed<JobProgressEvent>): Promise<boolean> {
  let hasEvent = false;
  void feed.next().then(() => {
    hasEvent = true;
  });
  await settleEventLoop(async () => {});
  return !hasEvent;
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('a feed starts with the current state, emits changes, and ends after a final state', async ({
  harness,
}) => {
  const here = await harness();
  const feed = await here.subscribe();
  const states: string[] = [];
  const first = await nextEvent(feed);
  assert.equal(JSON.parse(first.json), first.record);
  assert.equal(first.record, jobProgress(await here.read(), new Map()));
  await here.run();
  states.push((await nextEvent(feed)).record.input.state);
  here.note(40);
  states.push(String((await nextEvent(feed)).record.input.progress));
  await here.change({ type: 'cancelled' });
  states.push((await nextEvent(feed)).record.state);
  assert.equal(states, ['assigning', '40', 'cancelled']);
  assert.is(await feed.next(), null);
  assert.is(here.events.listenerCount, 0);
});

test('the id of an event identifies its content', async ({ harness }) => {
  const here = await harness();
  const feed = await here.subscribe();
  const ids: string[] = [];
  const collectId = async () => void ids.push((await nextEvent(feed)).id);
  await collectId();
  await here.run();
  await collectId();
  here.note(40);
  await collectId();
  here.progressTracker.start(here.id);
  await collectId();
  assert.is(new Set(ids).size, 3);
  assert.is(ids[1], ids[3]);
  assert.ok(ids.every((id) => /^[\w-]{16}$/.test(id)));
});

test('a change that does not affect progress emits no event', async ({ harness }) => {
  const here = await harness();
  await here.run();
  here.note(40);
  const feed = await here.subscribe();
  await nextEvent(feed);
  here.note(40);
  await here.store.update(here.id, (job) => ({ ...job, passThrough: 'something else' }));
  assert.ok(await isIdle(feed));
});

test('a thousand subscribers cost one computation per change', async ({ harness }) => {
  const here = await harness();
  const feeds = await Promise.all(Array.from({ length: 1000 }, () => here.subscribe()));
  const first = await Promise.all(feeds.map(nextEvent));
  assert.is(here.computed, 1);
  assert.ok(
    first.every((event) => event === first[0]),
    'all receive the same event object',
  );
  await here.run();
  const before = here.computed;
  here.note(1);
  here.note(2);
  assert.is(here.computed, before + 2);
  await here.change({ type: 'cancelled' });
  assert.is(here.computed, before + 3);
  const last = await Promise.all(feeds.map(nextEvent));
  assert.ok(last.every(({ record }) => record.state === 'cancelled'));
  assert.is(here.events.listenerCount, 0);
});

test('rapid changes are batched into one event, and a final state is sent at once', async ({ harness }) => {
  const here = await harness({ minIntervalMs: 60_000 });
  await here.run();
  const feed = await here.subscribe();
  await nextEvent(feed);
  for (let percent = 0; percent < 100; percent += 1) here.note(percent);
  assert.is(here.computed, 1);
  await here.change({ type: 'cancelled' });
  assert.is((await nextEvent(feed)).record.state, 'cancelled');
  assert.is(here.computed, 2);
});

test('one update of several files emits one event, even if it is the first in a while', async ({
  harness,
}) => {
  const here = await harness({ minIntervalMs: 1 });
  await here.run();
  const feed = await here.subscribe();
  await nextEvent(feed);
  const before = here.computed;
  await new Promise((resolve) => setTimeout(resolve, 5));
  here.note(10);
  here.note(20);
  assert.is((await nextEvent(feed)).record.input.progress, 20);
  assert.is(here.computed, before + 1);
});

test('the latest of many changes always arrives', async ({ harness }) => {
  const here = await harness({ minIntervalMs: 5 });
  await here.run();
  const feed = await here.subscribe();
  for (let percent = 0; percent <= 77; percent += 1) here.note(percent);
  let progress = 0;
  while (progress !== 77) progress = (await nextEvent(feed)).record.input.progress;
  assert.ok(here.computed <= 3, `computed ${here.computed} times`);
});

test('a slow reader gets only the latest event', async ({ harness }) => {
  const here = await harness();
  await here.run();
  const feed = await here.subscribe();
  for (let percent = 0; percent <= 50; percent += 1) here.note(percent);
  assert.is((await nextEvent(feed)).record.input.progress, 50);
  assert.ok(await isIdle(feed));
});

test('an event that the subscriber already has is not sent again', async ({ harness }) => {
  const here = await harness();
  const { id } = await nextEvent(await here.subscribe());
  const feed = await here.subscribe(id);
  assert.not(feed.isDone);
  await here.run();
  assert.is((await nextEvent(feed)).record.input.state, 'assigning');
  await here.change({ type: 'cancelled' });
  const last = await nextEvent(await here.subscribe(id));
  assert.is(last.record.state, 'cancelled');
  const done = await here.subscribe(last.id);
  assert.ok(done.isDone);
  assert.is(await done.next(), null);
});

test('a subscriber that missed the end of a job keeps following after a resubmit', async ({ harness }) => {
  const here = await harness();
  await here.run();
  const feed = await here.subscribe();
  const quick = await here.subscribe();
  await here.change({ type: 'cancelled' });
  await nextEvent(quick);
  await here.change({ type: 'resubmitted' });
  assert.is((await nextEvent(feed)).record.state, 'waiting');
  assert.is(await quick.next(), null);
  assert.is(here.events.listenerCount, 1);
});

test('an unsubscribed listener is removed, and nothing is computed without subscribers', async ({
  harness,
}) => {
  const here = await harness();
  await here.run();
  const feed = await here.subscribe();
  feed.cancel();
  feed.cancel();
  assert.is(await feed.next(), null);
  const { computed } = here;
  here.note(10);
  await here.change({ type: 'cancelled' });
  assert.equal([here.events.listenerCount, here.computed], [0, computed]);
});

test('no timer runs without subscribers', async ({ harness }) => {
  const before = timers();
  const here = await harness({});
  await here.run();
  assert.is(timers(), before);
  const feed = await here.subscribe();
  here.note(10);
  assert.ok(timers() > before);
  feed.cancel();
  assert.is(timers(), before);
});

test('a keep-alive is sent if nothing happens', async ({ harness }) => {
  const here = await harness({ heartbeatMs: 1 });
  const feed = await here.subscribe();
  await nextEvent(feed);
  assert.equal([await feed.next(), await feed.next()], ['heartbeat', 'heartbeat']);
  feed.cancel();
});

test('a change during the read of a job is not lost', async ({ harness }) => {
  const here = await harness();
  const feed = await here.events.subscribe(here.id, async () => {
    const old = await here.read();
    await here.run();
    return old;
  });
  assert.is((await nextEvent(feed)).record.state, 'processing');
});

test('a job that cannot be read leaves no subscription', async ({ harness }) => {
  const here = await harness();
  const missing = () => Promise.reject(new VencError('NotFoundError', 'There is none.'));
  const before = timers();
  const errors = await Promise.all(
    [1, 2].map(() => here.events.subscribe(999, missing).catch((error: unknown) => error)),
  );
  assert.ok(errors.every((error) => isVencError(error, 'NotFoundError')));
  assert.equal([here.events.listenerCount, timers()], [0, before]);
});

test('close ends every feed and rejects new subscribers', async ({ harness }) => {
  const before = timers();
  const here = await harness();
  const read = await here.subscribe();
  const unread = await here.subscribe();
  await nextEvent(read);
  const waiting = read.next();
  here.events.close();
  assert.is(await waiting, null);
  await nextEvent(unread);
  assert.is(await unread.next(), null);
  assert.equal([here.events.listenerCount, timers()], [0, before]);
  const rejection = await here.subscribe().catch((error: unknown) => error);
  assert.ok(isVencError(rejection, 'UnavailableError'));
});

test('a close during the read of a job rejects its subscriber', async ({ harness }) => {
  const here = await harness();
  const rejection = await here.events
    .subscribe(here.id, async () => {
      here.events.close();
      return here.read();
    })
    .catch((error: unknown) => error);
  assert.ok(isVencError(rejection, 'UnavailableError'));
  await waitUntil('nobody is left', () => here.events.listenerCount === 0);
});

test.run();
