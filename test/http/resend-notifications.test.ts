import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { startWebhookEndpoint, type WebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  endpoint: WebhookEndpoint;
}

const test = daemonSuite<Context>('PUT /v2/jobs/ID/notify', { jobs: 0 }, async (context) => {
  context.endpoint = await startWebhookEndpoint();
});
test.after(({ endpoint }) => endpoint.close());

const input = 'http://127.0.0.1:9/nothing.mp4';
const put = (daemon: TestDaemon, path: string) => daemon.request(path, { method: 'PUT' });
const attemptsOf = async (daemon: TestDaemon, id: number) =>
  (await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job.notification_attempts ?? [];

/** A cancelled job with a notification of its own and one of its output, both of which have been sent. */
async function notifiedJob({ daemon, endpoint }: Context): Promise<number> {
  const before = endpoint.received.length;
  const notifications = endpoint.url('/job?token=hunter2');
  const outputs = [{ notifications: [endpoint.url('/output')] }];
  const id = await daemon.create({ input, notifications, outputs });
  await put(daemon, `/v2/jobs/${id}/cancel`);
  await waitUntil('both are sent', () => endpoint.received.length === before + 2);
  await waitUntil('both answers are stored', async () => (await attemptsOf(daemon, id)).length === 2);
  return id;
}

test('sends the notifications of the outputs and of the job again, and the answers are in the details', async (context) => {
  const { daemon, endpoint } = context;
  const id = await notifiedJob(context);
  const earlier = endpoint.received.slice(-2);
  assert.is((await put(daemon, `/v2/jobs/${id}/notify.xml`)).status, 204);
  await waitUntil('both answers are stored', async () => (await attemptsOf(daemon, id)).length === 4);
  const again = endpoint.received.slice(-2);
  assert.equal(
    again.map(({ path, body }) => [path, body]),
    earlier.map(({ path, body }) => [path, body]),
  );
  const ids = [...earlier, ...again].map(({ headers }) => headers['webhook-id']);
  assert.is(new Set(ids).size, 4);
  const attempts = await attemptsOf(daemon, id);
  assert.equal(
    attempts.map((one) => [one.id, one.event, one.status]),
    ids.map((one, index) => [one, index % 2 === 0 ? 'output_cancelled' : 'job_cancelled', 204]),
  );
  const xml = await (await daemon.request(`/v2/jobs/${id}.xml`)).text();
  assert.match(xml, '<notification_attempt>');
  for (const text of [JSON.stringify(attempts), xml]) assert.not.match(text, /hunter2|\/job\b.*token/);
});

test('is 409 for a job that has not ended, and for one without notifications', async ({
  daemon,
  endpoint,
}) => {
  const withOne = await daemon.create({ input, notifications: endpoint.url('/') });
  const without = await daemon.create({ input });
  await put(daemon, `/v2/jobs/${without}/cancel`);
  const init = { method: 'PUT', headers: { 'Service-Api-Key': daemon.key } };
  const url = (id: number) => `${daemon.url}/v2/jobs/${id}/notify`;
  assert.match(
    (await fetchRejection(url(withOne), init, 409))[0] ?? '',
    /is waiting: only .* that has ended/,
  );
  assert.match((await fetchRejection(url(without), init, 409))[0] ?? '', /has no notifications/);
  await fetchRejection(url(999_999), init, 404);
});

test('venc notify does the same, and venc show prints the answers', async (context) => {
  const { daemon } = context;
  const id = await notifiedJob(context);
  const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
  const { code, stderr } = await runInProcess(['notify', String(id)], { env });
  assert.equal(
    [code, stderr],
    [0, `venc: job ${id} has its notifications sent again; venc show prints the answers\n`],
  );
  await waitUntil('both answers are stored', async () => (await attemptsOf(daemon, id)).length === 4);
  const { stdout } = await runInProcess(['show', String(id)], { env });
  assert.match(
    stdout,
    /\nnotifications\n(?:.* cancelled.* to http:\/\/127.0.0.1:\d+: accepted \(204\)\n){4}/,
  );
  const other = await daemon.create({ input });
  const rejected = await runInProcess(['notify', String(other)], { env });
  assert.is(rejected.code, 6);
  assert.match(rejected.stderr, /only the notifications of a job that has ended can be sent again/);
});

test.run();
