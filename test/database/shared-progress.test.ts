import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileProgress } from '../../daemon/jobs/progress.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { createPostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import { type SharedProgress, shareProgress } from '../../daemon/store/postgres/progress.js';
import { applying, draftFor } from '../contracts/job-store/store-facts.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'progress that daemons share';

const encoding = (percent: number): FileProgress => ({
  event: 'transcoding',
  percent,
  overallPercent: percent,
  fps: 123.4,
  speed: 4.12,
  eta_in_ms: 123_456,
});

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const database = await server.createDatabase();
  const open: (() => Promise<void>)[] = [];
  const closingLine: string[] = [];

  test.after.each(async () => {
    for (const close of open.splice(0)) await close();
  });
  test.after(() => server.end());

  /** What a daemon has of the database, and its progress. */
  const openDaemon = async (elapsedMs?: () => number) => {
    const lines: string[] = [];
    const payloads: string[] = [];
    const log = (_level: string, message: string) => lines.push(message);
    const opened = await openPostgresDatabase(server.dsn(database), { log });
    const store = await createPostgresJobStore({ database: opened, log });
    const tracker = new ProgressTracker();
    const clock = elapsedMs === undefined ? {} : { elapsedMs };
    const sharing: SharedProgress = await shareProgress({
      ...{ database: opened, progressTracker: tracker, store, log },
      ...clock,
    });
    opened.channel.subscribe('progress', {
      onMessage: (message) => payloads.push(JSON.stringify(message)),
      onGap: () => undefined,
    });
    const close = async () => {
      await sharing.close();
      await store.close();
      await opened.close();
    };
    open.push(close);
    const percentOf = (jobId: number, fileId: number) => tracker.read(jobId).get(fileId)?.percent;
    return { store, tracker, sharing, lines, payloads, percentOf };
  };
  type Daemon = Awaited<ReturnType<typeof openDaemon>>;

  /** Creates a job whose run reports a percentage of its output. Returns the ids of both. */
  const run = async ({ store, tracker }: Pick<Daemon, 'store' | 'tracker'>, percent: number) => {
    const { id, outputs } = await store.create(draftFor());
    await store.update(id, applying({ type: 'claimed', token: 'a' }));
    tracker.start(id);
    const output = outputs[0]?.id ?? 0;
    tracker.update(id, output, encoding(percent));
    return { id, output };
  };

  test('the progress of a run reaches every daemon, until the run ends', async () => {
    const [here, there, third] = [await openDaemon(), await openDaemon(), await openDaemon()];
    const notified = new Set<number>();
    there.tracker.watch((jobId) => notified.add(jobId));
    const { id, output } = await run(here, 10);
    for (const { percentOf } of [there, third])
      await waitUntil('it is known', () => percentOf(id, output) === 10);
    assert.ok(notified.has(id));
    const startMs = performance.now();
    here.tracker.update(id, output, encoding(20));
    await waitUntil('it is updated', () => there.percentOf(id, output) === 20);
    closingLine.push(`an update arrived after ${Math.round(performance.now() - startMs)} ms`);
    assert.equal(there.tracker.read(id).get(output), encoding(20));
    assert.is(there.tracker.own.size, 0);

    here.tracker.clear(id);
    await waitUntil('the run has ended', () => there.tracker.read(id).size === 0);
    assert.is((await there.store.get(id))?.state, 'processing');
  });

  test('a run is dropped when its job is no longer processed, without a word of its daemon', async () => {
    const [here, there] = [await openDaemon(), await openDaemon()];
    const { id, output } = await run(here, 10);
    await waitUntil('it is known', () => there.percentOf(id, output) === 10);
    await here.sharing.close();
    await here.store.update(id, applying({ type: 'cancelled' }));
    await waitUntil('the run is dropped', () => there.tracker.read(id).size === 0);
  });

  test('a daemon that starts gets the progress of runs that report nothing', async () => {
    const here = await openDaemon();
    const { id, output } = await run(here, 33);
    await waitUntil('it is published', () => here.payloads.some((payload) => payload.includes('33')));
    const startMs = performance.now();
    const there = await openDaemon();
    await waitUntil('it is known', () => there.percentOf(id, output) === 33);
    closingLine.push(`the state was known after ${Math.round(performance.now() - startMs)} ms`);
  });

  test('another run of the job in another daemon replaces the first one, and the own run is preferred', async () => {
    const [first, second, third] = [await openDaemon(), await openDaemon(), await openDaemon()];
    const { id, output } = await run(first, 90);
    for (const { percentOf } of [second, third])
      await waitUntil('it is known', () => percentOf(id, output) === 90);
    second.tracker.start(id);
    assert.is(second.tracker.read(id).size, 0);
    await waitUntil('it begins again', () => third.tracker.read(id).size === 0);
    second.tracker.update(id, output, encoding(1));
    await waitUntil('it is updated', () => third.percentOf(id, output) === 1);
    first.tracker.clear(id);
    await waitUntil('the first daemon shows the second run', () => first.percentOf(id, output) === 1);
    assert.is(second.percentOf(id, output), 1);
    await waitUntil('the end is published', () => third.payloads.some((one) => one.includes('isEnded')));
    assert.is(third.percentOf(id, output), 1);
  });

  test('a run of which nothing was heard for 30 seconds is forgotten', async () => {
    let elapsed = 0;
    const here = await openDaemon();
    const there = await openDaemon(() => elapsed);
    const { id, output } = await run(here, 10);
    await waitUntil('it is known', () => there.percentOf(id, output) === 10);
    await here.sharing.close();
    elapsed = 30_000;
    there.sharing.refresh();
    assert.is(there.percentOf(id, output), 10);
    elapsed = 30_001;
    there.sharing.refresh();
    assert.is(there.tracker.read(id).size, 0);
  });

  test('a run of many files is published in parts', async () => {
    const [here, there] = [await openDaemon(), await openDaemon()];
    const { id } = await run(here, 10);
    for (let file = 1; file <= 300; file += 1) here.tracker.update(id, id + 1000 + file, encoding(50));
    await waitUntil('all are known', () => there.tracker.read(id).size === 301);
    assert.ok(there.payloads.length >= 5);
    assert.ok(there.payloads.every((payload) => Buffer.byteLength(payload) < 8000));
    const bytes = there.payloads.reduce((sum, payload) => sum + payload.length, 0);
    closingLine.push(`${Math.round(bytes / 301)} bytes per file`);
  });

  test('a database that fails disturbs no run, and progress is known again after it', async () => {
    const [here, there] = [await openDaemon(), await openDaemon()];
    const { id, output } = await run(here, 10);
    await waitUntil('it is known', () => there.percentOf(id, output) === 10);
    await server.kill();
    here.tracker.update(id, output, encoding(20));
    await waitUntil('it fails', () => here.lines.some((line) => line.startsWith('Progress could not be')));
    here.tracker.update(id, output, encoding(30));
    assert.is(here.percentOf(id, output), 30);
    await server.restart();
    await waitUntil('it is known again', () => there.percentOf(id, output) === 30);
    assert.is(here.lines.filter((line) => line.startsWith('Progress could not be')).length, 1);
  });

  test('notifications of another form are ignored', async () => {
    const [here, there] = [await openDaemon(), await openDaemon()];
    const bad = ['', '{', '[]', '{"from":"a","items":[{"job":1},{"job":1,"run":1,"file":{}}]}'];
    const payloads = ['', 'other {}', 'job {"id":1}', ...bad.map((text) => `progress ${text}`)];
    for (const payload of payloads)
      await server.query(database, `select pg_notify('venc_messages', '${payload}')`);
    const { id, output } = await run(here, 10);
    await waitUntil('it is known', () => there.percentOf(id, output) === 10);
    assert.is(there.tracker.read(1).size, 0);
  });

  test('times are printed', () => {
    assert.ok(closingLine.length >= 3);
    printClosingLine(name, closingLine);
  });

  test.run();
}
