import { rm } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { caseSeeds } from '../helpers/fuzz/choices.js';
import { FuzzClient } from '../helpers/fuzz/fuzz-client.js';
import { writeKeptMedia } from '../helpers/fuzz/kept-cases.js';
import { createMediaCase } from '../helpers/fuzz/media-case.js';
import { makeMediaKinds } from '../helpers/fuzz/media-kinds.js';
import { descendantsOf, megabytes, watchMemory } from '../helpers/fuzz/process-memory.js';
import { runCase } from '../helpers/fuzz/run-case.js';
import { createSuiteReport } from '../helpers/fuzz/suite-report.js';
import { suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';

/*
 * Small media files of more than twenty kinds, images and caption files, changed at random, as inputs of real jobs.
 */

const test = suite<{ daemon: DaemonProcess }>('mutated media');
const { seed, isLong } = suiteOptions();
const caseCount = isLong ? 1000 : 60;
const workerCount = 3;
const maxDaemonBytes = 500e6;
/** The limit for one ffmpeg or ffprobe. */
const maxChildBytes = Number.POSITIVE_INFINITY;
const maxFindings = 20;
const folder = tempFolder();

test.before(async (context) => {
  const flags = [
    '--jobs=2',
    '--min-free=0',
    '--stall-timeout=5s',
    '--grace=0s',
    `--files-root=${folder}`,
    '--log-format=json',
  ];
  context.daemon = await startDaemonProcess(tempFolder(), flags);
});
test.after(async ({ daemon }) => {
  await daemon.end('SIGTERM');
});

test('each file whose header claims extreme values is encoded, or fails with a class that says why', async ({
  daemon,
}) => {
  const report = createSuiteReport('kept media');
  const kinds = await makeMediaKinds(folder);
  const memory = watchMemory(daemon.pid);
  const client = new FuzzClient(daemon.url, processKey, createSuiteReport('requests'));
  const cases = (await writeKeptMedia(kinds, folder)).values();
  const worker = async () => {
    for (const { name, request } of cases) {
      const began = performance.now();
      try {
        for (const outcome of await runCase(client, request, name)) report.count(outcome);
      } catch (error) {
        report.find(error);
      }
      report.took(performance.now() - began, name);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, worker));
  const { daemonBytes, childBytes, child } = memory.peak();
  memory.stop();
  report.close({
    'daemon memory': megabytes(daemonBytes),
    'memory of a program': `${megabytes(childBytes)} (${child})`,
  });
  assert.is(report.findingCount(), 0, 'there are findings');
});

test('each mutated file is encoded, or fails with a class that says why', async ({ daemon }) => {
  const report = createSuiteReport('fuzz media');
  const kinds = await makeMediaKinds(folder);
  const memory = watchMemory(daemon.pid);
  const client = new FuzzClient(daemon.url, processKey, createSuiteReport('requests'));
  const seeds = caseSeeds(seed, caseCount).values();
  const worker = async () => {
    for (const own of seeds) {
      if (report.findingCount() >= maxFindings) return;
      const { name, request } = await createMediaCase(own, kinds, folder);
      const about = `${name}: ${JSON.stringify(request)}`;
      const began = performance.now();
      try {
        for (const outcome of await runCase(client, request, about)) report.count(outcome);
      } catch (error) {
        report.find(error);
      }
      report.took(performance.now() - began, name);
      await rm(`${folder}/case-${own}-${name.split(',')[0]}`);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, worker));
  const left = await pollUntil(
    async () => descendantsOf(daemon.pid),
    (children) => children.length === 0,
    10_000,
  );
  const { daemonBytes, childBytes, child } = memory.peak();
  memory.stop();
  for (const line of daemon.logged().split('\n'))
    if (line.includes('"level":"error"')) report.find(`the log has an error: ${line}`);
  report.close({
    'daemon memory': megabytes(daemonBytes),
    'memory of a program': `${megabytes(childBytes)} (${child})`,
  });
  assert.is(report.findingCount(), 0, 'there are findings');
  assert.equal(left, []);
  assert.ok(daemonBytes < maxDaemonBytes, `the daemon used ${megabytes(daemonBytes)}`);
  assert.ok(childBytes < maxChildBytes, `${child} used ${megabytes(childBytes)}`);
});

test.run();
