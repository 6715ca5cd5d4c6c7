import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import { createClient } from '../../src/client/client.js';
import { type FollowOptions, follow } from '../../src/client/follow.js';
import type { FollowEvent } from '../../src/client/follow-context.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';
import { waitUntil } from '../helpers/wait-until.js';

/** A daemon behind a proxy that counts requests and can cut connections. */
interface Context {
  served: ServedContext;
  proxy: CountingProxy;
}

class CountingProxy {
  readonly paths: string[] = [];
  #target: string;
  /** What the stream of all jobs is answered with, instead of by the daemon. */
  eventText: string | null = null;
  readonly #server = createServer((incoming, outgoing) => {
    this.paths.push((incoming.url ?? '').replace(/\?.*/, ''));
    const { method = 'GET', headers, url = '' } = incoming;
    if (this.eventText !== null && url.startsWith('/v2/events')) {
      outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(this.eventText);
      return;
    }
    const forwarded = sendRequest(`${this.#target}${url}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });

  constructor(target: string) {
    this.#target = target;
  }

  set target(url: string) {
    this.#target = url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get eventPaths(): readonly string[] {
    return this.paths.filter((path) => path.endsWith('/events'));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  cut(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const test = suite<Context>('following all jobs over one connection');
const limits = { minIntervalMs: 5, maxIntervalMs: 50, minRequestGapMs: 1 };

test.before.each(async (context) => {
  context.served = await serveContext();
  context.proxy = new CountingProxy(context.served.url);
  await context.proxy.listen();
});
test.after.each(async ({ served, proxy }) => {
  await proxy.close();
  await served.close();
});

async function create({ appContext: { store } }: ServedContext, count: number): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await store.create(sampleDraft(2, 'default'))).id);
  return ids;
}

async function run({ appContext: { store, progressTracker } }: ServedContext, id: number): Promise<void> {
  await store.update(id, (job) => apply(job, { type: 'claimed', token: 'a token' }, new Date(0)));
  progressTracker.start(id);
}

const cancel = ({ appContext: { store } }: ServedContext, id: number): Promise<Job> =>
  store.update(id, (job) => apply(job, { type: 'cancelled' }, new Date(0)));

/** Follows jobs and collects the events. */
function collect({ served, proxy }: Context, ids: readonly number[], options: FollowOptions = {}) {
  const stop = new AbortController();
  const events: FollowEvent[] = [];
  const client = createClient({ url: proxy.url, apiKey: served.key });
  const ended = (async () => {
    for await (const event of follow(client, ids, { limits, signal: stop.signal, ...options }))
      events.push(event);
  })();
  const end = async () => {
    stop.abort();
    await ended.catch(() => undefined);
  };
  return {
    events,
    ended,
    end,
    lines: () => events.map(lineOf),
    until: (line: string) => waitUntil(line, () => events.map(lineOf).includes(line)),
  };
}

function lineOf(event: FollowEvent): string {
  if (event.type === 'progress') return `${event.job.id} ${event.job.state} ${event.job.progress}`;
  if (event.type === 'final') return `${event.job.id} is ${event.job.state}`;
  if (event.type === 'found') return `found ${event.jobs.map(({ id }) => id).join(' ') || 'none'}`;
  if (event.type === 'queue') return event.pause === null ? 'resumed' : 'paused';
  return event.type === 'rejected' ? `${event.id} rejected` : event.type;
}

test('thirty jobs take one connection, and no request until one ends', async (context) => {
  const { served, proxy } = context;
  const ids = await create(served, 30);
  for (const id of ids) await run(served, id);
  const following = collect(context, [], { discovery: 'always' });
  await following.until(`found ${ids.join(' ')}`);
  await waitUntil('all have progress', () =>
    ids.every((id) => following.lines().some((line) => line.startsWith(`${id} processing`))),
  );
  assert.equal([...proxy.paths].sort(), ['/v2/events', '/v2/jobs.json']);
  const [first = 0] = ids;
  served.appContext.progressTracker.update(first, first + 1, {
    event: 'downloading',
    percent: 50,
    overallPercent: 50,
  });
  await waitUntil('the progress', () =>
    following.events.some((event) => event.type === 'progress' && event.job.input.progress === 50),
  );
  assert.is(proxy.paths.length, 2);
  await cancel(served, first);
  await following.until(`${first} is cancelled`);
  assert.equal(proxy.paths.slice(2), [`/v2/jobs/${first}.json`]);
  await following.end();
  await waitUntil('the stream is closed', () => served.appContext.accountEvents.listenerCount === 0);
});

test('new jobs, short jobs and jobs that are run again are found', async (context) => {
  const { served } = context;
  const [old = 0] = await create(served, 1);
  await cancel(served, old);
  const following = collect(context, [], { discovery: 'always' });
  await following.until('found none');
  const [next = 0] = await create(served, 1);
  await following.until(`found ${next}`);
  await following.until(`${next} waiting 0`);
  const [short = 0] = await create(served, 1);
  await cancel(served, short);
  await following.until(`${short} is cancelled`);
  assert.ok(following.lines().includes(`found ${short}`));
  await served.request(`/v2/jobs/${old}/resubmit`, { method: 'PUT' });
  await following.until(`found ${old}`);
  const many = await create(served, 12);
  await waitUntil('all are found', () =>
    many.every((id) => following.lines().some((line) => line.startsWith(`${id} waiting`))),
  );
  await cancel(served, next);
  await following.until(`${next} is cancelled`);
  assert.is(following.lines().filter((line) => line === `${next} is cancelled`).length, 1);
  await following.end();
});

test('several jobs are followed to their end, also those that ended before or do not exist', async (context) => {
  const { served, proxy } = context;
  const [ended = 0, one = 0, other = 0, foreign = 0] = await create(served, 4);
  await cancel(served, ended);
  const following = collect(context, [ended, one, other, 999_999]);
  await following.until(`${ended} is cancelled`);
  await following.until('999999 rejected');
  await following.until(`${other} waiting 0`);
  await run(served, one);
  await following.until(`${one} processing 0`);
  await run(served, foreign);
  await cancel(served, one);
  await cancel(served, other);
  await following.ended;
  assert.equal(proxy.eventPaths, ['/v2/events']);
  assert.not.ok(following.lines().some((line) => line.startsWith(`${foreign} `)));
  for (const id of [one, other]) assert.ok(following.lines().includes(`${id} is cancelled`));
});

test('a broken connection is resumed, and what changed meanwhile is reported', async (context) => {
  const { served, proxy } = context;
  const [one = 0, other = 0] = await create(served, 2);
  const following = collect(context, [], { discovery: 'until-idle' });
  await following.until(`${other} waiting 0`);
  proxy.cut();
  await cancel(served, one);
  await following.until(`${one} is cancelled`);
  assert.is(proxy.eventPaths.length, 2);
  assert.not.ok(following.lines().includes('unreachable'));
  await cancel(served, other);
  await following.ended;
});

test('the daemon may be started again meanwhile', async (context) => {
  const [one = 0, gone = 0] = await create(context.served, 2);
  const following = collect(context, [], { discovery: 'until-idle' });
  await following.until(`${gone} waiting 0`);
  await context.served.close();
  await following.until('unreachable');
  const { dataFolder } = context.served;
  context.served = await serveContext(dataFolder, async ({ store }) => {
    await store.update(gone, (job) => apply(job, { type: 'cancelled' }, new Date(0)));
    await store.remove(gone);
  });
  context.proxy.target = context.served.url;
  await following.until('back');
  await following.until(`${gone} rejected`);
  await cancel(context.served, one);
  await following.ended;
  assert.is(following.lines().at(-1), `${one} is cancelled`);
});

test('a pause of the queue is reported, with the first event as well', async (context) => {
  const { served } = context;
  await create(served, 2);
  await served.request('/v2/queue/pause', { method: 'PUT' });
  const following = collect(context, [], { discovery: 'always' });
  await following.until('paused');
  await served.request('/v2/queue/resume', { method: 'PUT' });
  await following.until('resumed');
  await served.request('/v2/queue/pause', { method: 'PUT' });
  await waitUntil(
    'the second pause',
    () => following.lines().filter((line) => line === 'paused').length === 2,
  );
  assert.is(following.lines().filter((line) => line === 'resumed').length, 1);
  await following.end();
});

for (const [what, text] of [
  ['without events', ': \n\n'],
  ['of another form', 'data: {"progress": 5}\n\n'],
] as const) {
  test(`a stream ${what} is not used: each job has its own, and no job is reported as found twice`, async (context) => {
    const { served, proxy } = context;
    proxy.eventText = text;
    const [one = 0, other = 0] = await create(served, 2);
    const following = collect(context, [], { discovery: 'until-idle' });
    await following.until(`${other} waiting 0`);
    for (const id of [one, other]) await cancel(served, id);
    await following.ended;
    assert.is(proxy.eventPaths.filter((path) => path === '/v2/events').length, text.startsWith(':') ? 2 : 1);
    assert.ok(proxy.eventPaths.includes(`/v2/jobs/${one}/events`) || proxy.paths.length > 3);
    assert.is(following.lines().filter((line) => line.startsWith('found')).length, 1);
  });
}

test.run();
