import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CreatedRecord, JobRecord } from '../../../src/shared/records.js';
import { processKey } from '../daemon-process.js';
import type { WebhookEndpoint } from '../servers/webhook-endpoint.js';
import { waitUntil } from '../wait-until.js';
import type { JsonClient } from './json-client.js';
import type { Latencies } from './latencies.js';
import { StreamClient } from './stream-client.js';

/** What the lives of jobs need. */
interface JobCycleDeps {
  readonly client: JsonClient;
  readonly latencies: Latencies;
  readonly url: string;
  readonly endpoint: WebhookEndpoint;
  /** The URL of the input. */
  readonly input: string;
  /** The folder of outputs. */
  readonly outFolder: string;
  readonly random: () => number;
}

/** Parts of the jobs that take another way. */
const cancelShare = 0.2;
const brokenStreamShare = 0.3;

/**
 * The whole life of one job: create, follow, sometimes cancel and resubmit, notification, download, permanent removal. Nothing of it is left
 * afterwards. Rejects at the first unexpected response.
 */
export async function runJobCycle(deps: JobCycleDeps, name: string): Promise<void> {
  const { client, latencies, endpoint, random } = deps;
  const file = pathToFileURL(join(deps.outFolder, `${name}.mp4`)).href;
  const body = {
    input: deps.input,
    pass_through: name,
    notifications: [endpoint.url(`/${name}`)],
    outputs: [
      { label: 'hosted', width: 32, speed: 5 },
      { label: 'file', width: 32, speed: 5, url: file },
    ],
  };
  const headers = { 'Idempotency-Key': name };
  const created = await client.expect(201, 'create', '/v2/jobs', { method: 'POST', headers, body });
  const id = Number(created.json<CreatedRecord>().id);
  const job = `/v2/jobs/${id}`;
  if (random() < cancelShare) {
    const { status } = await client.send('cancel', `${job}/cancel`, { method: 'PUT' });
    // It may have finished before.
    if (status === 204) await client.expect(204, 'resubmit', `${job}/resubmit`, { method: 'PUT' });
    else if (status !== 409) throw new Error(`PUT ${job}/cancel: ${status}`);
  }
  await latencies.time('from the create to the end', () => follow(deps, id));
  await client.expect(200, 'list', '/v2/jobs?per_page=10');
  await client.expect(200, 'report', '/v2/reports/vod');
  await client.expect(200, 'progress', `${job}/progress`);
  const { job: record } = await client.read<{ job: JobRecord }>('get', job);
  if (record.state !== 'finished') throw new Error(`job ${id} is ${record.state}`);
  for (const { label, url, file_size_bytes: size } of record.output_media_files) {
    const bytes = await (label === 'file' ? takeFile(file) : takeHosted(client, url ?? ''));
    if (bytes !== size) throw new Error(`${url} has ${bytes} bytes, not ${size}`);
  }
  await latencies.time('notification', () =>
    waitUntil(`job ${id} is notified`, () => endpoint.received.some(({ path }) => path === `/${name}`)),
  );
  await client.expect(204, 'remove', job, { method: 'DELETE' });
  await client.expect(404, 'get removed', job);
}

/** Follows the events of a job to its end. Some streams break and continue. */
async function follow({ url, random }: JobCycleDeps, id: number): Promise<void> {
  const stream = new StreamClient({ jobId: id, kind: 'returning' }, url, processKey);
  await stream.open();
  if (random() < brokenStreamShare && stream.finalData === null) {
    stream.disconnect();
    await stream.open();
  }
  await waitUntil(`the stream of job ${id} has ended`, () => stream.hasEnded);
  if (stream.violations.length > 0) throw new Error(stream.violations.join('; '));
  if (stream.finalData === null) throw new Error(`the stream of job ${id} has no final event`);
}

async function takeFile(url: string): Promise<number> {
  const path = fileURLToPath(url);
  const { size } = await stat(path);
  await unlink(path);
  return size;
}

async function takeHosted(client: JsonClient, url: string): Promise<number> {
  const { pathname } = new URL(url);
  return (await client.expect(200, 'download', pathname)).body.length;
}
