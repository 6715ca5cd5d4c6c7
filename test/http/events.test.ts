import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JobEvents } from '../../daemon/actions/job-events.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { OpenAppContext } from '../../daemon/app/app-options.js';
import { createAppContext } from '../../daemon/app/create-app-context.js';
import { createApp } from '../../daemon/http/app.js';
import { type HttpServer, listen } from '../../daemon/http/server.js';
import { apply } from '../../daemon/jobs/changes.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { jobProgress } from '../../daemon/jobs/progress.js';
import { createKey, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import { initialSseState, parseSse, type SseMessage } from '../../src/shared/client/sse.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const key = 'a-key-for-tests-only';

/** A daemon without running jobs whose event hub counts how often it computes. */
interface TestServer {
  readonly open: OpenAppContext;
  readonly server: HttpServer;
  readonly events: JobEvents;
  readonly url: string;
  computed: number;
}

const test = suite<{ testServer: TestServer }>('server-sent events');

test.before(async (context) => {
  const open = await createAppContext({
    dataFolder: join(tempFolder(), 'data'),
    filesRoots: [],
    allowPrivateNetwork: true,
    stallTimeoutSeconds: 5,
    minFreeBytes: 0,
    maxOutputs: 50,
    ffmpeg: process.env.VENC_FFMPEG ?? null,
    ffprobe: process.env.VENC_FFPROBE ?? null,
    apiKey: key,
    log: () => {},
  });
  const { store, progressTracker } = open.appContext;
  const events = new JobEvents({
    store,
    progressTracker,
    minIntervalMs: 0,
    view: (job, progress) => {
      context.testServer.computed += 1;
      return jobProgress(job, progress);
    },
  });
  const app = createApp({ ...open.appContext, events }, { publicUrl: null, takeRateLimitToken: () => null });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  context.testServer = { open, server, events, url, computed: 0 };
});
test.after(async ({ testServer }) => {
  await testServer.server.close(0);
  testServer.events.close();
  await testServer.open.close(0);
});

/** A job that is processing. */
async function startJob({ open: { appContext } }: TestServer, outputCount = 1) {
  const { store, progressTracker } = appContext;
  const { id } = await store.create({
    ...sampleDraft(outputCount),
    number: (first) => ({ ...sampleDraft(outputCount).number(first), accountId: ownerOf(appContext) }),
  });
  const change = (made: Change) => store.update(id, (job) => apply(job, made, new Date(0)));
  await change({ type: 'claimed', token: 'a token' });
  progressTracker.start(id);
  const note = (percent: number) =>
    progressTracker.update(id, id + 1, { event: 'downloading', percent, overallPercent: percent });
  return { id, change, note, cancel: () => change({ type: 'cancelled' }) };
}

function ownerOf({ accounts }: OpenAppContext['appContext']): string {
  const account = accounts.account('default');
  if (account === null) throw new Error('the account does not exist');
  return account.id;
}

/** One event stream, parsed as it arrives. */
class Listener {
  readonly messages: SseMessage[] = [];
  readonly request: ClientRequest;
  text = '';
  hasEnded = false;
  response: IncomingMessage | null = null;
  #state = initialSseState;

  constructor({ url }: TestServer, id: number, headers: Readonly<Record<string, string>> = {}) {
    this.request = get(`${url}/v2/jobs/${id}/events`, {
      agent: false,
      headers: { 'Service-Api-Key': key, ...headers },
    });
    this.request.on('error', () => {});
    this.request.on('response', (response) => {
      this.response = response;
      response.setEncoding('utf8').on('data', (text: string) => this.#dispatch(text));
      response.on('end', () => {
        this.hasEnded = true;
      });
      response.on('error', () => {});
    });
  }

  get records(): readonly JobProgressRecord[] {
    return this.messages.map(({ data }) => JSON.parse(data) as JobProgressRecord);
  }

  #dispatch(text: string): void {
    this.text += text;
    const read = parseSse(this.#state, text);
    this.#state = read.state;
    this.messages.push(...read.messages);
  }
}

test('a stream has its content type, begins with the record of /progress, and ends after the final state', async ({
  testServer,
}) => {
  const job = await startJob(testServer);
  job.note(12.5);
  const listener = new Listener(testServer, job.id);
  await waitUntil('the first event', () => listener.messages.length === 1);
  const headers = listener.response?.headers ?? {};
  assert.is(listener.response?.statusCode, 200);
  assert.is(headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  assert.is(headers['x-accel-buffering'], 'no');
  assert.is(headers['access-control-allow-origin'], '*');
  const response = await fetch(`${testServer.url}/v2/jobs/${job.id}/progress`, {
    headers: { 'Service-Api-Key': key },
  });
  const progress = await response.text();
  assert.is(listener.text, `retry: 1000\n\nid: ${listener.messages[0]?.id}\ndata: ${progress}\n\n`);
  await job.cancel();
  await waitUntil('the end', () => listener.hasEnded);
  assert.is(listener.records.at(-1)?.state, 'cancelled');
  assert.is(listener.messages.length, 2);
});

test('a finished job gives one event and ends the stream, and 204 to a client that has that event', async ({
  testServer,
}) => {
  const job = await startJob(testServer);
  await job.cancel();
  testServer.open.appContext.progressTracker.clear(job.id);
  const first = new Listener(testServer, job.id);
  await waitUntil('the end', () => first.hasEnded);
  assert.equal(
    first.records.map(({ state }) => state),
    ['cancelled'],
  );
  const second = new Listener(testServer, job.id, { 'Last-Event-ID': first.messages[0]?.id ?? '' });
  await waitUntil('the end', () => second.hasEnded);
  assert.equal([second.response?.statusCode, second.text], [204, '']);
  const third = new Listener(testServer, job.id, { 'Last-Event-ID': 'something else' });
  await waitUntil('the end', () => third.hasEnded);
  assert.is(third.messages.length, 1);
});

test('a client that reconnects to a running job does not receive an event again', async ({ testServer }) => {
  const job = await startJob(testServer);
  job.note(10);
  const first = new Listener(testServer, job.id);
  await waitUntil('an event', () => first.messages.length === 1);
  first.request.destroy();
  const second = new Listener(testServer, job.id, { 'Last-Event-ID': first.messages[0]?.id ?? '' });
  await waitUntil('the beginning', () => second.text === 'retry: 1000\n\n');
  job.note(11);
  await waitUntil('what is new', () => second.messages.length === 1);
  assert.is(second.records[0]?.input.progress, 11);
  second.request.destroy();
});

test('disconnected listeners are removed, and a HEAD adds none', async ({ testServer }) => {
  const { id, cancel } = await startJob(testServer);
  const listeners = Array.from({ length: 5 }, () => new Listener(testServer, id));
  await waitUntil('all listen', () => listeners.every(({ messages }) => messages.length === 1));
  assert.is(testServer.events.listenerCount, 5);
  const head = await fetch(`${testServer.url}/v2/jobs/${id}/events`, {
    method: 'HEAD',
    headers: { 'Service-Api-Key': key },
  });
  assert.equal(
    [head.status, head.headers.get('content-type'), await head.text()],
    [200, 'text/event-stream; charset=utf-8', ''],
  );
  assert.is(testServer.events.listenerCount, 5);
  for (const { request } of listeners) request.destroy();
  await waitUntil('all are forgotten', () => testServer.events.listenerCount === 0);
  const { computed } = testServer;
  await cancel();
  assert.is(testServer.computed, computed);
});

for (const [what, path, sent] of [
  ['of a missing job', '/v2/jobs/999999/events', key],
  ['without a good key', '/v2/jobs/1/events', 'another key'],
  ['in an unsupported format', '/v2/jobs/1/events.xml', key],
] as const) {
  test(`a stream ${what} is answered with 404 and an error`, async ({ testServer }) => {
    await startJob(testServer);
    const response = await fetch(`${testServer.url}${path}`, { headers: { 'Service-Api-Key': sent } });
    assert.is(response.status, 404);
    assert.match(await response.text(), 'errors');
    assert.is(testServer.events.listenerCount, 0);
  });
}

test('a thousand listeners of one job cost one computation per change, and all receive the final event', async ({
  testServer,
}) => {
  const job = await startJob(testServer);
  const before = testServer.computed;
  const listeners = Array.from({ length: 1000 }, () => new Listener(testServer, job.id));
  await waitUntil('all listen', () => listeners.every(({ messages }) => messages.length > 0));
  assert.is(testServer.computed, before + 1);
  assert.is(testServer.events.listenerCount, 1000);
  for (const percent of [20, 40, 60]) job.note(percent);
  await waitUntil('all know', () =>
    listeners.every(({ messages }) => messages.at(-1)?.data.includes('"progress":60')),
  );
  await job.cancel();
  await waitUntil('all have ended', () => listeners.every(({ hasEnded }) => hasEnded));
  assert.is(testServer.computed, before + 5);
  assert.ok(listeners.every(({ messages }) => messages.at(-1)?.data.startsWith('{"state":"cancelled"')));
  assert.is(testServer.events.listenerCount, 0);
});

test('events are not queued for a client that does not read: it gets the latest when it does', async ({
  testServer,
}) => {
  // Much more than the buffers of two sockets hold.
  const outputs = 400;
  const reported = 1000;
  const job = await startJob(testServer, outputs);
  const quick = new Listener(testServer, job.id);
  const slow = new Listener(testServer, job.id);
  await waitUntil('both listen', () => quick.messages.length === 1 && slow.messages.length === 1);
  slow.response?.pause();
  for (let step = 1; step <= reported; step += 1) {
    job.note(step / 100);
    await waitUntil('the fast one has it', () => quick.messages.length === step + 1);
  }
  await job.cancel();
  await waitUntil('the fast one has ended', () => quick.hasEnded);
  slow.response?.resume();
  await waitUntil('the slow one has ended', () => slow.hasEnded);
  assert.is(quick.messages.length, reported + 2);
  assert.ok(slow.messages.length < reported / 2, `${slow.messages.length} of ${reported} were kept for it`);
  assert.is(slow.messages.at(-1)?.data, quick.messages.at(-1)?.data);
});

test('a daemon that stops ends its streams cleanly', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const id = await daemon.create({ input: 'http://127.0.0.1:9/nothing.mp4' });
  const response = await daemon.request(`/v2/jobs/${id}/events`);
  const text = response.text();
  await daemon.stop();
  assert.match(await text, '"state":"waiting"');
});

test('revoking a key ends its streams, and no others', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const id = await daemon.create({ input: 'http://127.0.0.1:9/nothing.mp4' });
  const made = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'full');
  const asNew = { headers: { 'Service-Api-Key': made.key } };
  const isKnown = async () => (await fetch(`${daemon.url}/v2/jobs/${id}`, asNew)).status === 200;
  await waitUntil('the new key is known', isKnown);
  const ofNew = await fetch(`${daemon.url}/v2/jobs/${id}/events`, asNew);
  const ofOwner = await daemon.request(`/v2/jobs/${id}/events`);
  const ownersText = ofOwner.text();
  await revokeKey(openFolderSetup(daemon.dataFolder), made.id);
  const text = await ofNew.text();
  assert.match(text, '"state":"waiting"');
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.match(await ownersText, '"state":"cancelled"');
  assert.not.match(text, '"state":"cancelled"');
  await daemon.stop();
});

test.run();
