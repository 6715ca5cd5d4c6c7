import type { JobRecord } from '../../../src/shared/records.js';
import { oncePer } from '../../../src/shared/util/once-per.js';
import { cancelJob } from '../../actions/cancel-job.js';
import { createJob } from '../../actions/create-job.js';
import { type JobListing, listJobs } from '../../actions/list-jobs.js';
import { readJob, readJobProgress } from '../../actions/read-jobs.js';
import { removeJob } from '../../actions/remove-job.js';
import { resubmitJob } from '../../actions/resubmit-job.js';
import type { Handler } from '../handler.js';

/** Ids are below 2^31; a longer number is nobody's. */
export function idOf(params: Readonly<Record<string, string>>): number {
  return Number(params.id);
}

/** A job as it stands on the wire. */
const wrapped = oncePer((job: JobRecord) => ({ job }));

/** `POST /v2/jobs` (section 4.1), with `Idempotency-Key`. */
export const postJob: Handler = async (workshop, exchange, account) => {
  const { baseUrl, incoming } = exchange;
  const given = incoming.headers['idempotency-key'];
  const context = { account, baseUrl, idempotencyKey: given === undefined ? null : String(given) };
  return { status: 201, record: await createJob(workshop, context, await exchange.body()) };
};

/** `GET /v2/jobs` (section 4.3), with `X-Total-Count` and `Link`. */
export const getJobs: Handler = async (workshop, { url, baseUrl }, account) => {
  const query = Object.fromEntries(url.searchParams);
  const listing = await listJobs(workshop, account.id, query);
  return {
    status: 200,
    record: listing.jobs.map(wrapped),
    headers: { 'X-Total-Count': String(listing.total), Link: links(url, baseUrl, listing) },
  };
};

/** `GET /v2/jobs/<id>` (section 4.2). */
export const getJob: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: wrapped(await readJob(workshop, account.id, idOf(params))),
});

/** `GET /v2/jobs/<id>/progress`, an addition to the document. */
export const getJobProgress: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: await readJobProgress(workshop, account.id, idOf(params)),
});

/** `PUT /v2/jobs/<id>/cancel` (section 4.5). */
export const putCancel: Handler = async (workshop, { params }, account) => {
  await cancelJob(workshop, account.id, idOf(params));
  return { status: 204 };
};

/** `PUT /v2/jobs/<id>/resubmit` (section 4.4). */
export const putResubmit: Handler = async (workshop, { params }, account) => {
  await resubmitJob(workshop, account.id, idOf(params));
  return { status: 204 };
};

/** `DELETE /v2/jobs/<id>`, an addition to the document. */
export const deleteJob: Handler = async (workshop, { params }, account) => {
  await removeJob(workshop, account.id, idOf(params));
  return { status: 204 };
};

/** Addresses of the other pages, under the base that clients know: behind a proxy it is not the one that the request came to. */
function links(url: URL, baseUrl: string, { page, perPage, total }: JobListing): string {
  const last = Math.max(1, Math.ceil(total / perPage));
  const targets: readonly (readonly [string, number])[] = [
    ['first', 1],
    ...(page > 1 ? [['prev', Math.min(page - 1, last)] as const] : []),
    ...(page < last ? [['next', page + 1] as const] : []),
    ['last', last],
  ];
  return targets
    .map(([relation, number]) => {
      const target = new URL(url);
      target.searchParams.delete('api_key');
      target.searchParams.set('page', String(number));
      target.searchParams.set('per_page', String(perPage));
      return `<${baseUrl}${target.pathname}${target.search}>; rel="${relation}"`;
    })
    .join(', ');
}
