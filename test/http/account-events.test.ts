import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobChangesRecord, JobProgressRecord } from '../../src/shared/records.js';
import { schemaErrors } from '../helpers/answers/document.js';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { EventListener } from '../helpers/event-listener.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly strangerKey: string;
  readonly readOnlyKey: string;
}

const test = daemonSuite<Context>('events of all jobs of an account', { jobs: 0 }, async (context) => {
  const setup = openFolderSetup(context.daemon.dataFolder);
  const { key } = await createAccount(setup, 'stranger');
  const { key: readOnlyKey } = await createKey(setup, 'default', 'read-only');
  Object.assign(context, { strangerKey: key, readOnlyKey });
  await waitUntil(
    'the keys are known',
    async () =>
      (await context.daemon.request('/v2/jobs', { headers: {} })).status === 200 &&
      (await fetch(`${context.daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } })).status === 200,
  );
});

const body = { input: 'http://127.0.0.1:9/film.mp4' };
const put = (daemon: TestDaemon, path: string) => daemon.request(path, { method: 'PUT' });
const idsOf = ({ jobs }: JobChangesRecord) => jobs.map(({ id }) => id);

async function createWith(daemon: TestDaemon, key: string): Promise<number> {
  const response = await fetch(`${daemon.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': key },
    body: JSON.stringify(body),
  });
  return Number(((await response.json()) as { id: string }).id);
}

test('the first event has the active jobs with their progress, and the queue', async ({ daemon }) => {
  const ended = await daemon.create(body);
  await put(daemon, `/v2/jobs/${ended}/cancel`);
  const id = await daemon.create(body);
  const listener = new EventListener(daemon);
  const first = await listener.first();
  assert.is(listener.response?.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.is(listener.response?.headers['cache-control'], 'no-store');
  assert.equal([first.active, first.reset, first.more, first.removed], [true, undefined, undefined, []]);
  assert.not.ok(idsOf(first).includes(ended));
  const job = first.jobs.find((one) => one.id === id);
  const progress = await daemon.read<JobProgressRecord>(`/v2/jobs/${id}/progress`);
  assert.equal(job, { id, ...progress });
  assert.equal(first.queue, await daemon.read('/v2/queue'));
  listener.close();
});

test('changes, removals and the state of the queue follow, at most every 500 ms', async ({ daemon }) => {
  const listener = new EventListener(daemon);
  await listener.first();
  const ids: number[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await daemon.create(body));
  await waitUntil('all are known', () =>
    ids.every((id) => listener.records.some((record) => idsOf(record).includes(id))),
  );
  const [id = 0] = ids;
  await put(daemon, `/v2/jobs/${id}/cancel`);
  await listener.untilState(id, 'cancelled');
  await daemon.request(`/v2/jobs/${id}`, { method: 'DELETE' });
  await listener.until('the removal', ({ removed }) => removed.includes(id));
  await put(daemon, '/v2/queue/pause');
  const paused = await listener.until('the pause', ({ queue }) => queue?.paused);
  assert.is(paused.jobs.find((job) => job.id === ids[1])?.queue?.reason, 'daemon');
  await put(daemon, '/v2/queue/resume');
  await listener.until(
    'the end of the pause',
    ({ queue, active }) => active !== true && queue?.paused === false,
  );
  // An event may arrive late, and the next one soon after it: only all together show the interval.
  const gaps = listener.times.slice(1).map((time, index) => time - (listener.times[index] ?? 0));
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  assert.ok(total > 500 * (gaps.length - 1), gaps.join(' '));
  const { description: _, ...schema } = { $ref: '#/components/schemas/JobChanges', description: '' };
  for (const record of listener.records) assert.equal(schemaErrors(schema, record, 'event'), []);
  listener.close();
});

test('a client that reconnects gets what has changed since its last event', async ({ daemon }) => {
  const [same, cancelled, gone] = [
    await daemon.create(body),
    await daemon.create(body),
    await daemon.create(body),
  ];
  await put(daemon, `/v2/jobs/${gone}/cancel`);
  const listener = new EventListener(daemon);
  await listener.first();
  listener.close();
  await put(daemon, `/v2/jobs/${cancelled}/cancel`);
  await daemon.request(`/v2/jobs/${gone}`, { method: 'DELETE' });
  const created = await daemon.create(body);
  const { lastEventId } = listener;
  const again = new EventListener(daemon, { lastEventId });
  const first = await again.first();
  assert.equal([first.active, first.reset], [undefined, undefined]);
  assert.equal(idsOf(first).sort(), [cancelled, created].sort());
  assert.is(first.jobs.find(({ id }) => id === cancelled)?.state, 'cancelled');
  assert.equal(first.removed, [gone]);
  again.close();
  const third = new EventListener(daemon, { lastEventId: again.lastEventId });
  assert.equal([idsOf(await third.first()), (await third.first()).removed], [[], []]);
  third.close();
  for (const unknown of ['1-0', 'x', '0123456789ab-1', `${lastEventId}0000`, 'é'])
    assert.ok((await resetBy(daemon, encodeURI(unknown))).reset, unknown);
  assert.ok(idsOf(await resetBy(daemon, 'x')).includes(same));
});

async function resetBy(daemon: TestDaemon, lastEventId: string): Promise<JobChangesRecord> {
  const listener = new EventListener(daemon, { lastEventId });
  const first = await listener.first();
  listener.close();
  return first;
}

test('an account follows its own jobs, and the owner those of any', async ({ daemon, strangerKey }) => {
  const stranger = { url: daemon.url, key: strangerKey };
  const own = new EventListener(stranger);
  const [owners, named, all] = ['', '?account=stranger', '?account=*'].map(
    (query) => new EventListener(daemon, { query }),
  );
  assert.ok(owners !== undefined && named !== undefined && all !== undefined);
  for (const listener of [own, owners, named, all]) await listener.first();
  const [mine, its] = [await daemon.create(body), await createWith(daemon, strangerKey)];
  await own.untilState(its, 'waiting');
  await owners.untilState(mine, 'waiting');
  const ofNamed = await named.untilState(its, 'waiting');
  assert.is(ofNamed.jobs.find(({ id }) => id === its)?.account, 'stranger');
  await all.untilState(its, 'waiting');
  const ofAll = await all.untilState(mine, 'waiting');
  assert.is(ofAll.jobs.find(({ id }) => id === mine)?.account, 'default');
  const seen = (listener: EventListener) => listener.records.flatMap(idsOf);
  assert.not.ok(seen(own).includes(mine));
  assert.not.ok(seen(owners).includes(its));
  assert.not.ok(seen(named).includes(mine));
  for (const listener of [own, owners, named, all]) listener.close();
  for (const query of ['?account=stranger', '?account=default', '?account=*', '?account=nobody']) {
    const init = { headers: { 'Service-Api-Key': strangerKey } };
    assert.is((await fetch(`${daemon.url}/v2/events${query}`, init)).status, 403, query);
  }
  // A position does not show the jobs of another account either.
  const other = new EventListener(stranger, { lastEventId: owners.lastEventId });
  assert.not.ok(idsOf(await other.first()).includes(mine));
  other.close();
});

test('only some jobs can be followed, also those that have ended', async ({ daemon, strangerKey }) => {
  const [ended, followed, other] = [
    await daemon.create(body),
    await daemon.create(body),
    await daemon.create(body),
  ];
  await put(daemon, `/v2/jobs/${ended}/cancel`);
  const foreign = await createWith(daemon, strangerKey);
  const listener = new EventListener(daemon, { query: `?only=${followed},${ended},${foreign},999999` });
  const first = await listener.first();
  assert.equal(
    first.jobs.map(({ id, state }) => [id, state]).sort(),
    [
      [ended, 'cancelled'],
      [followed, 'waiting'],
    ].sort(),
  );
  assert.equal([...first.removed].sort(), [foreign, 999999].sort());
  await put(daemon, `/v2/jobs/${other}/cancel`);
  await put(daemon, `/v2/jobs/${followed}/cancel`);
  await listener.untilState(followed, 'cancelled');
  assert.not.ok(listener.records.flatMap(idsOf).includes(other));
  listener.close();
});

test('the lines of the log of a job come with the events, also after it is run again', async ({ daemon }) => {
  const id = await daemon.create(body);
  const listener = new EventListener(daemon, { query: `?log=${id}` });
  const messages = () => listener.records.flatMap(({ log = [] }) => log.map(({ message }) => message));
  await waitUntil('the line that there is', () => messages().length === 1);
  await put(daemon, `/v2/jobs/${id}/cancel`);
  await waitUntil('a line', () => messages().length === 2);
  listener.close();
  await put(daemon, `/v2/jobs/${id}/resubmit`);
  const again = new EventListener(daemon, { query: `?log=${id}`, lastEventId: listener.lastEventId });
  const later = () => again.records.flatMap(({ log = [] }) => log.map(({ message }) => message));
  await waitUntil('the resubmit', () => later().length >= 1);
  await put(daemon, `/v2/jobs/${id}/cancel`);
  await waitUntil('the cancel', () => later().at(-1) === `Job ${id} is cancelled.`);
  again.close();
  const { log } = await daemon.read<{ log: readonly { message: string }[] }>(`/v2/jobs/${id}/log`);
  assert.equal(
    [...messages(), ...later()],
    log.map(({ message }) => message),
  );
});

test('requests are rejected without a key, with a read-only key and with invalid parameters', async ({
  daemon,
  readOnlyKey,
}) => {
  const path = `${daemon.url}/v2/events`;
  assert.is((await fetch(path)).status, 401);
  assert.is((await fetch(path, { headers: { 'Service-Api-Key': readOnlyKey } })).status, 403);
  const answers: readonly (readonly [query: string, status: number, text: string])[] = [
    ['?only=,', 422, 'only must be'],
    ['?only=1,x', 422, 'only must be'],
    ['?log=x', 422, 'log must be'],
    ['?log=999999', 404, 'There is no job'],
    ['?account=*&log=999999', 404, 'There is no job'],
    ['?account=nobody', 422, 'account must be'],
  ];
  for (const method of ['GET', 'HEAD'])
    for (const [query, status, text] of answers) {
      const response = await daemon.request(`/v2/events${query}`, { method });
      assert.is(response.status, status, `${method} ${query}`);
      if (method === 'GET') assert.match(await response.text(), text);
    }
  const head = await daemon.request('/v2/events', { method: 'HEAD' });
  assert.equal(
    [head.status, head.headers.get('content-type'), await head.text()],
    [200, 'text/event-stream; charset=utf-8', ''],
  );
});

test('revoking a key ends its stream, and no other', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const made = await createKey(setup, 'default', 'full');
  const headers = { 'Service-Api-Key': made.key };
  await waitUntil(
    'the key is known',
    async () => (await fetch(`${daemon.url}/v2/jobs`, { headers })).status === 200,
  );
  const [ofNew, ofOwner] = [new EventListener({ url: daemon.url, key: made.key }), new EventListener(daemon)];
  await ofNew.first();
  await ofOwner.first();
  await revokeKey(setup, made.id);
  await waitUntil('the end', () => ofNew.hasEnded);
  const id = await daemon.create(body);
  await ofOwner.untilState(id, 'waiting');
  ofOwner.close();
});

test('ids survive a restart, and a killed daemon lets clients begin again', async () => {
  const before = await startTestDaemon({ jobs: 0 });
  const [same, cancelled] = [await before.create(body), await before.create(body)];
  const listener = new EventListener(before);
  await listener.first();
  await put(before, `/v2/jobs/${cancelled}/cancel`);
  const removed = await before.create(body);
  await put(before, `/v2/jobs/${removed}/cancel`);
  await before.request(`/v2/jobs/${removed}`, { method: 'DELETE' });
  const { lastEventId } = { lastEventId: listener.messages[0]?.id ?? '' };
  await before.stop();
  await waitUntil('the stream has ended', () => listener.hasEnded);
  const after = await startTestDaemon({ jobs: 0, dataFolder: before.dataFolder });
  const again = new EventListener(after, { lastEventId });
  const first = await again.first();
  assert.equal([first.reset, idsOf(first), first.removed], [undefined, [cancelled], [removed]]);
  const created = await after.create(body);
  await again.untilState(created, 'waiting');
  assert.not.ok(again.records.flatMap(idsOf).includes(same));
  again.close();
  await after.stop();
});

test.run();
