import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFinal } from '../../src/shared/states.js';
import { hostedFiles } from '../helpers/chaos/kill-checks.js';
import { killDaemons } from '../helpers/daemon-process.js';
import { hasLastRun, holdersOf, jobHistory, logsOf, printHolders } from '../helpers/job-history.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';
import { type FleetWorker, startWorkerFleet } from '../helpers/worker-fleet.js';
import { killWorkers } from '../helpers/worker-process.js';

const test = suite('workers that are killed');
test.after.each(() => {
  killWorkers();
  killDaemons();
});

test('every job finishes once, is delivered once and is reported once', async () => {
  const beganAt = performance.now();
  const { isLong } = suiteOptions();
  // Each download takes 20 times as long as a pause. In the long form, the jobs take longer than the time between two kills.
  const [jobCount, killPauseMs, dripPauseMs] = isLong ? [60, 10_000, 600] : [18, 4000, 60];
  const fleet = await startWorkerFleet();
  const { fixture } = fleet;
  const ids: number[] = [];
  const input = fixture.source.url(`/slow.mp4?pause=${dripPauseMs}`);
  for (let number = 1; number <= jobCount; number += 1)
    ids.push(await fleet.create(`film-${number}`, { input }));
  const everStarted: FleetWorker[] = [];
  const start = async (name: string): Promise<FleetWorker> => {
    const worker = await fleet.startWorker(name);
    everStarted.push(worker);
    return worker;
  };
  const workers: FleetWorker[] = [];
  for (const name of ['one', 'two', 'three']) workers.push(await start(name));

  let kills = 0;
  const unfinishedIds = async () => {
    const jobs = await Promise.all(ids.map((id) => fleet.job(id)));
    return jobs.filter(({ state }) => !isFinal(state)).map(({ id }) => Number(id));
  };
  while ((await unfinishedIds()).length > 0) {
    await pause(killPauseMs);
    const unfinished = await unfinishedIds();
    if (isLong ? unfinished.length === 0 : kills >= 3) continue;
    if (hasLastRun(holdersOf([fleet.daemon.logged()], unfinished))) continue;
    const victim = workers.shift();
    await victim?.end('SIGKILL');
    kills += 1;
    workers.push(await start(victim?.name ?? ''));
  }

  const jobs = await Promise.all(ids.map((id) => fleet.job(id)));
  assert.equal(
    jobs
      .filter(({ state }) => state !== 'finished')
      .map(({ id, state }) => `${id} ${state}\n${historyOf(id)}`),
    [],
  );
  function historyOf(id: number): string {
    return jobHistory(id, [{ name: 'daemon', text: fleet.daemon.logged() }, ...logsOf(everStarted)]);
  }
  await waitUntil('every notification is accepted', () => accepted().length >= jobCount);
  function accepted() {
    return fixture.notifications.filter(({ isAccepted }) => isAccepted);
  }
  const tags = accepted().map(({ tag }) => tag);
  assert.equal([...new Set(tags)].length, jobCount, 'a job is not reported');
  assert.is(tags.length, jobCount, 'a job is reported twice');
  const files = readdirSync(fixture.deliveryFolder);
  const objects = readdirSync(fixture.bucketFolder).filter((name) => name.endsWith('._S3rver_object'));
  const hosted = hostedFiles(fixture.dataFolder);
  assert.equal(
    [files, objects, hosted].map(({ length }) => length),
    [jobCount / 3, jobCount / 3, jobCount / 3],
    'files at the destinations',
  );
  const today = new Date().toISOString().slice(0, 10);
  const report = await fleet.request(`/v2/reports/vod?from=${today}&to=${today}`);
  const usage = (await report.json()) as { total: { encoded_minutes: number } };
  // Each film has one second.
  const seconds = usage.total.encoded_minutes * 60;
  assert.ok(Math.abs(seconds - jobCount) < jobCount * 0.1, `usage: ${seconds} s of ${jobCount} films`);
  const holders = holdersOf([fleet.daemon.logged()], ids);
  printHolders('workers/kills', holders);
  printClosingLine(
    'workers/kills',
    [
      `jobs ${jobCount}`,
      `kills ${kills}`,
      `claims ${[...holders.values()].flat().length}`,
      `notifications ${tags.length}`,
      `files ${files.length}, objects ${objects.length}, hosted ${hosted.length}`,
      `minutes ${usage.total.encoded_minutes}`,
    ],
    beganAt,
  );
  for (const worker of workers) await worker.end('SIGTERM');
  await fleet.close();
});

test.run();
