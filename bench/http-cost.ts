import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { filledDaemon, operations, startBare } from './http.js';
import { type Load, startLoad } from './http-load.js';
import { alternate, type Figure, ratiosOf, spreadOf } from './measure.js';
import { cpuSecondsOf } from './programs.js';

/** Few and small: only the cost of a request is measured. */
const storedJobs = 100;

/** A folder in memory, where an fsync costs nothing; Linux has one. */
const memoryFolder = '/dev/shm';

/**
 * The operations, how many requests a sample has, and the most processor time that a request may take, as a multiple of
 * that of the bare app: a quarter more than what was reached on two cores, on Node 20 and on Node 24, whichever is more,
 * where the bare app takes 17 µs: it takes from 17 to 34 µs, by how many requests arrive together. A sample has at least half a second of processor time of the daemon: the kernel counts in hundredths.
 */
const samples = {
  progress: { requests: 16_000, atMost: 4 },
  list: { requests: 6000, atMost: 2.6 },
  create: { requests: 1500, atMost: 3.5 },
} as const satisfies Partial<Record<keyof typeof operations, object>>;

interface Sample {
  readonly cpuMicroseconds: number;
  readonly perSecond: number;
}

/**
 * Measures the processor time of a request to the daemon, on a data folder in memory, compared with a bare Hono app that
 * answers the same bytes or writes the same file, each in a process of its own. The name of each such figure ends with
 * "processor time"; the others, and all of creates where an fsync takes a millisecond, are ratios of requests per second, which depend on what else the machine does.
 */
export async function measureHttpCost(folder: string, rounds: number): Promise<readonly Figure[]> {
  const figures = await measureCosts(folder, rounds, 'http in memory', samples, {});
  const slow = { NODE_OPTIONS: `--import=${new URL('./slow-fsync.js', import.meta.url).href}` };
  const { create } = samples;
  const slowFigures = await measureCosts(folder, rounds, 'http, an fsync takes 1 ms', { create }, slow);
  return [...figures, ...slowFigures.map((figure) => ({ ...figure, atMost: null }))];
}

async function measureCosts(
  folder: string,
  rounds: number,
  name: string,
  of: Partial<typeof samples>,
  env: NodeJS.ProcessEnv,
): Promise<readonly Figure[]> {
  const base = existsSync(memoryFolder) ? await mkdtemp(join(memoryFolder, 'venc-bench-')) : folder;
  const bareFolder = join(base, 'bare');
  await mkdir(bareFolder, { recursive: true });
  const stops: (() => Promise<void>)[] = [() => rm(base, { recursive: true, force: true })];
  try {
    const bare = await startBare(bareFolder, env);
    stops.push(bare.stop);
    const filled = await filledDaemon(join(base, 'data'), storedJobs, env);
    stops.push(filled.daemon.stop);
    const generator = startLoad();
    stops.push(generator.stop);
    const figures: Figure[] = [];
    for (const [key, { requests, atMost }] of Object.entries(of)) {
      const { name: what, connections, ...operation } = operations[key as keyof typeof samples];
      const load = await operation.load(filled);
      const sample = (pid: number, of: Load) => async (): Promise<Sample> => {
        const before = await cpuSecondsOf(pid);
        const limits = { milliseconds: Number.POSITIVE_INFINITY, requests };
        const result = await generator.run({ ...of, connections, atMost: limits });
        const seconds = (await cpuSecondsOf(pid)) - before;
        return { cpuMicroseconds: (seconds * 1e6) / result.requests, perSecond: result.perSecond };
      };
      const results = await alternate<'bare' | 'daemon', Sample>(rounds, {
        bare: sample(bare.pid, await operation.bare(bare.url, filled, load)),
        daemon: sample(filled.daemon.pid, load),
      });
      figures.push(...figuresOf(`${name}: ${what}`, results, atMost));
    }
    return figures;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

function figuresOf(
  name: string,
  { bare, daemon }: Readonly<Record<'bare' | 'daemon', readonly Sample[]>>,
  atMost: number,
): readonly Figure[] {
  const median = (values: readonly Sample[], of: keyof Sample) =>
    Math.round(spreadOf(values.map((sample) => sample[of])).median).toLocaleString('en');
  const ratios = (of: keyof Sample) =>
    spreadOf(
      ratiosOf(
        daemon.map((sample) => sample[of]),
        bare.map((sample) => sample[of]),
      ),
    );
  return [
    {
      name: `${name}, processor time`,
      unit: 'x',
      value: ratios('cpuMicroseconds'),
      atMost,
      basis: `${median(daemon, 'cpuMicroseconds')} µs, bare Hono ${median(bare, 'cpuMicroseconds')} µs`,
    },
    {
      name,
      unit: 'x',
      value: ratios('perSecond'),
      atMost: null,
      basis: `${median(daemon, 'perSecond')}/s, bare Hono ${median(bare, 'perSecond')}/s`,
    },
  ];
}
