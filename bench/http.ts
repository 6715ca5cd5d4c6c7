import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Job } from '../daemon/jobs/job.js';
import { routePath } from '../src/shared/routes.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { fillDataFolder } from './http-jobs.js';
import { formatRequest, type Load, type LoadGenerator, loadOf, startLoad } from './http-load.js';
import type { LoadResult } from './load.js';
import { alternate, type Figure, ratiosOf, spreadOf } from './measure.js';

const sliceMs = 300;
/** Few, so that the small store stays small. */
const createsPerSlice = 96;
/** Duration of the unmeasured slices at first, until the engine has compiled the hot code. */
const warmUpMs = 1500;
/** Number of the latest jobs that are requested: a page of the list, including the waiting jobs. */
const latestCount = 50;
const sizes = { few: 100, many: 10_000 } as const;

/** A daemon on a filled data folder. */
export interface Filled {
  readonly daemon: BenchDaemon;
  readonly folder: string;
  readonly jobs: readonly Job[];
  readonly headers: Readonly<Record<string, string>>;
}

/** One kind of request, compared with responses of the same size from a bare app. */
interface HttpOperation {
  readonly name: string;
  readonly atLeast: number;
  readonly connections: number;
  readonly load: (filled: Filled) => Promise<Load>;
  readonly bare: (url: string, filled: Filled, load: Load) => Promise<Load>;
  readonly atMost: { readonly milliseconds: number; readonly requests: number };
}

const forTime = { milliseconds: sliceMs, requests: Number.POSITIVE_INFINITY };
const forCount = { milliseconds: Number.POSITIVE_INFINITY, requests: createsPerSlice };

const reads = { bare: repeatConstant, connections: 32, atMost: forTime } as const;

/** The operations, by name; `create` is the last one, because it adds jobs. */
export const operations = {
  progress: {
    ...reads,
    name: 'progress',
    atLeast: 0.7,
    load: (filled) =>
      latest(filled, ({ outputs }) => outputs.map(({ id }) => `${routePath('outputProgress', { id })}.json`)),
  },
  details: {
    ...reads,
    name: 'job details',
    atLeast: 0.4,
    load: (filled) => latest(filled, ({ id }) => [`${routePath('jobDetails', { id })}.json`]),
  },
  list: {
    ...reads,
    name: `list of ${latestCount}`,
    atLeast: 0.55,
    load: ({ daemon, headers }) => loadOf(daemon.url, [`${routePath('listJobs')}.json`], headers),
  },
  create: {
    name: 'create',
    atLeast: 1,
    connections: 10,
    load: createRequests,
    bare: keptFiles,
    atMost: forCount,
  },
} as const satisfies Record<string, HttpOperation>;

/**
 * Measures the requests per second of the daemon, with 100 and with 10,000 stored jobs, compared with a bare Hono
 * app. Daemons, app and load generator are separate processes; with two cores, generator and server have one each.
 */
export async function measureHttp(folder: string, rounds: number): Promise<readonly Figure[]> {
  const bareFolder = join(folder, 'bare');
  await mkdir(bareFolder, { recursive: true });
  const stops: (() => Promise<void>)[] = [];
  try {
    const bare = await startBare(bareFolder);
    stops.push(bare.stop);
    const few = await filledDaemon(join(folder, 'few'), sizes.few);
    stops.push(few.daemon.stop);
    const many = await filledDaemon(join(folder, 'many'), sizes.many);
    stops.push(many.daemon.stop);
    const generator = startLoad();
    stops.push(generator.stop);
    const figures: Figure[] = [];
    for (const operation of Object.values(operations)) {
      const load = { few: await operation.load(few), many: await operation.load(many) };
      const loads = { bare: await operation.bare(bare.url, many, load.many), ...load };
      figures.push(...(await figuresOf(operation, rounds, generator, loads)));
    }
    return figures;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

type Loads = Readonly<Record<'bare' | 'few' | 'many', Load>>;

async function figuresOf(
  { name, atLeast, connections, atMost }: HttpOperation,
  rounds: number,
  generator: LoadGenerator,
  loads: Loads,
): Promise<readonly Figure[]> {
  const slice = (load: Load) => () => generator.run({ ...load, connections, atMost });
  for (const load of Object.values(loads)) {
    await generator.run({ ...load, connections, atMost: { ...atMost, milliseconds: warmUpMs } });
  }
  const { bare, few, many } = await alternate<keyof Loads, LoadResult>(rounds, {
    bare: slice(loads.bare),
    few: slice(loads.few),
    many: slice(loads.many),
  });
  const figure = (what: string, ratios: readonly number[], minimum: number, basis: string): Figure => ({
    name: `http: ${name}${what}`,
    unit: 'x',
    value: spreadOf(ratios),
    atMost: null,
    atLeast: minimum,
    basis,
  });
  const [ours, ofFew] = [many.map(rate), few.map(rate)];
  const busy = Math.round(100 * spreadOf(bare.map(({ busyRatio }) => busyRatio)).median);
  return [
    figure(
      '',
      ratiosOf(ours, bare.map(rate)),
      atLeast,
      `${text(ours)}, bare Hono ${text(bare.map(rate))} (generator ${busy}% busy)`,
    ),
    figure(
      `, ${sizes.many.toLocaleString('en')} jobs to ${sizes.few}`,
      ratiosOf(ours, ofFew),
      0.9,
      `${text(ours)} to ${text(ofFew)}`,
    ),
  ];
}

function rate({ perSecond }: LoadResult): number {
  return perSecond;
}

function text(rates: readonly number[]): string {
  return `${Math.round(spreadOf(rates).median).toLocaleString('en')}/s`;
}

/** Starts a daemon that encodes nothing on a new data folder with so many jobs. */
export async function filledDaemon(
  folder: string,
  size: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Filled> {
  const jobs = await fillDataFolder(folder, size);
  const daemon = await startDaemon(folder, folder, ['--jobs', '0'], env);
  return { daemon, folder, jobs, headers: { 'Zencoder-Api-Key': daemon.env.VENC_API_KEY ?? '' } };
}

function latest({ daemon, jobs, headers }: Filled, pathsOf: (job: Job) => readonly string[]): Promise<Load> {
  return loadOf(daemon.url, jobs.slice(-latestCount).flatMap(pathsOf), headers);
}

function repeatConstant(url: string, _: Filled, { lengths }: Load): Promise<Load> {
  const all = lengths ?? [];
  const mean = Math.round(all.reduce((sum, length) => sum + length, 0) / all.length);
  return loadOf(url, [`/constant/${mean}`]);
}

const createBody = JSON.stringify({
  input: 'http://media.example.com/films/a-film-with-a-name-of-usual-length.mp4',
});

async function createRequests({ daemon, headers }: Filled): Promise<Load> {
  const parts = { method: 'POST', headers, body: createBody };
  return postsOf(daemon.url, formatRequest(daemon.url, `${routePath('createJob')}.json`, parts));
}

/** The same body, posted to the bare app, which writes a file with the size of the file of a waiting job. */
async function keptFiles(url: string, { folder }: Filled): Promise<Load> {
  const active = join(folder, 'jobs', 'active');
  const [name = ''] = await readdir(active);
  const { size } = await stat(join(active, name));
  return postsOf(url, formatRequest(url, `/files/${size}`, { method: 'POST', body: createBody }));
}

function postsOf(url: string, request: string): Load {
  return { port: Number(new URL(url).port), requests: [request], lengths: null, status: 201 };
}

/** The bare app of `http-bare.ts`, in a separate process. */
interface BareServer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Starts the bare app, which writes its files to a folder. */
export async function startBare(folder: string, env: NodeJS.ProcessEnv = {}): Promise<BareServer> {
  const program = fileURLToPath(new URL('./http-bare.js', import.meta.url));
  const child = spawn(process.execPath, [program, folder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`the bare app exited with ${code} before it was ready`);
  });
  failed.catch(() => {});
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
