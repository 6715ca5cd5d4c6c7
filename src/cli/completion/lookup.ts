import { presetNames } from '../../config/presets.js';
import { localTarget, readTargets } from '../../config/targets.js';
import type { JobRecord } from '../../shared/records.js';
import { redact } from '../../shared/redact.js';
import type { Context } from '../context.js';

/** Timeout of the service. Longer delays would disturb typing. */
const timeoutMs = 300;
/** Maximum number of jobs to offer, newest first. */
const jobCount = 30;

/** A completion, and the description that a shell may show next to it. */
export interface CompletionItem {
  readonly word: string;
  readonly about: string;
}

/** Names that only the program knows: those in files of the user, and data of the service. */
export type CompletionQuery = 'targets' | 'presets' | 'accounts' | 'keys' | 'workers' | 'followed' | JobQuery;

/** Looks up the names of a query. `flags` are the flags typed so far. Rejects on errors and timeouts. */
export async function lookUp(
  query: CompletionQuery,
  flags: ReadonlyMap<string, string>,
  context: Context,
): Promise<readonly CompletionItem[]> {
  switch (query) {
    case 'targets':
      return targetItems(context);
    case 'presets':
      return (await presetNames(context.io.env)).map((word) => ({ word, about: 'preset' }));
    case 'accounts':
    case 'keys':
      return flags.has('--database') ? [] : accountItems(query, context);
    case 'workers':
      return workerItems(context);
    case 'followed':
      return jobItems(flags.has('--input') ? 'inputs' : flags.has('--output') ? 'outputs' : 'jobs', context);
    default:
      return jobItems(query, context);
  }
}

async function targetItems({ io: { env } }: Context): Promise<readonly CompletionItem[]> {
  const own = { word: localTarget, about: 'the local daemon' };
  return [own, ...(await readTargets(env)).map(({ name, url }) => ({ word: name, about: redact(url) }))];
}

async function accountItems(what: 'accounts' | 'keys', context: Context): Promise<readonly CompletionItem[]> {
  // A connection takes longer than a person wants to wait, and the names in the data folder are others. So with `--database`.
  if ((await context.database()) !== null) return [];
  const { readAccountNames } = await import('../../../daemon/admin/read-account-names.js');
  const { accounts, keys } = await readAccountNames(await context.dataFolder());
  if (what === 'keys') {
    return keys.map(({ id, kind, account }) => ({
      word: id,
      about: account === null ? kind : `${kind}, of ${account}`,
    }));
  }
  return accounts.map(({ name, isIntegration }) => ({
    word: name,
    about: isIntegration ? 'in integration mode' : 'live',
  }));
}

async function jobItems(what: JobQuery, context: Context): Promise<readonly CompletionItem[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const client = await context.client();
  const { jobs } = await client.listJobs({ perPage: jobCount }, signal);
  const seen = new Set<string>();
  return itemsByQuery[what](jobs).filter(({ word }) => {
    const isNew = word !== '' && word !== '0' && !seen.has(word);
    seen.add(word);
    return isNew;
  });
}

async function workerItems(context: Context): Promise<readonly CompletionItem[]> {
  const { requestWorkers } = await import('../../client/workers.js');
  const { workers } = await requestWorkers(await context.client(), AbortSignal.timeout(timeoutMs));
  return workers.map(({ name, draining, job_ids: jobIds, jobs }) => ({
    word: name,
    about: `${draining ? 'draining, ' : ''}${jobIds.length} of ${jobs} jobs`,
  }));
}

/** A query that is answered from the newest jobs. */
type JobQuery = 'jobs' | 'active' | 'unfinished' | 'inputs' | 'outputs' | 'labels' | 'groupings';

const itemsByQuery: Readonly<Record<JobQuery, (jobs: readonly JobRecord[]) => readonly CompletionItem[]>> = {
  jobs: (jobs) => [...lastJobItems(jobs), ...jobs.map(toJobItem)],
  active: (jobs) => jobs.filter(({ state }) => ['waiting', 'processing'].includes(state)).map(toJobItem),
  unfinished: (jobs) => jobs.filter(({ state }) => state !== 'finished').map(toJobItem),
  inputs: (jobs) => jobs.map((job) => ({ ...toJobItem(job), word: String(job.input_media_file.id) })),
  outputs: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ id, label, state }) => ({
        word: String(id),
        about: `${state}, ${label ?? nameIn(job)}`,
      })),
    ),
  labels: (jobs) =>
    jobs.flatMap((job) =>
      job.output_media_files.map(({ label }) => ({ word: label ?? '', about: `of job ${job.id}` })),
    ),
  groupings: (jobs) => jobs.map(({ id, grouping }) => ({ word: grouping ?? '', about: `of job ${id}` })),
};

/** `@last`, described by the newest job. */
function lastJobItems([newest]: readonly JobRecord[]): readonly CompletionItem[] {
  return newest === undefined
    ? []
    : [{ word: '@last', about: `job ${newest.id}, ${toJobItem(newest).about}` }];
}

function toJobItem(job: JobRecord): CompletionItem {
  return { word: String(job.id), about: `${job.state}, ${nameIn(job)}` };
}

/** The last part of the URL of the input. The rest may contain passwords, and is too long to show next to a completion. */
function nameIn(job: JobRecord): string {
  return (
    (job.input_media_file.url ?? '')
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}
