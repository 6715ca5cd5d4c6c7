import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeJobs } from '../helpers/make-jobs.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

const test = suite('the retention of jobs');

const msPerDay = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * msPerDay);
const hostedToken = (index: number) => index.toString(16).padStart(32, '0');

/** A data folder with a hundred jobs, one for each day, and the hosted files of some. */
function folderWithJobs(hostedIndexes: readonly number[]) {
  const data = join(tempFolder(), 'data');
  const ids = makeJobs(data, { count: 100, firstEnd: daysAgo(100.5), lastEnd: daysAgo(1.5) });
  for (const index of hostedIndexes) {
    const folder = join(data, 'hosted', hostedToken(index));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'film-0.mp4'), 'film');
  }
  const isHosted = (index: number) => existsSync(join(data, 'hosted', hostedToken(index), 'film-0.mp4'));
  return { data, ids, isHosted };
}

const linesAbout = ({ logLines }: TestDaemon) => logLines.filter((line) => line.includes('Removed'));

async function removalLines(daemon: TestDaemon, count: number): Promise<readonly string[]> {
  await waitUntil('old jobs are removed', () => linesAbout(daemon).length >= count);
  return linesAbout(daemon);
}

const usageOf = (daemon: TestDaemon) =>
  daemon.read(`/v2/reports/vod?from=${day(daysAgo(59))}&to=${day(daysAgo(0))}`);

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

async function statusOf(daemon: TestDaemon, id: number | undefined): Promise<number> {
  return (await daemon.request(`/v2/jobs/${id}`)).status;
}

test('jobs that ended longer ago than --keep-days are removed with their hosted files, and usage is kept', async () => {
  const { data, ids, isHosted } = folderWithJobs([10, 90]);
  const before = await startTestDaemon({ dataFolder: data, jobs: 0 });
  const usage = await usageOf(before);
  assert.equal(linesAbout(before), []);
  await before.stop();
  const daemon = await startTestDaemon({ dataFolder: data, jobs: 0, keepDays: 30 });
  const lines = await removalLines(daemon, 1);
  assert.equal(lines, ['info Removed 71 old jobs (--keep-days 30). Reports still include the usage.']);
  // Every second job is the owner's: the last that is removed, and the first that is kept.
  assert.equal([await statusOf(daemon, ids[70]), await statusOf(daemon, ids[72])], [404, 200]);
  assert.equal([isHosted(10), isHosted(90)], [false, true]);
  assert.equal(await usageOf(daemon), usage);
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
  assert.ok(id > (ids.at(-1) ?? 0));
  await daemon.stop();
  // All files of removed jobs are gone, and the record says so.
  const again = await startTestDaemon({ dataFolder: data, jobs: 0 });
  assert.is(await statusOf(again, ids[70]), 404);
  assert.equal(await usageOf(again), usage);
  await again.stop();
});

test('the oldest of more jobs than --keep-jobs are removed as soon as others end, and jobs that wait are not', async () => {
  const { data, ids } = folderWithJobs([]);
  const daemon = await startTestDaemon({ dataFolder: data, jobs: 0, keepJobs: 20 });
  const [first = ''] = await removalLines(daemon, 1);
  assert.match(first, 'info Removed 80 old jobs (--keep-jobs 20).');
  assert.equal([await statusOf(daemon, ids[78]), await statusOf(daemon, ids[80])], [404, 200]);
  const [waiting, cancelled] = [
    await daemon.create({ input: 'http://127.0.0.1:9/a.mp4' }),
    await daemon.create({ input: 'http://127.0.0.1:9/b.mp4' }),
  ];
  assert.is((await daemon.request(`/v2/jobs/${cancelled}/cancel`, { method: 'PUT' })).status, 204);
  const [, second = ''] = await removalLines(daemon, 2);
  assert.match(second, 'info Removed 1 old job (--keep-jobs 20).');
  assert.equal(
    [await statusOf(daemon, ids[80]), await statusOf(daemon, waiting), await statusOf(daemon, cancelled)],
    [404, 200, 200],
  );
  await daemon.stop();
});

test('a daemon that is stopped while it removes jobs removes the others after the next start', async () => {
  const data = join(tempFolder(), 'data');
  makeJobs(data, { count: 3000, firstEnd: daysAgo(90), lastEnd: daysAgo(80) });
  const daemon = await startTestDaemon({ dataFolder: data, jobs: 0, keepDays: 30 });
  const done = join(data, 'jobs', 'done', '0', 'removed.json');
  await waitUntil('the first jobs are removed', () => existsSync(done));
  await daemon.stop();
  const again = await startTestDaemon({ dataFolder: data, jobs: 0, keepDays: 30 });
  // It logs no removal if the first one was stopped so late that nothing was left.
  const jobs = await pollUntil(
    () => again.read<readonly unknown[]>('/v2/jobs'),
    ({ length }) => length === 0,
  );
  assert.equal(jobs, []);
  await again.stop();
});

test.run();
