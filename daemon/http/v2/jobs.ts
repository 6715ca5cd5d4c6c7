import type { JobRecord } from '../../../src/shared/records.js';
import { memoizeByKey } from '../../../src/shared/util/memoize-by-key.js';
import { cancelJob } from '../../actions/cancel-job.js';
import { createJob } from '../../actions/create-job.js';
import { findInput, findJob, findOutput } from '../../actions/find-job.js';
import { type JobListing, listJobs } from '../../actions/list-jobs.js';
import { removeJob } from '../../actions/remove-job.js';
import { resubmitJob } from '../../actions/resubmit-job.js';
import { inputProgress, jobProgress, outputProgress } from '../../jobs/progress.js';
import { inputDetails, jobRecord, outputDetails } from '../../jobs/view.js';
import type { RouteHandler } from '../request-context.js';

/** The id in a path. Ids are below 2^31; a longer number matches no job. */
export function idOf(params: Readonly<Record<string, string>>): number {
  return Number(params.id);
}

/** Wraps a job as the answers do: `{"job": ...}`. */
const wrapJob = memoizeByKey((job: JobRecord) => ({ job }));

/** `POST /v2/jobs` (section 4.1), with `Idempotency-Key`. */
export const postJob: RouteHandler = async (appContext, requestContext, account) => {
  const { baseUrl, incoming } = requestContext;
  const { 'idempotency-key': idempotencyHeader, traceparent } = incoming.headers;
  const context = {
    account,
    baseUrl,
    idempotencyKey: idempotencyHeader === undefined ? null : String(idempotencyHeader),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
  };
  return { status: 201, record: await createJob(appContext, context, await requestContext.body()) };
};

/** `GET /v2/jobs` (section 4.3), with `X-Total-Count` and `Link`. */
export const getJobs: RouteHandler = async (appContext, { url, baseUrl }, account) => {
  const query = Object.fromEntries(url.searchParams);
  const listing = await listJobs(appContext, account.id, query);
  return {
    status: 200,
    record: listing.jobs.map(wrapJob),
    headers: { 'X-Total-Count': String(listing.total), Link: links(url, baseUrl, listing) },
  };
};

/** `GET /v2/jobs/<id>` (section 4.2). */
export const getJob: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: wrapJob(jobRecord(await findJob(appContext, account.id, idOf(params)))),
});

/** `GET /v2/jobs/<id>/progress`, an addition to the service document. */
export const getJobProgress: RouteHandler = async (appContext, { params }, account) => {
  const job = await findJob(appContext, account.id, idOf(params));
  return { status: 200, record: jobProgress(job, appContext.progressTracker.read(job.id)) };
};

/** `PUT /v2/jobs/<id>/cancel` (section 4.5). */
export const putCancel: RouteHandler = async (appContext, { params }, account) => {
  await cancelJob(appContext, account.id, idOf(params));
  return { status: 204 };
};

/** `PUT /v2/jobs/<id>/resubmit` (section 4.4). */
export const putResubmit: RouteHandler = async (appContext, { params }, account) => {
  await resubmitJob(appContext, account.id, idOf(params));
  return { status: 204 };
};

/** `DELETE /v2/jobs/<id>`, an addition to the service document. */
export const deleteJob: RouteHandler = async (appContext, { params }, account) => {
  await removeJob(appContext, account.id, idOf(params));
  return { status: 204 };
};

/**
 * The `Link` header. Its URLs have the base URL that clients use, which behind a proxy is not the one that
 * the request came to.
 */
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

/** `GET /v2/inputs/<id>` (section 4.6). */
export const getInput: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: inputDetails(await findInput(appContext, account.id, idOf(params))),
});

/** `GET /v2/inputs/<id>/progress` (section 4.8). */
export const getInputProgress: RouteHandler = async (appContext, { params }, account) => {
  const job = await findInput(appContext, account.id, idOf(params));
  return { status: 200, record: inputProgress(job, appContext.progressTracker.read(job.id)) };
};

/** `GET /v2/outputs/<id>` (section 4.7). */
export const getOutput: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: outputDetails((await findOutput(appContext, account.id, idOf(params))).output),
});

/** `GET /v2/outputs/<id>/progress` (section 4.9). */
export const getOutputProgress: RouteHandler = async (appContext, { params }, account) => {
  const { job, output } = await findOutput(appContext, account.id, idOf(params));
  return { status: 200, record: outputProgress(job, output, appContext.progressTracker.read(job.id)) };
};
