import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount, findAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { defaultAccountId } from '../../daemon/jobs/job.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { checkStoredJobs } from '../helpers/load/check-stored-jobs.js';
import { JsonClient } from '../helpers/load/json-client.js';
import { Latencies } from '../helpers/load/latencies.js';
import { beginLoadSuite, usageText } from '../helpers/load/load-suite.js';
import { type ProcessUsage, usageOf } from '../helpers/load/process-usage.js';
import { type StoredJob, writeStoredJobs } from '../helpers/load/stored-jobs.js';
import { tempFolder } from '../helpers/temp.js';

const load = beginLoadSuite('stored-jobs');
const count = load.isLong ? 100_000 : 5000;
const rounds = load.isLong ? 40 : 15;
const removedShare = 0.05;
const concurrency = 16;
/** What the daemon may need more than one without jobs. */
const maxMegabytes = 64;
const maxBytesPerJob = 1000;

const test = suite('a data folder with many jobs');
const folder = tempFolder();
test.after(killDaemons);
// Here, and not when the process ends: the runner does not wait so long for a process whose tests have ended.
test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Started {
  readonly daemon: DaemonProcess;
  readonly readyMs: number;
  readonly usage: ProcessUsage;
}

async function start(dataFolder: string): Promise<Started> {
  const before = performance.now();
  const daemon = await startDaemonProcess(dataFolder, ['--jobs', '1', '--min-free', '0', '--grace', '0s']);
  return { daemon, readyMs: performance.now() - before, usage: await usageOf(daemon.pid) };
}

test('lists, jobs and reports are right with many jobs, also after removals, a restart and a crash', async () => {
  const data = join(folder, 'data');
  const empty = await start(join(folder, 'empty'));
  await empty.daemon.end('SIGTERM');
  const { key: otherKey } = await createAccount(openFolderSetup(data), 'other');
  const { id: otherId } = await findAccount(openFolderSetup(data), 'other');
  const accountIds = [defaultAccountId, otherId] as const;
  const { random } = load;
  const began = performance.now();
  const jobs = writeStoredJobs(data, { count, accountIds, random, now: new Date() });
  const writtenMs = performance.now() - began;

  const latencies = new Latencies();
  const removed = new Set<StoredJob>();
  const check = async ({ url }: DaemonProcess): Promise<void> => {
    for (const [accountId, key] of [
      [defaultAccountId, processKey],
      [otherId, otherKey],
    ] as const) {
      const client = new JsonClient(url, latencies, concurrency, key);
      const isOwn = (job: StoredJob) => job.accountId === accountId;
      const isVisible = (job: StoredJob) => isOwn(job) && !removed.has(job);
      const expected = {
        jobs: jobs.filter(isVisible),
        used: jobs.filter(isOwn),
        hidden: jobs.filter((job) => !isVisible(job)),
        rounds,
      };
      await checkStoredJobs(client, expected, random);
      client.close();
    }
  };
  const first = await start(data);
  await check(first.daemon);
  const client = new JsonClient(first.daemon.url, latencies, concurrency);
  const chosen = jobs.filter(({ accountId }) => accountId === defaultAccountId && random() < removedShare);
  await mapWithConcurrency(chosen, concurrency, async (job) => {
    await client.expect(204, 'remove', `/v2/jobs/${job.id}`, { method: 'DELETE' });
    removed.add(job);
  });
  client.close();
  await check(first.daemon);
  const atEnd = await usageOf(first.daemon.pid);
  await first.daemon.end('SIGTERM');
  const restarted = await start(data);
  await check(restarted.daemon);
  await restarted.daemon.end('SIGKILL');
  const afterCrash = await start(data);
  await check(afterCrash.daemon);
  await afterCrash.daemon.end('SIGTERM');

  const bytesPerJob = ((restarted.usage.megabytes - empty.usage.megabytes) * 1e6) / (count - removed.size);
  load.close([
    `${count} jobs written in ${(writtenMs / 1000).toFixed(1)} s, ${removed.size} removed`,
    `ready in ${[empty, first, restarted, afterCrash].map(({ readyMs }) => readyMs.toFixed(0)).join(' -> ')} ms (no jobs, first start, restart, after kill -9)`,
    usageText({
      'no jobs': empty.usage,
      'first start': first.usage,
      'after the requests': atEnd,
      restart: restarted.usage,
    }),
    `${bytesPerJob.toFixed(0)} bytes per job at the restart`,
    ...latencies.lines(),
  ]);
  const growth = restarted.usage.megabytes - empty.usage.megabytes;
  assert.ok(
    growth < maxMegabytes + (maxBytesPerJob * count) / 1e6,
    `${count} jobs need ${growth.toFixed(0)} MB`,
  );
});

test.run();
