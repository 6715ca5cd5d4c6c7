import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AccountEvents } from '../../daemon/actions/account-events.js';
import { apply } from '../../daemon/jobs/changes.js';
import { jobProgress } from '../../daemon/jobs/progress.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { isVencError } from '../../src/shared/errors.js';
import type { JobChangesRecord } from '../../src/shared/records.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  store: JobStore;
  progressTracker: ProgressTracker;
  events: AccountEvents;
  computed: number;
  isPaused: boolean;
  notifyQueue: () => void;
  create: (count: number) => Promise<readonly number[]>;
  run: (id: number) => Promise<void>;
  cancel: (id: number) => Promise<unknown>;
}

const test = suite<Context>('events of all jobs of an account');
const account = 'anna';
const own = { followed: { accountId: account, hasAccount: false, only: null }, logOf: null } as const;

test.before.each(async (context) => {
  const store = await openJobStore(tempFolder(), { log: () => {} });
  const progressTracker = new ProgressTracker();
  Object.assign(context, { store, progressTracker, computed: 0, isPaused: false });
  context.events = new AccountEvents({
    ...{ store, progressTracker, minIntervalMs: 20 },
    logs: { read: async () => [] },
    logEvents: { subscribe: async () => null },
    view: (job, progress) => {
      context.computed += 1;
      return jobProgress(job, progress);
    },
    nameOf: (id) => id,
    readQueue: () => ({ paused: context.isPaused, frozen: false, reason: null, until: null }),
    watchQueue: (listener) => {
      context.notifyQueue = listener;
      return () => {};
    },
  });
  context.create = async (count) => {
    const created = Array.from({ length: count }, () => store.create(sampleDraft(1, account)));
    return (await Promise.all(created)).map(({ id }) => id);
  };
  context.run = async (id) => {
    await store.update(id, (job) => apply(job, { type: 'claimed', token: 'a token' }, new Date(0)));
    progressTracker.start(id);
  };
  context.cancel = (id) => store.update(id, (job) => apply(job, { type: 'cancelled' }, new Date(0)));
});
test.after.each(async ({ store, events }) => {
  events.close();
  await store.close();
});

type OwnFeed = Awaited<ReturnType<AccountEvents['subscribe']>>;

async function next(feed: OwnFeed): Promise<JobChangesRecord> {
  const item = await feed.next();
  if (item === null || item === 'heartbeat') throw new Error(`no event, but ${item}`);
  return JSON.parse(item.json) as JobChangesRecord;
}

const subscribe = ({ events }: Context, lastEventId: string | null = null) =>
  events.subscribe({ ...own, lastEventId });
const idsOf = ({ jobs }: JobChangesRecord) => jobs.map(({ id }) => id);
const note = ({ progressTracker }: Context, id: number, percent: number) =>
  progressTracker.update(id, id + 1, { event: 'downloading', percent, overallPercent: percent });

test('the first event has at most 1,000 active jobs, those that run first, and the number of the others', async (context) => {
  const ids = await context.create(1200);
  const oldest = Math.min(...ids);
  await context.run(oldest);
  const feed = await subscribe(context);
  const first = await next(feed);
  assert.equal([first.jobs.length, first.more, first.active], [1000, 200, true]);
  assert.equal(idsOf(first).slice(0, 2), [oldest, Math.max(...ids)]);
  // A job that was left out is followed all the same.
  const left = ids.find((id) => !idsOf(first).includes(id)) ?? 0;
  await context.run(left);
  assert.equal(idsOf(await next(feed)), [left]);
  note(context, left, 12);
  assert.is((await next(feed)).jobs[0]?.input.progress, 12);
  feed.cancel();
});

test('a change is computed once for all subscribers, and nothing without any', async (context) => {
  const [id = 0] = await context.create(3);
  await context.run(id);
  note(context, id, 1);
  assert.is(context.computed, 0);
  const feeds = await Promise.all(Array.from({ length: 50 }, () => subscribe(context)));
  for (const feed of feeds) await next(feed);
  const before = context.computed;
  assert.is(before, 3);
  note(context, id, 2);
  note(context, id, 3);
  const events = await Promise.all(feeds.map((feed) => feed.next()));
  assert.is(new Set(events).size, 1, 'one object');
  assert.is(context.computed, before + 1);
  for (const feed of feeds) feed.cancel();
  assert.is(context.events.listenerCount, 0);
  note(context, id, 4);
  await context.cancel(id);
  assert.is(context.computed, before + 1);
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'), 'no timer is left');
});

test('a slow reader gets one event with the newest state of each job', async (context) => {
  const [one = 0, other = 0] = await context.create(2);
  await context.run(one);
  const [slow, fast] = [await subscribe(context), await subscribe(context)];
  await next(fast);
  for (let percent = 1; percent <= 5; percent += 1) {
    note(context, one, percent);
    await next(fast);
  }
  await context.cancel(other);
  await next(fast);
  await context.store.remove(other);
  await next(fast);
  const only = await next(slow);
  assert.equal(
    only.jobs.map(({ id, input }) => [id, input.progress]),
    [[one, 5]],
  );
  assert.equal([only.active, only.removed], [true, [other]]);
  slow.cancel();
  fast.cancel();
});

test('a slow reader that misses too much is ended, and continues after its last event', async (context) => {
  const feed = await subscribe(context);
  const item = await feed.next();
  let count = 0;
  while (context.events.listenerCount > 0) {
    count += (await context.create(500)).length;
    assert.ok(count < 20_000, 'it is ended');
  }
  const last = await next(feed);
  assert.ok(last.jobs.length <= 2000);
  assert.is(await feed.next(), null);
  const again = await subscribe(context, item === null || item === 'heartbeat' ? '' : item.id);
  const first = await next(again);
  assert.equal([first.reset, first.active, first.jobs.length], [true, true, 1000]);
  assert.is((first.more ?? 0) + 1000, count);
  again.cancel();
});

test('a large change is sent in parts, and the id covers only what was sent', async (context) => {
  const feed = await subscribe(context);
  await next(feed);
  await context.create(1500);
  const seen = new Set<number>();
  while (seen.size < 1500) {
    const item = await feed.next();
    if (item === null || item === 'heartbeat') throw new Error('no event');
    const { jobs } = JSON.parse(item.json) as JobChangesRecord;
    for (const { id } of jobs) seen.add(id);
    if (seen.size === 1500) continue;
    const changes = await context.store.changesSince(item.id, account);
    const unsent = 1500 - seen.size;
    assert.ok((changes?.changed.filter((id) => !seen.has(id)).length ?? unsent) === unsent);
  }
  feed.cancel();
});

test('jobs of a paused queue are sent again, once', async (context) => {
  const ids = await context.create(2);
  const feed = await subscribe(context);
  assert.is((await next(feed)).queue?.paused, false);
  context.isPaused = true;
  context.notifyQueue();
  const paused = await next(feed);
  assert.is(paused.queue?.paused, true);
  // Their records are the same here.
  assert.equal(paused.jobs, []);
  const second = await subscribe(context);
  const first = await next(second);
  assert.equal([first.queue?.paused, idsOf(first).sort()], [true, [...ids].sort()]);
  feed.cancel();
  second.cancel();
});

test('no one subscribes after the close', async (context) => {
  const feed = await subscribe(context);
  await next(feed);
  context.events.close();
  assert.is(await feed.next(), null);
  const error = await subscribe(context).catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'UnavailableError'));
});

test.run();
