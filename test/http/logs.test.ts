import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { initialSseState, parseSse, type SseMessage } from '../../src/shared/client/sse.js';
import type { LogRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';

interface Context {
  readonly daemon: TestDaemon;
  /** A cancelled job and one that waits. */
  readonly ended: number;
  readonly waiting: number;
  readonly strangerKey: string;
}

const test = daemonSuite<Context>('logs over HTTP', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const input = 'http://127.0.0.1:9/film.mp4';
  const ended = await daemon.create({ input });
  await daemon.request(`/v2/jobs/${ended}/cancel`, { method: 'PUT' });
  const waiting = await daemon.create({ input });
  const { key } = await createAccount(openFolderSetup(daemon.dataFolder), 'stranger');
  Object.assign(context, { ended, waiting, strangerKey: key });
});

type Log = { readonly log: readonly LogRecord[] };

/** Reads an event stream until it ends, or until it has so many messages. */
async function messagesOf(
  response: Response,
  count = Number.POSITIVE_INFINITY,
): Promise<readonly SseMessage[]> {
  const messages: SseMessage[] = [];
  const decoder = new TextDecoder();
  let state = initialSseState;
  for await (const chunk of response.body ?? []) {
    const read = parseSse(state, decoder.decode(chunk, { stream: true }));
    state = read.state;
    messages.push(...read.messages);
    if (messages.length >= count) break;
  }
  return messages;
}

const recordOf = ({ data }: SseMessage): LogRecord => JSON.parse(data);

test('the log of a job is JSON, XML or text, by suffix, format and Accept', async ({ daemon, ended }) => {
  const path = `/v2/jobs/${ended}/log`;
  const { log } = await daemon.read<Log>(path);
  assert.equal(
    log.map(({ level, message, job_id }) => [level, message, job_id]),
    [
      ['info', `Job ${ended} is accepted.`, ended],
      ['info', `Job ${ended} is cancelled.`, ended],
    ],
  );
  for (const [asked, headers] of [
    [`${path}.txt`, {}],
    [`${path}?format=txt`, {}],
    [path, { Accept: 'text/plain' }],
    [path, { Accept: 'application/json;q=0.5, text/plain' }],
  ] as const) {
    const response = await daemon.request(asked, { headers });
    assert.is(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    const lines = (await response.text()).split('\n');
    assert.equal(
      lines.slice(0, 2),
      log.map(({ time, message }) => `${time} info  ${message}`),
    );
  }
  const xml = await (await daemon.request(`${path}.xml`)).text();
  assert.match(xml, `<message>Job ${ended} is cancelled.</message>`);
  for (const headers of [{ Accept: '*/*' }, { Accept: 'text/html, */*;q=0.1' }, { Accept: 'text/plain;q=0' }])
    assert.match((await daemon.request(path, { headers })).headers.get('content-type') ?? '', 'json');
  assert.is((await daemon.request(`/v2/jobs/${ended}?format=txt`)).status, 404);
  assert.is((await daemon.request(`/v2/jobs/${ended}.txt`)).status, 404);
});

test('level and tail select lines, and wrong values name the parameter', async ({ daemon, ended }) => {
  const path = `/v2/jobs/${ended}/log`;
  assert.equal((await daemon.read<Log>(`${path}?level=warn`)).log, []);
  const { log } = await daemon.read<Log>(`${path}?tail=1&level=info`);
  assert.equal(
    log.map(({ message }) => message),
    [`Job ${ended} is cancelled.`],
  );
  for (const route of [path, `${path}/events`, '/v2/log', '/v2/log/events']) {
    const response = await daemon.request(`${route}?level=loud&tail=0`);
    assert.is(response.status, 422);
    assert.equal(((await response.json()) as { errors: readonly string[] }).errors, [
      'level must be one of info, warn, error',
      'tail must be a positive whole number',
    ]);
  }
});

test('the log of the daemon has the lines of all jobs, for the owner alone', async ({
  daemon,
  ended,
  waiting,
  strangerKey,
}) => {
  const { log } = await daemon.read<Log>('/v2/log');
  const ids = log.flatMap(({ job_id }) => job_id ?? []);
  assert.equal(ids, [ended, ended, waiting]);
  assert.match(log[0]?.message ?? '', /^venc \S+ listens at /);
  for (const path of ['/v2/log', '/v2/log/events']) {
    const response = await fetch(`${daemon.url}${path}`, { headers: { 'Service-Api-Key': strangerKey } });
    assert.is(response.status, 403);
    assert.match(await response.text(), 'Only keys of the account default');
  }
});

test('the events of an ended job are its lines, and 204 once the client has the last one', async ({
  daemon,
  ended,
}) => {
  const path = `/v2/jobs/${ended}/log/events`;
  const { log } = await daemon.read<Log>(`/v2/jobs/${ended}/log`);
  const messages = await messagesOf(await daemon.request(path));
  assert.equal(messages.map(recordOf), log);
  assert.equal(
    messages.map(({ id }) => id),
    log.map(({ id }) => id),
  );
  const [first = '', last = ''] = messages.map(({ id }) => id);
  const resumed = await messagesOf(await daemon.request(path, { headers: { 'Last-Event-ID': first } }));
  assert.equal(
    resumed.map(({ id }) => id),
    [last],
  );
  assert.is((await daemon.request(path, { headers: { 'Last-Event-ID': last } })).status, 204);
  const head = await daemon.request(path, { method: 'HEAD' });
  assert.is(head.headers.get('content-type'), 'text/event-stream; charset=utf-8');
});

test('the events of a job that is cancelled end after its last line', async ({ daemon }) => {
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
  const response = await daemon.request(`/v2/jobs/${id}/log/events?tail=1`);
  const reading = messagesOf(response);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.equal(
    (await reading).map((one) => recordOf(one).message),
    [`Job ${id} is accepted.`, `Job ${id} is cancelled.`],
  );
});

test('the events of the daemon begin with the last lines and go on', async ({ daemon }) => {
  const abort = new AbortController();
  const response = await daemon.request('/v2/log/events?tail=1', { signal: abort.signal });
  const reading = messagesOf(response, 2);
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
  const messages = (await reading).map(recordOf);
  assert.is(messages.at(-1)?.message, `Job ${id} is accepted.`);
  abort.abort();
});

test('the log of a removed job is gone', async ({ daemon, strangerKey }) => {
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  const headers = { 'Service-Api-Key': strangerKey };
  assert.is((await fetch(`${daemon.url}/v2/jobs/${id}/log`, { headers })).status, 404);
  await daemon.request(`/v2/jobs/${id}`, { method: 'DELETE' });
  assert.is((await daemon.request(`/v2/jobs/${id}/log`)).status, 404);
  assert.is((await daemon.request(`/v2/jobs/${id}/log/events`)).status, 404);
});

test.run();
