import type { Client, ListedJobs } from '../../client/client.js';
import { fieldsOf, readText } from '../../client/coerce.js';

/** The jobs to list: one page, or with `all` every page. */
interface JobSelection {
  readonly page?: number;
  readonly perPage?: number;
  /** Only jobs in these states; all states if absent. */
  readonly states?: readonly string[];
  readonly all?: boolean;
}

/** Maximum page size of services (section 4.3). */
export const jobsPerPage = 50;

/**
 * The jobs of a selection, newest first. The filter by state is an extension of venc that other services ignore, so it
 * is applied here again. Jobs that appear on two pages because new jobs arrived in between are returned once.
 */
export async function selectJobs(client: Client, selection: JobSelection): Promise<ListedJobs> {
  const { states, all } = selection;
  if (states !== undefined && states.length > 1 && all !== true) return pageOfStates(client, selection);
  const state = states?.length === 1 ? states[0] : undefined;
  const perPage = selection.perPage ?? (all === true ? jobsPerPage : undefined);
  const jobs: ListedJobs['jobs'][number][] = [];
  const answers: unknown[] = [];
  const seen = new Set<string>();
  for (let page = selection.page ?? 1; ; page += 1) {
    const filter = {
      ...(page === 1 ? {} : { page }),
      ...(perPage === undefined ? {} : { perPage }),
      ...(state === undefined ? {} : { state }),
    };
    const found = await client.listJobs(filter);
    const before = seen.size;
    for (const [index, job] of found.jobs.entries()) {
      const id = readText(fieldsOf(found.records[index]).id) ?? '';
      if (seen.has(id) && (id !== '' || before > 0)) continue;
      seen.add(id);
      if (states !== undefined && !states.includes(job.state)) continue;
      jobs.push(job);
      answers.push(found.records[index]);
    }
    // A service that ignores `page` sends the same jobs again, so a page without new jobs is the end. A short page is
    // not, because `per_page` may be ignored. The total, if the service reports it, saves a request.
    const isLast = seen.size === before || (found.total !== null && seen.size >= found.total);
    if (all !== true || isLast)
      return { jobs, records: answers, total: states === undefined || all ? found.total : null };
  }
}

/** A page of jobs in several states. Services cannot filter by several states, so the page is taken from all jobs. */
async function pageOfStates(
  client: Client,
  { states = [], page = 1, perPage }: JobSelection,
): Promise<ListedJobs> {
  const { jobs, records: answers } = await selectJobs(client, { states, all: true });
  const size = Math.min(perPage ?? jobsPerPage, jobsPerPage);
  const [from, to] = [(page - 1) * size, page * size];
  return { jobs: jobs.slice(from, to), records: answers.slice(from, to), total: jobs.length };
}
