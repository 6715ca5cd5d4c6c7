/** @jsxImportSource hono/jsx */
import { isFinal, isJobState } from '../../../src/shared/states.js';
import { findNamedJob, listJobs } from '../../actions/find-job.js';
import { readProgress, readQueue } from '../../actions/queue.js';
import { defaultAccountId } from '../../jobs/job.js';
import { filterStates, heldCounts, type QueueData, QueueView, queryOf, rowOf } from '../views/queue.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** `/ui/`: a page of the list. */
export async function queueDocument(request: DocumentRequest): Promise<PageDocument> {
  const { appContext, holder, root, query } = request;
  const { account, keyId } = holder;
  const filter = {
    state: isJobState(query('state')) ? query('state') : '',
    ...{ q: query('q'), label: query('label'), account: query('account') },
  };
  const reader = { ...(keyId === null ? {} : { keyId }), signal: request.signal };
  const listing = await listJobs(appContext, account.id, { ...filter, page: query('page') }, reader);
  const { jobs, total, page, perPage, search } = listing;
  const running = jobs.filter((job) => !isFinal(job.state)).map(({ id }) => id);
  const progress = await Promise.all(running.map((id) => progressOf(request, id, filter.account)));
  const data: QueueData = {
    ...{ jobs, total, page, filter },
    ownAccount: account.name,
    isOwner: account.id === defaultAccountId,
    progress: progress.filter((one) => one !== null),
    ...(filter.account === '' ? await countsOf(request) : { counts: {}, held: {} }),
    searched: search?.isPartial === true ? search.readCount : null,
    queue: readQueue(appContext, account),
    now: appContext.now().getTime(),
  };
  const pageLink = (number: number) => `${root}${queryOf(filter, { page: String(number) })}`;
  const progressById = new Map(data.progress.map((one) => [one.id, one]));
  const { jobs: _, progress: __, page: ___, ...head } = data;
  return {
    ...{ title: 'Queue', current: 'queue' },
    live: { name: 'queue', data },
    content: (
      <QueueView
        {...head}
        root={root}
        rows={jobs.map((job) => rowOf(job, progressById.get(job.id), account.name))}
        offset={(page - 1) * perPage}
        previous={page > 1 ? pageLink(page - 1) : null}
        next={page * perPage >= total ? null : pageLink(page + 1)}
      />
    ),
  };
}

async function progressOf({ appContext, holder }: DocumentRequest, id: number, accountName: string) {
  const job = await findNamedJob(appContext, holder.account, id, accountName).catch(() => null);
  if (job === null) return null;
  return { id, ...readProgress(appContext, job, appContext.progressTracker.read(id)) };
}

async function countsOf(request: DocumentRequest): Promise<Pick<QueueData, 'counts' | 'held'>> {
  const { appContext, holder } = request;
  const totals = filterStates.map(async (state) => {
    // Those that are processed are read as well, as far as one page has them.
    const size = state === 'processing' ? {} : { per_page: '1' };
    const { jobs, total } = await listJobs(appContext, holder.account.id, { state, ...size });
    return { state, jobs, total };
  });
  const found = await Promise.all(totals);
  const processed = found.find(({ state }) => state === 'processing');
  const isWhole = processed !== undefined && processed.jobs.length === processed.total;
  const progress = isWhole
    ? await Promise.all(processed.jobs.map(({ id }) => progressOf(request, id, '')))
    : [];
  return {
    counts: Object.fromEntries(found.map(({ state, total }) => [state, total])),
    held: heldCounts(progress.filter((one) => one !== null)),
  };
}
