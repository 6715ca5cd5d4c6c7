import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CreatedRecord, JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { JsonClient } from '../helpers/load/json-client.js';
import { Latencies } from '../helpers/load/latencies.js';
import { beginLoadSuite, usageText } from '../helpers/load/load-suite.js';
import { MixedRequests } from '../helpers/load/mixed-requests.js';
import { descriptorKinds, usageOf, waitUntilDescriptorsReturn } from '../helpers/load/process-usage.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';

const load = beginLoadSuite('creates');
const connections = 32;
const encodes = 2;
/** The load goes on until the encodes have ended, within these limits. */
const minRequests = load.isLong ? 30_000 : 600;
const maxRequests = 20 * minRequests;
const filmSeconds = load.isLong ? 60 : 6;
/** What the memory may grow by in the second half of the load, with a part for each job that is created in it. */
const maxGrowthMegabytes = 64;
const maxBytesPerJob = 16_000;

const test = suite('creates while encodes run');
test.after(killDaemons);

/** Reads every page of the list, while no job is created. */
async function listAll(client: JsonClient): Promise<readonly JobRecord[]> {
  const all: JobRecord[] = [];
  for (let page = 1; ; page += 1) {
    const records = await client.read<{ job: JobRecord }[]>('list all', `/v2/jobs?page=${page}`);
    if (records.length === 0) return all;
    all.push(...records.map(({ job }) => job));
  }
}

test('every acknowledged job exists once, and nothing grows, while 32 connections create and encodes run', async () => {
  const folder = tempFolder();
  const data = join(folder, 'data');
  const path = (name: string) => join(folder, name);
  await makeMedia(path('long.mp4'), film('640x360', filmSeconds));
  await makeMedia(path('short.mp4'), film('64x48', 1));
  await writeFile(path('text.mp4'), 'These are words.\n');
  const urlOf = (name: string) => pathToFileURL(path(name)).href;
  const flags = ['--files-root', folder, '--min-free', '0', '--grace', '0s'];
  const daemon = await startDaemonProcess(data, [...flags, '--jobs', String(encodes)]);
  const latencies = new Latencies();
  const client = new JsonClient(daemon.url, latencies, connections);
  const follower = new JsonClient(daemon.url, new Latencies(), encodes);

  /** Encodes the long film several times at once. Resolves to the time in milliseconds. */
  const encodeAll = async (): Promise<number> => {
    const began = performance.now();
    const encodeOne = async () => {
      const body = { input: urlOf('long.mp4'), outputs: [{ speed: 4 }] };
      const created = await follower.expect(201, 'create', '/v2/jobs', { method: 'POST', body });
      const { id } = created.json<CreatedRecord>();
      const { job } = await pollUntil(
        () => follower.read<{ job: JobRecord }>('get', `/v2/jobs/${id}`),
        (read) => isFinal(read.job.state),
        600_000,
      );
      assert.is(job.state, 'finished', 'an encode under load');
    };
    await Promise.all(Array.from({ length: encodes }, encodeOne));
    return performance.now() - began;
  };
  const unloadedMs = await encodeAll();
  follower.close();
  const descriptors = await descriptorKinds(daemon.pid);
  const atStart = await usageOf(daemon.pid);

  const requests = new MixedRequests(client, [urlOf('short.mp4'), urlOf('text.mp4')], load.random);
  let isEncoding = true;
  const encoding = encodeAll().finally(() => {
    isEncoding = false;
  });
  // Awaited after the load, which may fail first.
  encoding.catch(() => undefined);
  const samples: { readonly megabytes: number; readonly jobs: number; readonly answered: number }[] = [];
  const began = performance.now();
  const connection = async () => {
    while ((isEncoding || requests.answered < minRequests) && requests.answered < maxRequests) {
      await requests.sendOne();
      if (requests.answered % 100 === 0) {
        const { megabytes } = await usageOf(daemon.pid);
        samples.push({ megabytes, jobs: requests.jobs.size, answered: requests.answered });
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const loadSeconds = (performance.now() - began) / 1000;
  const loadedMs = await encoding;

  for (const state of ['waiting', 'processing']) {
    for (;;) {
      const left = await client.read<{ job: JobRecord }[]>('list', `/v2/jobs?state=${state}`);
      if (left.length === 0) break;
      await Promise.all(
        left.map(async ({ job: { id } }) => {
          const { status } = await client.send('cancel', `/v2/jobs/${id}/cancel`, { method: 'PUT' });
          const job = requests.jobs.get(id);
          if (status === 204 && job !== undefined) job.isCancelled = true;
          // It may have ended since it was listed.
          assert.ok([204, 409].includes(status), `cancel: ${status}`);
        }),
      );
    }
  }
  const jobs = await listAll(client);
  client.close();
  follower.close();
  await waitUntilDescriptorsReturn(daemon.pid, descriptors);
  const atEnd = await usageOf(daemon.pid);
  await daemon.end('SIGTERM');
  const restarted = await startDaemonProcess(data, [...flags, '--jobs', '0']);
  const again = new JsonClient(restarted.url, new Latencies(), 1);
  const jobsAgain = await listAll(again);
  again.close();
  await restarted.end('SIGTERM');

  const half = samples[Math.floor(samples.length / 2)];
  const last = samples.at(-1);
  assert.ok(half !== undefined && last !== undefined);
  const growth = last.megabytes - half.megabytes;
  load.close([
    `${requests.answered} requests over ${connections} connections, ${(requests.answered / loadSeconds).toFixed(0)} per second, ${requests.jobs.size} jobs`,
    `${encodes} encodes in ${(loadedMs / 1000).toFixed(1)} s, ${(loadedMs / unloadedMs).toFixed(2)} times as long as without load`,
    usageText({ start: atStart, end: atEnd }),
    `memory grew by ${growth.toFixed(1)} MB in the second half of the load`,
    ...latencies.lines(),
  ]);
  const acknowledged = [...requests.jobs.values()];
  const marks = jobs.map(({ pass_through: mark }) => mark).filter((mark) => mark !== null);
  assert.equal(marks.toSorted(), acknowledged.map(({ mark }) => mark).toSorted(), 'the jobs that exist');
  const stateOf = new Map(jobs.map(({ id, state }) => [id, state]));
  for (const { id, isCancelled, isResubmitted } of acknowledged)
    if (isCancelled && !isResubmitted) assert.is(stateOf.get(id), 'cancelled', `job ${id}`);
  assert.equal(
    jobsAgain.map(({ id, state }) => [id, state]),
    jobs.map(({ id, state }) => [id, state]),
    'after a restart',
  );
  const grownJobs = last.jobs - half.jobs;
  assert.ok(
    growth < maxGrowthMegabytes + (maxBytesPerJob * grownJobs) / 1e6,
    `the memory grew by ${growth.toFixed(0)} MB`,
  );
});

test.run();
