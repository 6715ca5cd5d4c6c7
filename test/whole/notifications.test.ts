import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobNotificationBody, OutputNotificationBody } from '../../src/shared/records/notifications.js';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { type ReceivedRequest, startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

/** Shows the webhook secret of the owner's account. */
async function secretOf(data: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(['accounts', 'show', 'default', '--secret', '--data', data]);
  assert.is(code, 0, stderr);
  return stdout.trim();
}

function verify({ headers, body }: ReceivedRequest, secret: string): unknown {
  return new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
}

/** Creates a job and cancels it, which ends it at once. */
async function cancelledJob(daemon: DaemonProcess, notifications: unknown): Promise<string> {
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({ input: 'http://example.com/in.mp4', notifications });
  const created = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  assert.is(created.status, 201);
  const cancelled = await fetch(`${daemon.url}/v2/jobs/${id}/cancel`, { method: 'PUT', headers });
  assert.is(cancelled.status, 204);
  return id;
}

async function storedNotifications(data: string, id: string): Promise<readonly unknown[]> {
  const text = await readFile(join(data, 'jobs', 'done', '0', `${id}.json`), 'utf8');
  return (JSON.parse(text) as { job: Job }).job.pendingNotifications;
}

test('each output and then the job itself are sent to every configured endpoint, in the requested format', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('128x72', 1));
  const endpoint = await startWebhookEndpoint();
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const id = await daemon.create({
    input: `file://${join(folder, 'in.mp4')}`,
    pass_through: 'order 12',
    notifications: [endpoint.url('/job'), { url: endpoint.url('/job-in-xml'), format: 'xml' }],
    outputs: [
      { label: 'a', width: 64, notifications: endpoint.url('/a') },
      { label: 'b', width: 32, notifications: { url: endpoint.url('/b'), headers: { 'X-B': 'b' } } },
      { label: 'c', width: 16 },
    ],
  });
  const job = await daemon.waitForJob(id);
  await waitUntil('all notifications have arrived', () => endpoint.received.length === 4);
  const reported = new Map(endpoint.received.map((seen) => [seen.path, seen]));
  assert.equal([...reported.keys()].slice(2), ['/job', '/job-in-xml']);
  assert.equal([...reported.keys()].slice(0, 2).sort(), ['/a', '/b']);
  const secret = await secretOf(daemon.dataFolder);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{32,}=*$/);
  const at = (path: string): ReceivedRequest => {
    const seen = reported.get(path);
    if (seen === undefined) throw new Error(`nothing arrived at ${path}`);
    return seen;
  };
  const ofJob = verify(at('/job'), secret) as JobNotificationBody;
  assert.equal([ofJob.job.id, ofJob.job.state, ofJob.job.pass_through], [id, 'finished', 'order 12']);
  assert.equal(
    ofJob.outputs.map(({ label, url, md5_checksum }) => [label, url, md5_checksum]),
    job.output_media_files.map(({ label, url, md5_checksum }) => [label, url, md5_checksum]),
  );
  const ofB = verify(at('/b'), secret) as OutputNotificationBody;
  assert.equal([ofB.job.id, ofB.output.label, ofB.output.state, ofB.output.width], [id, 'b', 'finished', 32]);
  assert.is(at('/b').headers['x-b'], 'b');
  assert.match(at('/job-in-xml').body, `<job><id type="integer">${id}</id><state>finished</state>`);
  // An attempt is recorded after its answer.
  const details = await pollUntil(
    () => daemon.request(`/v2/jobs/${id}`).then((response) => response.text()),
    (text) => (JSON.parse(text) as { job: JobRecord }).job.notification_attempts?.length === 4,
  );
  assert.not.ok(details.includes('/job-in'));
  const { notification_attempts: attempts = [] } = (JSON.parse(details) as { job: JobRecord }).job;
  assert.equal(
    attempts.slice(2).map(({ id: _, attempted_at, ...attempt }) => attempt),
    ['/job', '/job-in-xml'].map(() => ({
      ...{ output_id: null, event: 'job_finished', destination: endpoint.url('/').slice(0, -1) },
      ...{ attempt: 1, status: 204, error_message: null },
    })),
  );
  assert.equal(
    new Set(attempts.map((one) => one.id)),
    new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])),
  );
  await daemon.stop();
  await endpoint.close();
});

test('no notification is sent to a private address unless it is allowed, and the job is unaffected', async () => {
  const endpoint = await startWebhookEndpoint();
  const daemon = await startTestDaemon({ allowPrivateNetwork: false, jobs: 0 });
  const id = await daemon.create({ input: 'http://example.com/a', notifications: endpoint.url('/hunter2') });
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  const rejected = () => daemon.logLines.find((line) => line.includes('not public'));
  await waitUntil('the notification was rejected', () => rejected() !== undefined);
  assert.match(
    rejected() ?? '',
    /^warn Could not deliver notification .* \(attempt 1 of 20, the next at .*\): 127\.0\.0\.1 /,
  );
  assert.not(daemon.logLines.join().includes('hunter2'));
  assert.is(endpoint.connections, 0);
  await daemon.stop();
  await endpoint.close();
});

test('invalid notifications are rejected with all validation errors at once, and a rejected job sends none', async () => {
  const endpoint = await startWebhookEndpoint();
  const daemon = await startTestDaemon({ jobs: 0 });
  const create = (body: unknown) =>
    daemon.request('/v2/jobs', {
      method: 'POST',
      body: JSON.stringify({ input: 'http://example.com/a', ...(body as object) }),
    });
  const rejected = await create({
    notifications: ['ftp://example.com/a', { url: endpoint.url('/'), headers: { 'Content-Length': '1' } }],
    outputs: [{ notifications: Array(6).fill(endpoint.url('/')) }],
  });
  assert.is(rejected.status, 422);
  const { errors } = (await rejected.json()) as { errors: readonly string[] };
  assert.is(errors.length, 3);
  assert.match(errors[0] ?? '', /^notifications\[0\] .*http or https.*e-mail/);
  assert.match(errors[1] ?? '', /^notifications\[1\]\.headers\.Content-Length .*daemon/);
  assert.match(errors[2] ?? '', /^outputs\[0\]\.notifications .*5/);
  assert.is((await create({ mock: true, notifications: endpoint.url('/') })).status, 201);
  await daemon.stop();
  assert.is(endpoint.received.length, 0);
  await endpoint.close();
});

test('a notification survives kill -9 of the daemon, during and between attempts, and keeps its id', async () => {
  const data = join(tempFolder(), 'data');
  const endpoint = await startWebhookEndpoint((response, _, count) => {
    // The second request is never answered: the daemon is killed while it waits for the response.
    if (count !== 2) response.writeHead(count === 3 ? 204 : 500).end();
  });
  const first = await startDaemonProcess(data, ['--jobs', '0']);
  const id = await cancelledJob(first, endpoint.url('/'));
  await waitUntil('the second attempt has arrived', () => endpoint.received.length === 2);
  await first.end('SIGKILL');
  const second = await startDaemonProcess(data, ['--jobs', '0']);
  await waitUntil(
    'the notification is removed',
    async () => (await storedNotifications(data, id)).length === 0,
  );
  assert.is(endpoint.received.length, 3);
  assert.is(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.is(new Set(endpoint.received.map(({ body }) => body)).size, 1);
  assert.is(await second.end('SIGTERM'), 0);
  await endpoint.close();
});

test('an endpoint that hangs does not delay a stop of the daemon, and the next daemon delivers the notification', async () => {
  const data = join(tempFolder(), 'data');
  const endpoint = await startWebhookEndpoint((response, _, count) => {
    if (count > 1) response.end();
  });
  const first = await startDaemonProcess(data, ['--jobs', '0']);
  const id = await cancelledJob(first, { url: endpoint.url('/') });
  await waitUntil('the attempt has arrived', () => endpoint.received.length === 1);
  assert.is(await first.end('SIGTERM'), 0);
  assert.is((await storedNotifications(data, id)).length, 1);
  const second = await startDaemonProcess(data, ['--jobs', '0']);
  await waitUntil(
    'the notification is removed',
    async () => (await storedNotifications(data, id)).length === 0,
  );
  assert.is(endpoint.received.length, 2);
  assert.is(await second.end('SIGTERM'), 0);
  await endpoint.close();
});

test.after(killDaemons);

test.run();
