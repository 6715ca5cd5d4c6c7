import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import { openSharedWorkers } from '../../daemon/queue/remote/shared-workers.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { shareProgress } from '../../daemon/store/postgres/progress.js';
import { openWorkerTable } from '../../daemon/store/postgres/workers.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { startRelay } from '../helpers/relay.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { sampleJoin } from '../helpers/test-worker.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'the costs of daemons that share a database';
const { isLong } = suiteOptions();
const workerCount = isLong ? 1000 : 40;
const jobCount = isLong ? 100 : 10;
const syncCount = 5;
const leaseMs = 600_000;
const log = () => undefined;

/** As many names as a usual ffmpeg has: about 10 kB. */
const capabilities = {
  ...sampleJoin.capabilities,
  encoders: Array.from({ length: 200 }, (_, index) => `encoder_${index}`),
  filters: Array.from({ length: 500 }, (_, index) => `filter_${index}`),
};

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const database = await server.createDatabase();
  const closingLine: string[] = [];
  const open: (() => Promise<void>)[] = [];
  test.after.each(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  test.after(() => server.end());

  /** Opens the database as one daemon does, and counts what that costs. */
  const openDaemon = async () => {
    const relay = await startRelay(server.port);
    let statements = 0;
    const opened = await openPostgresDatabase(
      server.dsn(database).replace(`:${server.port}/`, `:${relay.port}/`),
      {
        log,
        runStatement: ({ run }) => {
          statements += 1;
          return run();
        },
      },
    );
    open.push(async () => {
      await opened.close();
      await relay.close();
    });
    return { opened, cost: () => ({ ...relay.bytes(), statements }) };
  };
  const walBytes = async () => {
    const rows = await server.query(
      database,
      "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes",
    );
    return Number(rows[0]?.bytes);
  };
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

  test('all daemons store when they saw the same workers, in one statement each, and never wait for each other', async () => {
    const daemons = await Promise.all([openDaemon(), openDaemon()]);
    const registries = await Promise.all(
      daemons.map(({ opened }) =>
        openSharedWorkers({
          table: openWorkerTable(opened),
          now: () => new Date(),
          randomToken: () => randomBytes(16).toString('hex'),
          leaseMs,
          log: (level, message) => assert.unreachable(`${level} ${message}`),
        }),
      ),
    );
    for (const registry of registries) open.push(() => registry.close());
    const [here, there] = registries as [(typeof registries)[0], (typeof registries)[0]];
    const [cost, otherCost] = daemons.map((one) => one.cost) as [
      () => ReturnType<(typeof daemons)[0]['cost']>,
      () => ReturnType<(typeof daemons)[0]['cost']>,
    ];

    const startMs = performance.now();
    const joins = await Promise.all(
      Array.from({ length: workerCount }, (_, index) =>
        here.join({ ...sampleJoin, name: `box-of-${index}`, capabilities }),
      ),
    );
    closingLine.push(`${((performance.now() - startMs) / workerCount).toFixed(1)} ms per join`);
    await waitUntil('the other daemon knows all', () => there.list().length === workerCount);
    closingLine.push(`${kilobytes(otherCost().toClient / workerCount)} per join at another daemon`);

    const wal = await walBytes();
    // A timer syncs as well: it shares the sync that runs, and none can begin between two of these.
    await here.sync();
    const before = { ...cost(), wal };
    let statements = 0;
    const startSyncMs = performance.now();
    await Promise.all(
      registries.map(async (registry) => {
        for (let round = 0; round < syncCount; round += 1) {
          for (const { workerId } of joins) registry.seen(workerId);
          await registry.sync();
        }
        if (registry === here) statements = cost().statements - before.statements;
      }),
    );
    const tookMs = performance.now() - startSyncMs;
    const after = { ...cost(), wal: await walBytes() };
    assert.is(statements, syncCount);
    const perSync = (key: 'toServer' | 'toClient' | 'wal') =>
      kilobytes((after[key] - before[key]) / syncCount);
    closingLine.push(
      `${workerCount} workers seen by both daemons: 1 statement each, ${Math.round(tookMs / syncCount)} ms for both, ${perSync('toServer')} sent and ${perSync('toClient')} received by each, ${perSync('wal')} of WAL by both`,
    );
    const [row] = await server.query(database, 'select count(*)::integer as count from venc.workers');
    assert.is(row?.count, workerCount);
  });

  test('progress costs one statement a second for all jobs of a daemon', async () => {
    const daemons = await Promise.all([openDaemon(), openDaemon()]);
    const trackers = daemons.map(() => new ProgressTracker());
    for (const [index, { opened }] of daemons.entries()) {
      const progressTracker = trackers[index] as ProgressTracker;
      const store = { watch: () => () => undefined };
      const sharing = await shareProgress({ database: opened, progressTracker, store, log });
      open.push(() => sharing.close());
    }
    const [here, there] = trackers as [ProgressTracker, ProgressTracker];
    const report = (percent: number) => {
      for (let job = 1; job <= jobCount; job += 1)
        here.update(job, 1_000_000 + job, {
          ...{ event: 'transcoding', percent, overallPercent: percent, fps: 123.4, speed: 4.12 },
          eta_in_ms: 123_456,
        });
    };
    for (let job = 1; job <= jobCount; job += 1) here.start(job);
    const isKnown = (percent: number) => there.read(jobCount).get(1_000_000 + jobCount)?.percent === percent;
    report(1);
    await waitUntil('it is known', () => isKnown(1));
    const [cost, otherCost] = daemons.map((one) => one.cost) as [
      () => ReturnType<(typeof daemons)[0]['cost']>,
      () => ReturnType<(typeof daemons)[0]['cost']>,
    ];
    const [before, otherBefore, beforeCpu] = [cost(), otherCost(), process.cpuUsage()];
    const startMs = performance.now();
    let percent = 1;
    while (performance.now() - startMs < 5000) {
      percent += 1;
      report(percent);
      await pause(250);
    }
    await waitUntil('the last is known', () => isKnown(percent));
    const seconds = (performance.now() - startMs) / 1000;
    const { user, system } = process.cpuUsage(beforeCpu);
    const statements = cost().statements - before.statements;
    assert.ok(statements <= Math.ceil(seconds) + 1, `${statements} in ${seconds} s`);
    const perSecond = (bytes: number) => Math.round(bytes / seconds / jobCount);
    closingLine.push(
      `progress of ${jobCount} files: ${(statements / seconds).toFixed(1)} statements/s, ${perSecond(cost().toServer - before.toServer)} B/s sent and ${perSecond(otherCost().toClient - otherBefore.toClient)} B/s received per file, ${((user + system) / 10_000 / seconds).toFixed(1)} % of a core for both daemons and the relays`,
    );
  });

  test('figures are printed', () => {
    assert.ok(closingLine.length >= 4);
    printClosingLine(name, closingLine);
  });

  test.run();
}
