import { join } from 'node:path';
import { draftJob, type JobDraft } from '../daemon/jobs/draft.js';
import type { Job } from '../daemon/jobs/job.js';
import type { JobStore } from '../daemon/store/job-store.js';
import { openJobStore } from '../daemon/store/jobs/json-job-store.js';
import { defaultOutput } from '../src/shared/settings/index.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';

const sizes = [100, 1000, 10_000] as const;
const pageSize = 50;

type Stores = readonly { readonly size: number; readonly store: JobStore; readonly ids: readonly number[] }[];

const operations = {
  create: (store: JobStore) => store.create(draft()),
  async read(store: JobStore, ids: readonly number[]) {
    if ((await store.get(anyOf(ids))) === null) throw new Error('a job is missing');
  },
  async list(store: JobStore) {
    const { jobs } = await store.list({ offset: 0, limit: pageSize });
    if (jobs.length !== pageSize) throw new Error(`a page holds ${jobs.length} jobs`);
  },
} as const;

/**
 * Measures a durable create, a read and a page of the list with growing numbers of stored jobs. Creates are compared
 * by ratio. Reads and lists of a small store never access the disk, so a ratio would be meaningless.
 */
export async function measureStore(folder: string, rounds: number): Promise<readonly Figure[]> {
  const stores: Stores = await Promise.all(sizes.map((size) => fill(join(folder, `${size}`), size)));
  try {
    const creates = await samplesOf(stores, 'create', rounds);
    const reads = await samplesOf(stores, 'read', rounds);
    const lists = await samplesOf(stores, 'list', rounds);
    return [...creationFigures(creates), ...timeFigures('read', reads), ...timeFigures('list', lists)];
  } finally {
    for (const { store } of stores) await store.close();
  }
}

type Samples = readonly { readonly size: number; readonly milliseconds: readonly number[] }[];

async function samplesOf(
  stores: Stores,
  operation: keyof typeof operations,
  rounds: number,
): Promise<Samples> {
  const things = stores.map(
    ({ size, store, ids }) => [`${size}`, () => timed(() => operations[operation](store, ids))] as const,
  );
  const samples = await alternate<string, number>(rounds, Object.fromEntries(things));
  return stores.map(({ size }) => ({ size, milliseconds: samples[size] ?? [] }));
}

function creationFigures(samples: Samples): readonly Figure[] {
  const [smallest, ...larger] = samples;
  if (smallest === undefined) return [];
  const text = ({ milliseconds }: Samples[number]): string =>
    `${spreadOf(milliseconds).median.toFixed(2)} ms`;
  return larger.map((one) => ({
    name: `store: create at ${one.size.toLocaleString('en')}`,
    unit: 'x',
    value: spreadOf(ratiosOf(one.milliseconds, smallest.milliseconds)),
    atMost: one === larger.at(-1) ? 1.5 : null,
    basis: `${text(one)}, at ${smallest.size} ${text(smallest)}`,
  }));
}

function timeFigures(operation: string, samples: Samples): readonly Figure[] {
  return samples.map(({ size, milliseconds }) => ({
    name: `store: ${operation} at ${size.toLocaleString('en')}`,
    unit: 'ms',
    value: spreadOf(milliseconds),
    atMost: null,
    basis: operation === 'list' ? `the latest ${pageSize}` : 'any job',
  }));
}

/**
 * Creates a store with `size` jobs, all of them ended except the last few, like a daemon that has run for a while.
 */
async function fill(folder: string, size: number): Promise<Stores[number]> {
  const store = await openJobStore(folder, { log: () => {} });
  const ids: number[] = [];
  const atOnce = 100;
  while (ids.length < size) {
    const jobs = await Promise.all(Array.from({ length: atOnce }, () => store.create(draft())));
    ids.push(...jobs.map(({ id }) => id));
    const endedJobs = ids.length < size ? jobs : jobs.slice(0, -10);
    await Promise.all(endedJobs.map(({ id }) => store.update(id, ended)));
  }
  return { size, store, ids };
}

function ended(job: Job): Job {
  const finishedAt = new Date().toISOString();
  return { ...job, state: 'cancelled', updatedAt: finishedAt, finishedAt };
}

let calls = 0;

/** Picks ids in wide strides, so that no cache of the latest jobs has an effect. */
function anyOf(ids: readonly number[]): number {
  calls += 1;
  return ids[(calls * 7919) % ids.length] ?? 0;
}

function draft(): JobDraft {
  const name = 'http://media.example.com/films/a-film-with-a-name-of-usual-length.mp4';
  return draftJob({
    accountId: 'bench',
    request: { input: name, outputs: [] },
    test: false,
    outputs: [
      { settings: defaultOutput, outputDestination: { destination: 'hosted://token/film.mp4', url: name } },
    ],
    now: new Date(),
  });
}
