import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { openJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import {
  allOf,
  applying,
  draftFor,
  draftWith,
  finishUpdates,
  startUpdates,
  updateAll,
  withClaim,
} from '../../contracts/job-store/store-facts.js';
import { rethrowUnless, type WriteOperation } from './write-operations.js';

const allDays = { accountId: 'anna', from: '0000-01-01', to: '9999-12-31' };
const usageMs = 1500;

const open = (folder: string) => openJobStore(folder, { log: () => {} });

interface JobFacts {
  readonly store: JobStore;
  /** The jobs of the account, newest first. */
  readonly jobs: readonly Job[];
  /** Total usage in milliseconds. */
  readonly usage: number;
}

/** Describes an operation on a store that has one job of another account, which must never change. */
function jobOperation(
  setUp: (store: JobStore) => Promise<Job | null>,
  act: (store: JobStore, job: Job | null) => Promise<unknown>,
  stateOf: (facts: JobFacts, job: Job | null) => string | Promise<string>,
): WriteOperation {
  return {
    async prepare(folder) {
      const store = await open(folder);
      const other = await store.create(draftFor('bystander'));
      const job = await setUp(store);
      return {
        act: () => act(store, job),
        async stateIn(copy) {
          const reopened = await open(copy);
          try {
            const all = await allOf(reopened);
            const others = all.filter(({ accountId }) => accountId !== 'anna');
            if (!isDeepStrictEqual(others, [other])) return 'another job has changed';
            const isListed = (await reopened.active()).every(({ id }) => all.some((one) => one.id === id));
            if (!isListed) return 'an active job is not listed';
            const usage = (await reopened.usage(allDays)).reduce((sum, { encodedMs }) => sum + encodedMs, 0);
            const jobs = all.filter(({ accountId }) => accountId === 'anna');
            const state = await stateOf({ store: reopened, jobs, usage }, job);
            const { id } = await reopened.create(draftFor('later'));
            const isNew = all.every(({ outputs }) => outputs.every((output) => output.id < id));
            return isNew ? state : `the id ${id} is not above all earlier ones`;
          } finally {
            await reopened.close();
          }
        },
        close: () => store.close(),
      };
    },
  };
}

const waiting = (store: JobStore) => store.create(draftFor());
const cancelled = async (store: JobStore) =>
  store.update((await waiting(store)).id, applying({ type: 'cancelled' }));
const encoding = async (store: JobStore) => updateAll(store, await waiting(store), startUpdates);
const finish = async (store: JobStore, job: Job) =>
  updateAll(store, job, finishUpdates(job.outputs[0]?.id ?? 0, usageMs / 1000));
const idOf = (job: Job | null) => job?.id ?? 0;
const only = (jobs: readonly Job[]) => (jobs.length === 1 ? jobs[0]?.state : `${jobs.length} jobs`);
const oneOf = (actual: string | undefined, before: string, after: string) =>
  actual === before ? 'before' : actual === after ? 'after' : `the job is ${actual}`;

/** The operations of the job store: jobs, sequence, index, idempotency, removed jobs and usage. */
export const jobOperations: Readonly<Record<string, WriteOperation>> = {
  'a create, with the sequence': jobOperation(
    async () => null,
    (store) => store.create(draftFor('anna', 2)),
    // A create that was answered with an error may be stored, and is repeated.
    ({ jobs }) =>
      jobs.every(({ outputs }) => outputs.length === 2)
        ? jobs.length > 0
          ? 'after'
          : 'before'
        : 'half a job',
  ),
  'a create under an idempotency key': jobOperation(
    async () => null,
    (store) => store.create(draftWith({ key: 'k' })),
    async ({ store, jobs }) => {
      const found = await store.findByIdempotencyKey('anna', 'k', new Date(0));
      const hasKey = found?.id === jobs[0]?.id;
      return jobs.length < 2 && hasKey
        ? jobs.length === 1
          ? 'after'
          : 'before'
        : `${jobs.length} jobs of one key`;
    },
  ),
  'a change of a job': jobOperation(
    waiting,
    (store, job) => store.update(idOf(job), withClaim('a')),
    ({ jobs }) => oneOf(jobs[0]?.claim ?? 'null', 'null', 'a'),
  ),
  'a cancel': jobOperation(
    waiting,
    (store, job) =>
      store.update(idOf(job), applying({ type: 'cancelled' })).catch(rethrowUnless('ConflictError')),
    ({ jobs }) => oneOf(only(jobs), 'waiting', 'cancelled'),
  ),
  'a resubmit': jobOperation(
    cancelled,
    (store, job) =>
      store.update(idOf(job), applying({ type: 'resubmitted' })).catch(rethrowUnless('ConflictError')),
    ({ jobs }) => oneOf(only(jobs), 'cancelled', 'waiting'),
  ),
  'a finished job, with its usage': jobOperation(
    encoding,
    async (store, job) => {
      const current = job === null ? null : await store.get(job.id);
      if (current === null || current.state === 'finished') return;
      const [start, end] = finishUpdates(current.outputs[0]?.id ?? 0, usageMs / 1000);
      if (start !== undefined && current.outputs[0]?.state === 'queued')
        await store.update(current.id, start);
      if (end !== undefined) await store.update(current.id, end);
    },
    ({ jobs, usage }) => {
      const state = oneOf(only(jobs), 'processing', 'finished');
      return usage === (state === 'after' ? usageMs : 0) ? state : `${state} with ${usage} ms of usage`;
    },
  ),
  'a permanent removal, with the usage that stays': jobOperation(
    async (store) => finish(store, await encoding(store)),
    (store, job) => store.remove(idOf(job)).catch(rethrowUnless('NotFoundError')),
    ({ jobs, usage }) =>
      usage === usageMs ? (jobs.length === 0 ? 'after' : oneOf(only(jobs), 'finished', '')) : `${usage} ms`,
  ),
  'the index, at the close of the store': {
    isBestEffort: true,
    async prepare(folder) {
      const base = await jobOperation(
        async (store) => finish(store, await encoding(store)),
        (store) => store.close(),
        ({ jobs, usage }) => (usage === usageMs && only(jobs) === 'finished' ? 'after' : 'damaged'),
      ).prepare(folder);
      return { act: base.act, stateIn: base.stateIn };
    },
  },
};
