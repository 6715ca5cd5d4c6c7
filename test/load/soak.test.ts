import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { runJobCycle } from '../helpers/load/job-cycle.js';
import { JsonClient } from '../helpers/load/json-client.js';
import { Latencies } from '../helpers/load/latencies.js';
import { beginLoadSuite, usageText } from '../helpers/load/load-suite.js';
import {
  descriptorKinds,
  type ProcessUsage,
  usageOf,
  waitUntilDescriptorsReturn,
} from '../helpers/load/process-usage.js';
import { robustSlope } from '../helpers/load/slope.js';
import { film, makeMedia } from '../helpers/media.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';
import { waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

const load = beginLoadSuite('soak');
const minutes = Number(process.env.VENC_SOAK_MINUTES ?? (load.isLong ? 60 : 0.25));
/** Jobs that live at the same time. */
const concurrentJobs = 4;
/** Jobs before the first sample: the program is then loaded and compiled. */
const warmUpJobs = load.isLong ? 100 : 8;
const sampleIntervalMs = load.isLong ? 5000 : 500;
/** What the memory may grow by in the second half of the long form, estimated from the slope: garbage that is not collected yet. */
const maxGrowthMegabytes = 32;
/**
 * What it may grow by in the short form, which ends before the memory of a new process has settled. It finds what keeps megabytes for
 * each job; only the long form finds less.
 */
const maxSettlingMegabytes = 48;
const maxMegabytesPerJob = 1;

const test = suite('soak');
test.after(killDaemons);

const ignoredFiles =
  /^(?:jobs\/done\/\d+(?:\/removed\.json)?|logs\/jobs\/\d+|logs\/daemon\.1\.log|jobs\/(?:index|journal\/\d+))$/;

interface TimedUsage extends ProcessUsage {
  readonly seconds: number;
}

/**
 * The files of a data folder without those that grow with the number of jobs, which have a folder for each thousand ids, and without
 * those that are written from time to time.
 */
async function filesIn(dataFolder: string): Promise<readonly string[]> {
  const names = await listRecursively(dataFolder);
  return names.filter((name) => !ignoredFiles.test(name)).toSorted();
}

test('memory, descriptors and files stay the same while jobs come and go', async () => {
  assert.ok(minutes > 0, 'VENC_SOAK_MINUTES must be a number of minutes');
  const folder = tempFolder();
  const data = join(folder, 'data');
  const outFolder = join(folder, 'out');
  await mkdir(outFolder);
  await makeMedia(join(folder, 'clip.mp4'), film('64x48', 1));
  const endpoint = await startWebhookEndpoint();
  const flags = ['--files-root', folder, '--min-free', '0', '--grace', '0s', '--jobs', '2'];
  const daemon = await startDaemonProcess(data, flags);
  const latencies = new Latencies();
  const client = new JsonClient(daemon.url, latencies, 2 * concurrentJobs);
  const input = pathToFileURL(join(folder, 'clip.mp4')).href;
  const { random } = load;
  const deps = { client, latencies, url: daemon.url, endpoint, input, outFolder, random };
  let count = 0;
  const runUntil = async (isOver: () => boolean): Promise<void> => {
    const lives = Array.from({ length: concurrentJobs }, async () => {
      while (!isOver()) {
        count += 1;
        await runJobCycle(deps, `job-${count}`);
      }
    });
    await Promise.all(lives);
  };
  /** Nothing is in progress, so nothing may be open. */
  const rest = async (): Promise<void> => {
    client.close();
    await waitUntilScratchIsEmpty(data);
  };
  try {
    await runUntil(() => count >= warmUpJobs);
    await rest();
    const descriptors = await descriptorKinds(daemon.pid);
    const files = await filesIn(data);
    const atStart = await usageOf(daemon.pid);

    const samples: TimedUsage[] = [];
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    const isOver = () => seconds() >= minutes * 60;
    const sampling = (async () => {
      while (!isOver()) {
        samples.push({ ...(await usageOf(daemon.pid)), seconds: seconds() });
        await sleep(sampleIntervalMs);
      }
    })();
    const before = count;
    await runUntil(isOver);
    await sampling;
    await rest();
    await waitUntilDescriptorsReturn(daemon.pid, descriptors);
    const atEnd = await usageOf(daemon.pid);
    const later = samples.slice(Math.floor(samples.length / 2));
    const slope = robustSlope(later.map((sample) => ({ seconds: sample.seconds, value: sample.megabytes })));
    const laterSeconds = (later.at(-1)?.seconds ?? 0) - (later[0]?.seconds ?? 0);
    const growth = slope * laterSeconds;
    load.close([
      `${count - before} jobs in ${minutes} minutes, ${samples.length} samples`,
      usageText({ start: atStart, end: atEnd }),
      `memory ${Math.min(...samples.map(({ megabytes }) => megabytes)).toFixed(0)} to ${Math.max(...samples.map(({ megabytes }) => megabytes)).toFixed(0)} MB`,
      `slope in the second half ${(slope * 60).toFixed(2)} MB per minute, ${growth.toFixed(1)} MB in ${laterSeconds.toFixed(0)} s`,
      `at most ${Math.max(...samples.map((sample) => sample.descriptors))} descriptors`,
      ...latencies.lines(),
    ]);
    if (load.isLong)
      assert.ok(
        growth < maxGrowthMegabytes,
        `the memory grows by ${growth.toFixed(1)} MB in ${laterSeconds.toFixed(0)} s`,
      );
    const total = atEnd.megabytes - atStart.megabytes;
    const permitted = maxSettlingMegabytes + maxMegabytesPerJob * (count - before);
    assert.ok(
      load.isLong || total < permitted,
      `the memory grows by ${total.toFixed(1)} MB in ${count - before} jobs, more than ${permitted} MB`,
    );
    assert.equal(await filesIn(data), files, 'the files in the data folder');
    assert.equal(await listRecursively(outFolder), [], 'the files of outputs');
    assert.equal(await client.read<{ job: JobRecord }[]>('list', '/v2/jobs'), [], 'the jobs');
    assert.ok(samples.length > 2);
  } finally {
    client.close();
    await daemon.end('SIGTERM');
    await endpoint.close();
  }
});

test.run();
