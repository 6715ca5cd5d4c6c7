import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { startKillFixture } from '../helpers/chaos/kill-fixture.js';
import { type DaemonProcess, killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  deliveryUrl,
  findDatabasePrograms,
  jobAt,
  requestTo,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { hasLastRun, holdersOf, jobHistory, logsOf, printHolders } from '../helpers/job-history.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';
import { killWorkers, startWorker, type WorkerProcess } from '../helpers/worker-process.js';

const name = 'workers that are killed and a database that is restarted';
const found = findDatabasePrograms();
const { isLong } = suiteOptions();
const jobCount = isLong ? 60 : 9;
const maxKills = isLong ? Infinity : 1;
const restartCount = isLong ? 2 : 1;
const killPauseMs = isLong ? 10_000 : 2000;
/** Each download takes 20 times as long. In the long form, the jobs take longer than the time between two kills. */
const dripPauseMs = isLong ? 600 : 60;
/** How long the database stays away. */
const awayMs = 3000;

if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  test.after(() => {
    killWorkers();
    killDaemons();
  });

  test('every job finishes once, is delivered once and is reported once', async () => {
    const beganAt = performance.now();
    const fixture = await startKillFixture(() => 1);
    const daemons = await startDatabaseDaemons(bin, fixture.env);
    const one = await daemons.start('one', 0);
    const two = await daemons.start('two', 0);
    const token = await daemons.createKey('worker');
    const ids: number[] = [];
    for (let number = 1; number <= jobCount; number += 1) {
      const tag = `film-${number}`;
      const url = number % 2 === 0 ? `s3://films/${tag}.mp4` : deliveryUrl(daemons, tag);
      const output = { url, width: 64 };
      const settings = { input: fixture.source.url(`/slow.mp4?pause=${dripPauseMs}`), output, tag };
      const id = await createAt(number % 3 === 0 ? one : two, {
        ...settings,
        notify: fixture.webhooks.url('/'),
      });
      ids.push(id);
    }
    const everStarted = new Set<WorkerProcess & { readonly name: string }>();
    const start = (worker: string): WorkerProcess & { readonly name: string } => {
      const { url } = everStarted.size % 2 === 0 ? two : one;
      const process = startWorker(url, token, ['--name', worker], undefined, fixture.env);
      const started = { ...process, name: worker };
      everStarted.add(started);
      return started;
    };
    const workers = ['a', 'b', 'c'].map(start);
    for (const worker of workers) await waitUntil('it has joined', () => /has joined/.test(worker.written()));

    let kills = 0;
    let restarts = 0;
    for (let round = 1; (await unfinishedIds(two, ids)).length > 0; round += 1) {
      await pause(killPauseMs);
      const held = holdersOf([one.logged(), two.logged()], await unfinishedIds(two, ids));
      if (kills < maxKills && !hasLastRun(held)) {
        const victim = workers.shift();
        await victim?.end('SIGKILL');
        kills += 1;
        workers.push(start(victim?.name ?? ''));
      }
      if (restarts < restartCount && round % 3 === (isLong ? 0 : 1)) {
        await daemons.server.kill();
        await pause(awayMs);
        await daemons.server.restart();
        restarts += 1;
      }
    }

    const jobs = await Promise.all(ids.map((id) => jobAt(one, id)));
    const notFinished = jobs.filter(({ state }) => state !== 'finished');
    assert.equal(
      notFinished.map(({ id, state }) => `${id} ${state}\n${historyOf(id)}`),
      [],
    );
    function historyOf(id: number): string {
      const daemonLogs = [one, two].map(({ logged }) => ({ name: 'daemon', text: logged() }));
      return jobHistory(id, [...daemonLogs, ...logsOf(everStarted)]);
    }
    const accepted = () => fixture.notifications.filter(({ isAccepted }) => isAccepted);
    await waitUntil('every notification is accepted', () => accepted().length >= jobCount).catch(() =>
      assert.unreachable(`${accepted().length} notifications of ${jobCount}: ${one.logged()}${two.logged()}`),
    );
    const tags = accepted().map(({ tag }) => tag);
    assert.is(new Set(tags).size, jobCount, 'every job is reported');
    assert.is(tags.length, jobCount, 'no job is reported twice');
    const files = readdirSync(daemons.deliveryFolder);
    const objects = readdirSync(fixture.bucketFolder).filter((file) => file.endsWith('._S3rver_object'));
    assert.is(files.length + objects.length, jobCount, 'files at the destinations');
    const today = new Date().toISOString().slice(0, 10);
    const report = await requestTo(one, `/v2/reports/vod?from=${today}&to=${today}`);
    const usage = (await report.json()) as { readonly total: { readonly encoded_minutes: number } };
    // Each film has one second.
    const seconds = usage.total.encoded_minutes * 60;
    assert.ok(Math.abs(seconds - jobCount) < jobCount * 0.1, `usage: ${seconds} s of ${jobCount} films`);
    const holders = holdersOf([one.logged(), two.logged()], ids);
    printHolders('database/worker-kills', holders);
    assert.ok([...holders.values()].every((names) => names.length > 0));
    printClosingLine(
      'database/worker-kills',
      [
        `jobs ${jobCount}`,
        `kills ${kills}`,
        `restarts of PostgreSQL ${restarts}`,
        `claims ${[...holders.values()].flat().length}`,
        `notifications ${tags.length}`,
        `files ${files.length + objects.length}`,
        `minutes ${usage.total.encoded_minutes}`,
      ],
      beganAt,
    );
    for (const worker of workers) await worker.end('SIGTERM');
    killDaemons();
    await Promise.all([daemons.close(), fixture.close()]);
  });

  test.run();
}

/** The jobs that have not ended; all jobs while the database is not available. */
async function unfinishedIds(daemon: DaemonProcess, ids: readonly number[]): Promise<readonly number[]> {
  const unfinished: number[] = [];
  for (const id of ids) {
    const response = await requestTo(daemon, `/v2/jobs/${id}`);
    const answer = (await response.json()) as { readonly job?: JobRecord };
    if (answer.job === undefined) return ids;
    if (!isFinal(answer.job.state)) unfinished.push(id);
  }
  return unfinished;
}
