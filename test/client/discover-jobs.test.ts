import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/client.js';
import { type FollowOptions, follow } from '../../src/client/follow.js';
import type { FollowEvent } from '../../src/client/follow-context.js';
import { jobRecord } from '../tui/records.js';

interface Fixture {
  readonly url: string;
  /** The states of the jobs, by id. */
  readonly states: Map<number, string>;
  readonly seen: string[];
  knowsFilter: boolean;
  close(): Promise<void>;
}

/** A service with only the documented routes: lists, details and the progress of files. */
async function startService(): Promise<Fixture> {
  const states = new Map<number, string>();
  const seen: string[] = [];
  const recordOf = (id: number) => {
    const state = { state: states.get(id) } as { state: 'waiting' };
    return { job: jobRecord(id, state, { state: 'finished' }, state) };
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.replace(/\.json$/, '');
    const state = searchParams.get('state');
    seen.push(`${path}${state === null ? '' : ` ${state}`}`);
    const id = Number(/\/v2\/jobs\/(\d+)$/.exec(path)?.[1]);
    const isList = path === '/v2/jobs';
    const isFile = /\/v2\/outputs\/\d+\/progress$/.test(path);
    const page = Number(searchParams.get('page') ?? 1);
    const perPage = Number(searchParams.get('per_page') ?? 50);
    const listed = [...states.keys()]
      .filter((one) => !fixture.knowsFilter || state === null || states.get(one) === state)
      .sort((a, b) => b - a)
      .slice((page - 1) * perPage, page * perPage);
    const answer = isList
      ? listed.map(recordOf)
      : isFile
        ? { state: 'processing', current_event: 'transcoding', progress: 5 }
        : states.has(id)
          ? recordOf(id)
          : null;
    response.writeHead(answer === null ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? { errors: ['There is no such thing here.'] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fixture: Fixture = {
    url: `http://127.0.0.1:${port}`,
    states,
    seen,
    knowsFilter: true,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fixture;
}

const test = suite<{ service: Fixture }>('finding active jobs');
test.before.each(async (context) => {
  context.service = await startService();
});
test.after.each(({ service }) => service.close());

const limits = { minIntervalMs: 5, maxIntervalMs: 20, discoveryIntervalMs: 50 };
const following = ({ url }: Fixture, options: FollowOptions) =>
  follow(createClient({ url, apiKey: 'k' }), [], { limits, ...options });

function events(event: FollowEvent): string {
  switch (event.type) {
    case 'found':
      return `found ${event.jobs.map(({ id }) => id).join(' ') || 'none'}`;
    case 'progress':
    case 'final':
      return `${event.job.id} ${event.job.state}`;
    default:
      return event.type;
  }
}

test('if no job is active, that is reported and the watch ends', async ({ service }) => {
  service.states.set(10, 'finished');
  const found: string[] = [];
  for await (const event of following(service, { discovery: 'until-idle' })) found.push(events(event));
  assert.equal(found, ['found none']);
});

test('jobs that become active are added, and the watch ends when none is active any more', async ({
  service,
}) => {
  service.states.set(10, 'waiting').set(5, 'finished');
  const found: string[] = [];
  for await (const event of following(service, { discovery: 'until-idle' })) {
    const line = events(event);
    if (found.includes(line)) continue;
    found.push(line);
    if (line === '10 waiting') service.states.set(20, 'waiting');
    if (line === 'found 20') service.states.set(10, 'finished').set(20, 'failed');
  }
  assert.equal(found.slice(0, 3), ['found 10', '10 waiting', 'found 20']);
  assert.equal([...found.slice(-2)].sort(), ['10 finished', '20 failed']);
});

test('a job that is active again after its end is found again', async ({ service }) => {
  service.states.set(10, 'waiting');
  const found: string[] = [];
  for await (const event of following(service, { discovery: 'always' })) {
    const line = events(event);
    if (found.at(-1) !== line) found.push(line);
    if (line === '10 waiting') service.states.set(10, found.length > 3 ? 'finished' : 'failed');
    if (line === '10 failed') service.states.set(10, 'waiting');
    if (line === '10 finished') break;
  }
  assert.equal(found, ['found 10', '10 waiting', '10 failed', 'found 10', '10 waiting', '10 finished']);
});

test('a service without the state filter is asked for one page, not for three', async ({ service }) => {
  service.knowsFilter = false;
  service.states.set(10, 'waiting').set(20, 'finished').set(30, 'processing');
  const [first] = [await following(service, { discovery: 'always' }).next()];
  assert.is(first.done, false);
  assert.equal(service.seen, ['/v2/jobs']);
  for (let id = 100; id < 160; id += 1) service.states.set(id, 'finished');
  await following(service, { discovery: 'always' }).next();
  assert.equal(
    service.seen.filter((path) => /^\/v2\/jobs( |$)/.test(path)),
    ['/v2/jobs', '/v2/jobs', '/v2/jobs processing'],
  );
});

test('a job that has ended between two lists is found, and none that ended before', async ({ service }) => {
  for (let id = 1; id <= 120; id += 1) service.states.set(id, 'finished');
  const found: string[] = [];
  for await (const event of following(service, { discovery: 'always' })) {
    const line = events(event);
    found.push(line);
    if (line === 'found none') {
      // More than a page. After a removal, a list has an older job at its end.
      for (let id = 121; id <= 180; id += 1) service.states.set(id, 'failed');
    }
    if (line === '180 failed') {
      service.states.delete(150);
      service.states.set(181, 'finished').set(182, 'waiting');
    }
    if (line === '182 waiting') service.states.set(182, 'cancelled');
    if (line === '182 cancelled') break;
  }
  const ids = Array.from({ length: 60 }, (_, index) => 121 + index);
  assert.equal(found, [
    'found none',
    `found ${ids.join(' ')}`,
    ...ids.map((id) => `${id} failed`),
    'found 181 182',
    '181 finished',
    ...found.filter((line) => line === '182 waiting'),
    '182 cancelled',
  ]);
});

test('of many jobs the selected one is polled first, and the list is polled in between', async ({
  service,
}) => {
  for (let id = 100; id < 140; id += 1) service.states.set(id, 'processing');
  const requests: number[] = [];
  for await (const event of following(service, { discovery: 'always', getPreferredId: () => 125 })) {
    if (event.type === 'progress') requests.push(event.job.id);
    if (requests.length === 44) break;
  }
  assert.is(requests[0], 125);
  assert.ok(requests.filter((id) => id === 125).length >= 3, String(requests));
  assert.is(new Set(requests).size, 40, 'each was polled once');
  assert.ok(service.seen.filter((path) => path === '/v2/jobs').length >= 3);
});

test.run();
