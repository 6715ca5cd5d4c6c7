import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Client, createClient } from '../../src/client/client.js';
import { follow } from '../../src/client/follow.js';
import type { FollowEvent } from '../../src/client/follow-context.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { type EventService, startEventService } from '../helpers/servers/event-service.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite<{ service: EventService; client: Client }>('following with events');
const ids = Array.from({ length: 61 }, (_, index) => 10 * (index + 1));
const apiKey = 'a-key';
const limits = { minIntervalMs: 1, maxIntervalMs: 20 };

test.before.each(async (context) => {
  context.service = await startEventService(ids);
  context.client = createClient({ url: context.service.url, apiKey });
});
test.after.each(({ service }) => service.close());

/** An event in short form. */
function events(event: FollowEvent): string {
  if (event.type === 'progress') return `${event.job.id} ${event.job.state} ${event.job.progress}`;
  if (event.type === 'final') return `${event.job.id} is ${event.job.state}`;
  return event.type === 'rejected' ? `${event.id} rejected` : event.type;
}

/** Follows jobs to the end. Runs each step after a given number of events. */
async function allOf(
  client: Client,
  followed: readonly number[],
  steps: readonly (() => unknown)[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of follow(client, followed, { limits })) {
    found.push(events(event));
    await steps[found.length - 1]?.();
  }
  return found;
}

const page =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Hello</h1>');
const stream = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(text);

test('one stream has all updates, and only the final record is requested', async ({ service, client }) => {
  const found = await allOf(
    client,
    [10],
    [() => service.move(10, 5), () => service.move(10, 60), () => service.move(10, 100)],
  );
  assert.equal(found, ['10 waiting 0', '10 processing 5', '10 processing 60', '10 is finished']);
  assert.equal(service.paths(), ['/v2/jobs/10/events', '/v2/jobs/10']);
  assert.is(service.seen[0]?.accept, 'text/event-stream');
});

test('a stream that breaks is resumed after the last event, without a message', async ({
  service,
  client,
}) => {
  const following = allOf(client, [10], [() => service.move(10, 5), () => service.breakStreams()]);
  await waitUntil('it is resumed', () => service.seen.length === 2 && service.streamCount() === 1);
  service.move(10, 100);
  assert.equal(await following, ['10 waiting 0', '10 processing 5', '10 is finished']);
  assert.equal(
    service.seen.map(({ lastEventId }) => lastEventId),
    [undefined, '5', undefined],
  );
});

test('a network error is reported once, and the stream resumes even if the service moves to another address', async ({
  service,
}) => {
  const elsewhere = await startEventService([10]);
  const isUp = { value: true };
  const locate = async () => ({ url: isUp.value ? elsewhere.url : service.url, apiKey });
  const client = createClient({ url: service.url, apiKey, locate });
  const following = allOf(
    client,
    [10],
    [
      async () => {
        isUp.value = false;
        await service.close();
      },
      () => {
        isUp.value = true;
        elsewhere.move(10, 50);
      },
      () => {},
      () => elsewhere.move(10, 100),
    ],
  );
  assert.equal(await following, [
    '10 waiting 0',
    'unreachable',
    'back',
    '10 processing 50',
    '10 is finished',
  ]);
  assert.is(elsewhere.seen[0]?.lastEventId, '-1');
  await elsewhere.close();
});

test('a service that is unavailable for jobs for a while counts as a network error', async ({
  service,
  client,
}) => {
  const busy = page(503, { 'Retry-After': '0' });
  service.answerEvents('events', busy, busy, busy, busy);
  const found = await allOf(client, [10], [() => service.breakStreams(), () => service.move(10, 100)]);
  assert.equal(found, ['10 waiting 0', 'unreachable', 'back', '10 is finished']);
});

test('a job that was resubmitted before its final record was read is still followed', async ({
  service,
  client,
}) => {
  service.details(10, ['waiting', 'finished']);
  const following = allOf(client, [10], [() => service.move(10, 100)]);
  await waitUntil('it is resumed', () => service.streamCount() === 1 && service.seen.length === 3);
  service.move(10, 100);
  assert.equal(await following, ['10 waiting 0', '10 is finished']);
  assert.is(service.seen[2]?.lastEventId, '100');
});

test('204 means that a job has ended, and its record is requested', async ({ service, client }) => {
  service.answerEvents('events', (response) => void response.writeHead(204).end());
  const found = await allOf(
    client,
    [10],
    [
      () => {
        service.breakStreams();
        service.move(10, 100);
      },
    ],
  );
  assert.equal(found, ['10 waiting 0', '10 is finished']);
});

for (const [what, answer] of [
  ['404', page(404)],
  ['405', page(405)],
  ['a rejection of the form', page(406)],
  ['a page', page(200)],
  ['a stream of another type', stream('data: hello\n\n')],
] as const) {
  test(`a service that answers ${what} is polled, and never asked for events again`, async ({
    service,
    client,
  }) => {
    service.answerEvents(answer);
    const found = await allOf(client, [10], [() => service.move(10, 30), () => service.move(10, 100)]);
    assert.equal(found, ['10 waiting 0', '10 processing 30', '10 is finished']);
    assert.equal(await allOf(client, [10]), ['10 is finished']);
    assert.equal(
      service.paths().filter((path) => path.endsWith('/events')),
      ['/v2/jobs/10/events'],
    );
  });
}

test('a missing job is rejected, and the others are still followed', async ({ service, client }) => {
  service.move(20, 100);
  const found = await allOf(client, [999, 20, 998]);
  assert.is(found[0], '999 rejected');
  assert.equal([...found.slice(1)].sort(), ['20 is finished', '998 rejected']);
  // Once the service has shown that it has streams, the address is not the cause.
  assert.equal(
    service.paths().filter((path) => path.includes('/998')),
    ['/v2/jobs/998/events'],
  );
});

test('a rejected key ends it', async ({ service, client }) => {
  // The first request has the key in the header, the second in the query.
  service.answerEvents(page(401), page(401));
  const error = await allOf(client, [10]).catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'UnauthorizedError'), String(error));
});

test('several jobs have one stream each, after one list', async ({ service, client }) => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on('warning', onWarning);
  const dozen = ids.slice(0, 12);
  service.move(10, 100);
  service.move(30, 1);
  const following = allOf(client, dozen);
  await waitUntil('all are open', () => service.streamCount() === 11);
  for (const id of dozen) service.move(id, 100);
  const found = await following;
  process.off('warning', onWarning);
  const [first, ...others] = service.paths();
  assert.is(first, '/v2/events', 'this service has no stream of all jobs');
  assert.equal(others.slice(0, 3), ['/v2/jobs', '/v2/jobs/30/events', '/v2/jobs/20/events']);
  assert.not.ok(others.includes('/v2/events'));
  assert.equal(
    found.filter((line) => line.endsWith('is finished')).sort(),
    dozen.map((id) => `${id} is finished`).sort(),
  );
  assert.equal(warnings, []);
});

test('many jobs are polled by list until few enough are left for streams', async ({ service, client }) => {
  const following = follow(client, ids, { limits });
  for (const _ of ids) await following.next();
  service.move(10, 100);
  const later: string[] = [];
  for await (const event of following) {
    later.push(events(event));
    if (service.streamCount() > 0) break;
  }
  assert.is(later[0], '10 is finished');
  assert.equal(
    service
      .paths()
      .filter((path) => path !== '/v2/events')
      .slice(0, 3)
      .map((path) => path.replace(/\/\d+\//, '/ID/')),
    ['/v2/jobs', '/v2/jobs', '/v2/jobs/ID/events'],
  );
});

test('a client that stops following leaves no stream open', async ({ service, client }) => {
  for await (const event of follow(client, [10, 20])) if (event.type === 'progress') break;
  await waitUntil('none is open', () => service.streamCount() === 0);
});

test('the signal ends it with its reason, while no event arrives', async ({ service, client }) => {
  const end = new AbortController();
  const following = follow(client, [10], { signal: end.signal });
  await following.next();
  const silence = following.next();
  end.abort(new VencError('TimedOutError', 'Too long.'));
  const error = await silence.catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'TimedOutError'), String(error));
  await waitUntil('none is open', () => service.streamCount() === 0);
});

test.run();
