import { type Client, type JobTerms, type ListedJobs, listedJobs } from '../../client/client.js';
import { fieldsOf, readId, readState, readText } from '../../shared/client/coerce.js';
import { normaliseJob } from '../../shared/client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import type { Context } from '../context.js';
import { parseId } from '../input/args.js';

/** A parsed job argument: an id, or a position counted from the newest job, from 1. */
type JobReference = { readonly id: number } | { readonly fromNewest: number; readonly arg: string };

/** The jobs that the arguments of a command name, and a client of their service. */
interface ResolvedJobs {
  readonly client: Client;
  /** Without duplicates, in the order of the arguments. */
  readonly ids: readonly number[];
}

/** The help text for job arguments. */
export const jobIdsHelp = 'ids of jobs; @last or -1 is the newest, -2 the one before it';

/**
 * Resolves job arguments: ids, or positions (`@last` and `-1` are the newest job, `-2` is the one before it, down to
 * `-9`). The newest jobs are requested only if needed. Rejects with `UsageError` for any other argument, before the
 * service is resolved, and with `NotFoundError` if there are fewer jobs.
 */
export async function resolveJobs(args: readonly string[], context: Context): Promise<ResolvedJobs> {
  const reference = args.map(parseJob);
  const client = await context.client();
  const maxOffset = Math.max(0, ...reference.map((job) => ('fromNewest' in job ? job.fromNewest : 0)));
  const newest = maxOffset === 0 ? [] : (await client.listJobs({ perPage: maxOffset })).jobs;
  const ids = reference.map((job) => ('id' in job ? job.id : idByPosition(newest, job)));
  return { client, ids: [...new Set(ids)] };
}

/** Resolves one job argument. */
export async function resolveJob(arg: string, context: Context): Promise<{ client: Client; id: number }> {
  const { client, ids } = await resolveJobs([arg], context);
  return { client, id: ids[0] ?? 0 };
}

function parseJob(arg: string): JobReference {
  if (arg === '@last') return { fromNewest: 1, arg };
  return /^-[1-9]$/.test(arg) ? { fromNewest: Number(arg.slice(1)), arg } : { id: parseId(arg) };
}

function idByPosition(
  newest: readonly { readonly id: number }[],
  { fromNewest, arg }: Extract<JobReference, { fromNewest: number }>,
): number {
  const id = newest[fromNewest - 1]?.id ?? 0;
  if (id > 0) return id;
  const found = newest.length === 1 ? 'only 1 job' : `only ${newest.length} jobs`;
  throw new VencError(
    'NotFoundError',
    newest.length === 0
      ? `${arg} names no job: there are no jobs yet.`
      : `${arg} names no job: there ${newest.length === 1 ? 'is' : 'are'} ${found}.`,
    { hint: 'venc list shows the jobs' },
  );
}

/** A job with default values and one entry in every list; its keys are the names that `--fields` accepts. */
export function emptyJob(): JobRecord {
  return normaliseJob({ worker: '', account: '', output_media_files: [{}], thumbnails: [{}] });
}

/**
 * Explains a `NotFoundError` if the id is that of an input or an output. Returns any other error unchanged. Never
 * rejects.
 */
export async function explainMissingJob(client: Client, id: number, error: unknown): Promise<unknown> {
  if (!isVencError(error, 'NotFoundError')) return error;
  const found = (await inputOf(client, id)) ?? (await outputOf(client, id));
  if (found === null) return error;
  const { kind, jobId } = found;
  const owner = jobId === null ? 'a job' : `job ${jobId}`;
  return new VencError('NotFoundError', `${id} is not a job: it is the ${kind} ${id} of ${owner}.`, {
    cause: error,
    hint: `${jobId === null ? '' : `venc show ${jobId} shows the job, `}venc ${kind} ${id} the ${kind}`,
  });
}

interface FoundFile {
  readonly kind: 'input' | 'output';
  /** Null if unknown. */
  readonly jobId: number | null;
}

async function inputOf(client: Client, id: number): Promise<FoundFile | null> {
  const asked = await client.call('inputDetails', { values: { id } }).catch(() => null);
  if (asked === null) return null;
  const jobId = readId(fieldsOf(asked.body).job_id);
  return { kind: 'input', jobId: jobId > 0 ? jobId : null };
}

/** Details of an output do not name its job (section 2.2), so it is searched for among the newest jobs. */
async function outputOf(client: Client, id: number): Promise<FoundFile | null> {
  if ((await client.call('outputDetails', { values: { id } }).catch(() => null)) === null) return null;
  const page = await client.listJobs({ perPage: 50 }).catch(() => null);
  const job = page?.jobs.find((one) => one.output_media_files.some((output) => output.id === id));
  return { kind: 'output', jobId: job?.id ?? null };
}

/** The jobs to list: one page, or with `all` every page. */
interface JobSelection {
  readonly page?: number;
  readonly perPage?: number;
  /** Only jobs in these states; all states if absent. */
  readonly states?: readonly string[];
  readonly all?: boolean;
  /** What they must have, if anything. */
  readonly terms?: JobTerms;
}

/** Maximum page size of services (section 4.3). */
export const jobsPerPage = 50;

/**
 * The jobs of a selection, newest first. The filter by state is an extension of venc that other services ignore, so it
 * is applied here again. Jobs that appear on two pages because new jobs arrived in between are returned once.
 */
export async function selectJobs(client: Client, selection: JobSelection): Promise<ListedJobs> {
  const { states, all, terms } = selection;
  if (states !== undefined && states.length > 1 && all !== true) return pageOfStates(client, selection);
  const state = states?.length === 1 ? states[0] : undefined;
  const perPage = selection.perPage ?? (all === true ? jobsPerPage : undefined);
  const answers: unknown[] = [];
  const seen = new Set<string>();
  for (let page = selection.page ?? 1; ; page += 1) {
    const filter = {
      ...terms,
      ...(page === 1 ? {} : { page }),
      ...(perPage === undefined ? {} : { perPage }),
      ...(state === undefined ? {} : { state }),
    };
    const found = await client.listJobs(filter);
    const before = seen.size;
    for (const answer of found.records) {
      const id = readText(fieldsOf(answer).id) ?? '';
      if (seen.has(id) && (id !== '' || before > 0)) continue;
      seen.add(id);
      if (states === undefined || states.includes(readState(fieldsOf(answer).state))) answers.push(answer);
    }
    // A service that ignores `page` sends the same jobs again, so a page without new jobs is the end. A short page is
    // not, because `per_page` may be ignored. The total, if the service reports it, saves a request.
    const isLast = seen.size === before || (found.total !== null && seen.size >= found.total);
    if (all !== true || isLast)
      return listedJobs(answers, {
        total: states === undefined || all ? found.total : null,
        pause: found.pause,
        readCount: found.readCount,
      });
  }
}

/** A page of jobs in several states. Services cannot filter by several states, so the page is taken from all jobs. */
async function pageOfStates(
  client: Client,
  { states = [], page = 1, perPage, terms = {} }: JobSelection,
): Promise<ListedJobs> {
  const { records, pause, readCount } = await selectJobs(client, { states, all: true, terms });
  const size = Math.min(perPage ?? jobsPerPage, jobsPerPage);
  const some = records.slice((page - 1) * size, page * size);
  return listedJobs(some, { total: records.length, pause, readCount });
}
