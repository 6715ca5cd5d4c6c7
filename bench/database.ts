import { randomBytes, randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { hashKey } from '../daemon/store/accounts/keys.js';
import type { CreatedRecord, JobProgressRecord } from '../src/shared/records.js';
import { routePath } from '../src/shared/routes.js';
import { findPostgres, type PostgresServer, startPostgres } from '../test/helpers/postgres.js';
import { waitUntil } from '../test/helpers/wait-until.js';
import { startWorker } from '../test/helpers/worker-process.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { addWaitingJobs } from './database-jobs.js';
import { formatRequest, type Load, type LoadGenerator, startLoad } from './http-load.js';
import type { LoadResult } from './load.js';
import { alternate, type Figure, ratiosOf, spreadOf } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';

const connections = 32;
const sliceMs = 3000;
const waitingCount = 100_000;
const manyAccounts = 1000;
/** With this pause, 16 connections send about 250 creates a second. */
const pacedConnections = 16;
const pauseMs = 50;
const film = 'http://media.example.com/films/a-film-with-a-name-of-usual-length.mp4';
const headers = { 'Service-Api-Key': 'a-key-for-the-bench-only' };

/** A database with a daemon that runs no job itself. */
interface Filled {
  readonly name: string;
  readonly dispatcher: BenchDaemon;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Measures daemons on a PostgreSQL database of this machine, which writes to the disk: creates, compared with those of a data folder; lists and
 * progress during creates; and how soon a new job is claimed while 100,000 others wait that no machine can run.
 */
export async function measureDatabase(folder: string, rounds: number): Promise<readonly Figure[]> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  const { ffmpeg } = await requireFfmpeg();
  const clip = await makeClip(ffmpeg.path, folder, { size: '640x360', seconds: 1, megabits: 1 });
  const server = await startPostgres(found.bin);
  const generators = [startLoad(), startLoad()] as const;
  const stops: (() => Promise<void>)[] = [() => server.end(), ...generators.map(({ stop }) => stop)];
  try {
    const plain = await startDaemon(join(folder, 'plain'), folder, ['--jobs', '0']);
    stops.push(plain.stop);
    const empty = await startFilled(server, folder, null);
    stops.push(empty.dispatcher.stop);
    const figures = [...(await createFigures(rounds, generators, { plain, database: empty.dispatcher }))];
    for (const accounts of [1, manyAccounts]) {
      const filled = await startFilled(server, folder, accounts);
      stops.push(filled.dispatcher.stop);
      const what = `${waitingCount.toLocaleString('en')} waiting, ${accounts} account${accounts === 1 ? '' : 's'}`;
      if (accounts === 1) figures.push(...(await readFigures(rounds, generators, filled.dispatcher, what)));
      figures.push(...(await claimFigures(rounds, { folder, clip, server, filled, what })));
    }
    return figures;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

async function startFilled(server: PostgresServer, folder: string, accounts: number | null): Promise<Filled> {
  const name = await server.createDatabase();
  const key = randomBytes(32).toString('base64');
  const env = { VENC_DATABASE: server.dsn(name), VENC_DATABASE_KEY: key };
  const start = () => startDaemon(join(folder, `${name}-dispatcher`), folder, ['--jobs', '0'], env);
  const dispatcher = await start();
  if (accounts === null) return { name, dispatcher, env };
  // No machine has the label.
  await create(dispatcher.url, film, { requires: ['absent'] });
  await dispatcher.stop();
  await addWaitingJobs(server, name, { count: waitingCount, accounts });
  return { name, dispatcher: await start(), env };
}

/** Creates of a daemon with a database and of one with a data folder, in turn. */
async function createFigures(
  rounds: number,
  [generator]: readonly [LoadGenerator, LoadGenerator],
  daemons: { readonly plain: BenchDaemon; readonly database: BenchDaemon },
): Promise<readonly Figure[]> {
  const slice = (daemon: BenchDaemon) => () =>
    generator.run({
      ...createLoad(daemon.url),
      connections,
      atMost: { milliseconds: sliceMs, requests: Number.POSITIVE_INFINITY },
    });
  const { plain, database } = await alternate<'plain' | 'database', LoadResult>(rounds, {
    plain: slice(daemons.plain),
    database: slice(daemons.database),
  });
  const rates = (results: readonly LoadResult[]) => results.map(({ perSecond }) => perSecond);
  const text = (results: readonly LoadResult[]) => `${Math.round(spreadOf(rates(results)).median)}/s`;
  const basis = `${text(database)}, data folder ${text(plain)}; ${loadText()}`;
  return [
    {
      name: 'database: time of one of many creates',
      unit: 'ms',
      value: spreadOf(rates(database).map((rate) => 1000 / rate)),
      atMost: 5,
      basis,
    },
    {
      name: 'database: creates, data folder',
      unit: 'x',
      value: spreadOf(ratiosOf(rates(database), rates(plain))),
      atMost: null,
      basis,
    },
  ];
}

/** The slowest lists and progress requests during creates, while many jobs wait. */
async function readFigures(
  rounds: number,
  [creator, reader]: readonly [LoadGenerator, LoadGenerator],
  { url }: BenchDaemon,
  what: string,
): Promise<readonly Figure[]> {
  const created = await create(url, film, { requires: ['absent'] });
  const forTime = { milliseconds: sliceMs, requests: Number.POSITIVE_INFINITY };
  const slice = (path: string) => async () => {
    const creating = creator.run({
      ...createLoad(url),
      ...{ connections: pacedConnections, pauseMs, atMost: forTime },
    });
    const request = formatRequest(url, path, { headers });
    const read = { port: Number(new URL(url).port), requests: [request], lengths: null, status: 200 };
    const reading = await reader.run({ ...read, connections: 2, pauseMs: 20, atMost: forTime });
    return { reading, perSecond: (await creating).perSecond };
  };
  const samples = await alternate<'list' | 'progress', Awaited<ReturnType<ReturnType<typeof slice>>>>(
    rounds,
    {
      list: slice(routePath('listJobs')),
      progress: slice(routePath('jobProgress', { id: Number(created) })),
    },
  );
  return (['list', 'progress'] as const).map((name) => ({
    name: `database: p99 of ${name} during creates`,
    unit: 'ms',
    value: spreadOf(samples[name].map(({ reading }) => reading.p99Ms)),
    atMost: 50,
    basis: `${Math.round(spreadOf(samples[name].map(({ perSecond }) => perSecond)).median)} creates/s; ${what}; ${loadText()}`,
  }));
}

interface ClaimParts {
  readonly folder: string;
  readonly clip: string;
  readonly server: PostgresServer;
  readonly filled: Filled;
  readonly what: string;
}

/** The time from a create at one daemon until a worker of it, or another daemon, has the job. */
async function claimFigures(rounds: number, parts: ClaimParts): Promise<readonly Figure[]> {
  const { folder, clip, server, filled, what } = parts;
  const { name, dispatcher, env } = filled;
  const claim = () => claimMs(dispatcher.url, pathToFileURL(clip).href);
  const measured = async () => (await alternate(rounds, { claim })).claim;
  const figureOf = (by: string, samples: readonly number[]): Figure => ({
    name: `database: create until claim by ${by}`,
    unit: 'ms',
    value: spreadOf(samples),
    atMost: 1500,
    basis: `${what}; ${loadText()}`,
  });
  const other = await startDaemon(join(folder, `${name}-other`), folder, ['--jobs', '1'], env);
  const bySlot = await measured().finally(other.stop);
  const token = `vencw_${randomBytes(32).toString('base64url')}`;
  const row = `'${randomUUID().slice(0, 8)}', '${hashKey(token)}', '${new Date().toISOString()}'`;
  await server.query(name, `insert into venc.worker_keys (id, hash, created_at) values (${row})`);
  const again = await startDaemon(join(folder, `${name}-again`), folder, ['--jobs', '0'], env);
  const worker = startWorker(again.url, token, ['--name', 'bench'], join(folder, `${name}-worker`));
  try {
    await waitUntil('the worker has joined', () => /has joined/.test(worker.written()));
    return [figureOf('a free daemon', bySlot), figureOf('a free worker', await measured())];
  } finally {
    await worker.end('SIGTERM');
    await again.stop();
  }
}

async function claimMs(url: string, input: string): Promise<number> {
  const start = performance.now();
  const id = await create(url, input, {});
  let claimedMs = Number.NaN;
  for (;;) {
    const response = await fetch(url + routePath('jobProgress', { id: Number(id) }), { headers });
    const { state } = (await response.json()) as JobProgressRecord;
    if (Number.isNaN(claimedMs) && state !== 'waiting' && state !== 'pending')
      claimedMs = performance.now() - start;
    if (state === 'failed') throw new Error(`job ${id} has failed`);
    if (state === 'finished') return claimedMs;
    await sleep(10);
  }
}

async function create(url: string, input: string, more: object): Promise<number> {
  const response = await fetch(url + routePath('createJob'), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ input, outputs: [{ height: 180 }], ...more }),
  });
  if (!response.ok)
    throw new Error(`the create was answered with ${response.status}: ${await response.text()}`);
  return Number(((await response.json()) as CreatedRecord).id);
}

/** Creates of jobs that no machine can run. */
function createLoad(url: string): Load {
  const body = JSON.stringify({ input: film, requires: ['absent'] });
  const request = formatRequest(url, routePath('createJob'), { method: 'POST', headers, body });
  return { port: Number(new URL(url).port), requests: [request], lengths: null, status: 201 };
}

function loadText(): string {
  return `load average ${loadavg()[0]?.toFixed(1)}`;
}
