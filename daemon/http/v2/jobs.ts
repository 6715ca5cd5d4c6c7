import type { JobRecord } from '../../../src/shared/records.js';
import type { RouteName } from '../../../src/shared/routes.js';
import { memoizeByKey } from '../../../src/shared/util/collections.js';
import type { AppContext } from '../../actions/app-context.js';
import { createJob, resubmitJob } from '../../actions/create-job.js';
import {
  findInput,
  findNamedJob,
  findOutput,
  type JobListing,
  listJobs,
  readJob,
} from '../../actions/find-job.js';
import { createPageLink } from '../../actions/page-sessions.js';
import { pauseJob } from '../../actions/pause-job.js';
import { listPresets, readPreset, removePreset, savePreset } from '../../actions/presets.js';
import { prioritizeJob } from '../../actions/prioritize-job.js';
import { pauseQueue, readProgress, readQueue, resumeQueue } from '../../actions/queue.js';
import { type RequestedLog, readLog } from '../../actions/read-log.js';
import { readUsage, reportRange } from '../../actions/read-report.js';
import { cancelJob, removeJob } from '../../actions/remove-job.js';
import { resendNotifications } from '../../actions/resend-notifications.js';
import { drainWorker, listWorkers, pauseWorker, resumeWorker } from '../../actions/workers.js';
import { inputProgress, outputProgress } from '../../jobs/progress.js';
import { allReport, liveReport, type ReportQuery, vodReport } from '../../jobs/report.js';
import { inputDetails, outputDetails } from '../../jobs/view.js';
import type { RequestContext, RouteHandler } from '../request-context.js';

/** The id in a path. Ids are below 2^31; a longer number matches no job. */
export function idOf(params: Readonly<Record<string, string>>): number {
  return Number(params.id);
}

/** Wraps a job as the answers do: `{"job": ...}`. */
const wrapJob = memoizeByKey((job: JobRecord) => ({ job }));

/** The handlers of version 2 that need the key of an account, by route name. */
export const jobHandlers = {
  /** `POST /v2/jobs` (section 4.1), with `Idempotency-Key`. */
  createJob: async (appContext, requestContext, account) => {
    const { baseUrl, incoming } = requestContext;
    const { 'idempotency-key': idempotencyHeader, traceparent } = incoming.headers;
    const context = {
      account,
      baseUrl,
      idempotencyKey: idempotencyHeader === undefined ? null : String(idempotencyHeader),
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
    };
    return { status: 201, record: await createJob(appContext, context, await requestContext.body()) };
  },

  /**
   * `GET /v2/jobs` (section 4.3), with `X-Total-Count` and `Link`; `Venc-Queue` and `Venc-Search` are additions.
   */
  listJobs: async (appContext, requestContext, account, keyId) => {
    const { url, baseUrl } = requestContext;
    const query = Object.fromEntries(url.searchParams);
    const isSearch = Boolean(query.q || query.label);
    const reader = {
      ...(keyId === null ? {} : { keyId }),
      ...(isSearch ? { signal: requestContext.signal } : {}),
    };
    const listing = await listJobs(appContext, account.id, query, reader);
    const headers = {
      ...{ 'X-Total-Count': String(listing.total), Link: links(url, baseUrl, listing) },
      ...searchHeader(listing),
    };
    const { paused, frozen, reason, until } = readQueue(appContext, account);
    const queue = `paused${reason === 'hours' ? '; hours' : ''}${frozen ? '; frozen' : ''}${until === null ? '' : `; until=${until}`}`;
    return {
      status: 200,
      record: listing.jobs.map(wrapJob),
      headers: paused ? { ...headers, 'Venc-Queue': queue } : headers,
    };
  },

  /** `GET /v2/jobs/<id>` (section 4.2). */
  jobDetails: async (appContext, requestContext, account) => ({
    status: 200,
    record: wrapJob(await readJob(appContext, account, ...namedJob(requestContext))),
  }),

  /** `GET /v2/jobs/<id>/progress`, an addition to the service document. */
  jobProgress: async (appContext, requestContext, account) => {
    const job = await findNamedJob(appContext, account, ...namedJob(requestContext));
    return { status: 200, record: readProgress(appContext, job, appContext.progressTracker.read(job.id)) };
  },

  /** `PUT /v2/jobs/<id>/cancel` (section 4.5). */
  cancelJob: async (appContext, { params }, account) => {
    await cancelJob(appContext, account.id, idOf(params));
    return { status: 204 };
  },

  /** `PUT /v2/jobs/<id>/resubmit` (section 4.4). */
  resubmitJob: async (appContext, { params }, account) => {
    await resubmitJob(appContext, account.id, idOf(params));
    return { status: 204 };
  },

  /** `PUT /v2/jobs/<id>/priority`, an addition to the service document. */
  prioritizeJob: async (appContext, requestContext, account) => {
    await prioritizeJob(appContext, account.id, idOf(requestContext.params), await requestContext.body());
    return { status: 204 };
  },

  /** `PUT /v2/jobs/<id>/pause`, an addition to the service document. */
  pauseJob: (appContext, requestContext, account) => changePause(appContext, requestContext, account, true),

  /** `PUT /v2/jobs/<id>/resume`, an addition to the service document. */
  resumeJob: (appContext, requestContext, account) => changePause(appContext, requestContext, account, false),

  /** `PUT /v2/jobs/<id>/notify`, an addition to the service document. */
  resendNotifications: async (appContext, { params }, account) => {
    await resendNotifications(appContext, account.id, idOf(params));
    return { status: 204 };
  },

  /** `DELETE /v2/jobs/<id>`, an addition to the service document. */
  removeJob: async (appContext, { params }, account) => {
    await removeJob(appContext, account.id, idOf(params));
    return { status: 204 };
  },

  /** `GET /v2/inputs/<id>` (section 4.6). */
  inputDetails: async (appContext, { params }, account) => ({
    status: 200,
    record: inputDetails(await findInput(appContext, account.id, idOf(params))),
  }),

  /** `GET /v2/inputs/<id>/progress` (section 4.8). */
  inputProgress: async (appContext, { params }, account) => {
    const job = await findInput(appContext, account.id, idOf(params));
    return { status: 200, record: inputProgress(job, appContext.progressTracker.read(job.id)) };
  },

  /** `GET /v2/outputs/<id>` (section 4.7). */
  outputDetails: async (appContext, { params }, account) => ({
    status: 200,
    record: outputDetails((await findOutput(appContext, account.id, idOf(params))).output),
  }),

  /** `GET /v2/outputs/<id>/progress` (section 4.9). */
  outputProgress: async (appContext, { params }, account) => {
    const { job, output } = await findOutput(appContext, account.id, idOf(params));
    return { status: 200, record: outputProgress(job, output, appContext.progressTracker.read(job.id)) };
  },

  /** `GET /v2/reports/all` (section 4.10). */
  reportAll: async (appContext, requestContext, account) => ({
    status: 200,
    record: allReport(...(await readUsage(appContext, account.id, queryOf(requestContext)))),
  }),

  /** `GET /v2/reports/live` (section 4.11). */
  reportLive: async (appContext, requestContext) => ({
    status: 200,
    record: liveReport(reportRange(appContext, queryOf(requestContext))),
  }),

  /**
   * `GET /v2/reports/vod`, an addition to the service document, and `GET /v2/reports/minutes`, its old name.
   */
  reportVod: async (appContext, requestContext, account) => ({
    status: 200,
    record: vodReport(...(await readUsage(appContext, account.id, queryOf(requestContext)))),
  }),

  /** `GET /v2/jobs/<id>/log`, an addition to the service document. */
  jobLog: (appContext, requestContext, account) =>
    lines(appContext, requestContext, account, jobOf(requestContext)),

  /** `GET /v2/log`, an addition to the service document. */
  daemonLog: (appContext, requestContext, account) => lines(appContext, requestContext, account, 'daemon'),

  /** `POST /v2/offers`, an addition to the service document: offers a file of this machine. */
  offerInPlace: async ({ inPlaceFiles }, requestContext, account) => ({
    status: 201,
    record: inPlaceFiles.offer(account.id, await requestContext.body()),
  }),

  /** `PUT /v2/offers/<token>`, an addition to the service document: answers with the `in-place:` URL of the file. */
  proveInPlace: async ({ inPlaceFiles }, requestContext, account) => {
    const { token = '' } = requestContext.params;
    const url = await inPlaceFiles.prove(account.id, token, await requestContext.body());
    return { status: 200, record: { url } };
  },

  /** `GET /v2/workers`, an addition to the service document. */
  workers: async (appContext, _, account) => ({
    status: 200,
    record: listWorkers(appContext, account),
  }),

  /** `GET /v2/queue`, an addition to the service document. */
  queue: async (appContext, _, account) => ({ status: 200, record: readQueue(appContext, account) }),

  /** `PUT /v2/queue/pause`, an addition to the service document. */
  pauseQueue: async (appContext, requestContext, account) => ({
    status: 200,
    record: await pauseQueue(appContext, account, await requestContext.body()),
  }),

  /** `PUT /v2/queue/resume`, an addition to the service document. */
  resumeQueue: async (appContext, requestContext, account) => ({
    status: 200,
    record: await resumeQueue(appContext, account, await requestContext.body()),
  }),

  /** `POST /v2/ui/links`, an addition to the service document. */
  createPageLink: async (appContext, { baseUrl }, _, keyId) => ({
    status: 201,
    record: await createPageLink(appContext, keyId, baseUrl),
    headers: { 'Cache-Control': 'no-store' },
  }),

  /** `GET /v2/presets`, an addition to the service document. */
  presets: async (_, __, account) => ({ status: 200, record: listPresets(account) }),

  /** `GET /v2/presets/<name>`, an addition to the service document. */
  preset: async (_, { params }, account) => ({ status: 200, record: readPreset(account, params.name ?? '') }),

  /** `PUT /v2/presets/<name>`, an addition to the service document. */
  savePreset: async (appContext, requestContext, account) => ({
    status: 200,
    record: await savePreset(
      appContext,
      account,
      requestContext.params.name ?? '',
      await requestContext.body(),
    ),
  }),

  /** `DELETE /v2/presets/<name>`, an addition to the service document. */
  removePreset: async (appContext, { params }, account) => {
    await removePreset(appContext, account, params.name ?? '');
    return { status: 204 };
  },

  /** `PUT /v2/workers/<name>/drain`, an addition to the service document. */
  drainWorker: async (appContext, { params }, account) => {
    await drainWorker(appContext, account, params.name ?? '');
    return { status: 204 };
  },

  /** `PUT /v2/workers/<name>/pause`, an addition to the service document. */
  pauseWorker: async (appContext, { params }, account) => {
    await pauseWorker(appContext, account, params.name ?? '');
    return { status: 204 };
  },

  /** `PUT /v2/workers/<name>/resume`, an addition to the service document. */
  resumeWorker: async (appContext, { params }, account) => {
    await resumeWorker(appContext, account, params.name ?? '');
    return { status: 204 };
  },
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

/** The header that says that the additional parameters of a list were applied, and how far a search went. */
function searchHeader({ search, hasAccounts }: JobListing): { readonly 'Venc-Search'?: string } {
  if (search === undefined) return hasAccounts ? { 'Venc-Search': 'complete' } : {};
  const { isPartial, readCount } = search;
  return { 'Venc-Search': `${isPartial ? 'partial' : 'complete'}; scanned=${readCount}` };
}

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
  const query = new URLSearchParams(url.searchParams);
  query.delete('api_key');
  query.set('page', '');
  query.set('per_page', String(perPage));
  return targets
    .map(([relation, number]) => {
      query.set('page', String(number));
      return `<${baseUrl}${url.pathname}?${query}>; rel="${relation}"`;
    })
    .join(', ');
}

function queryOf(requestContext: RequestContext): ReportQuery {
  return {
    from: requestContext.query('from'),
    to: requestContext.query('to'),
    grouping: requestContext.query('grouping'),
  };
}

type Args = Parameters<RouteHandler>;

async function lines(
  appContext: Args[0],
  requestContext: RequestContext,
  account: Args[2],
  log: RequestedLog,
): ReturnType<RouteHandler> {
  return { status: 200, record: await readLog(appContext, account, log, parametersOf(requestContext)) };
}

async function changePause(
  appContext: AppContext,
  requestContext: RequestContext,
  account: Parameters<RouteHandler>[2],
  isPaused: boolean,
): ReturnType<RouteHandler> {
  const change = { isPaused, body: await requestContext.body() };
  return { status: 200, record: await pauseJob(appContext, account.id, idOf(requestContext.params), change) };
}

/** The id in the path, and the name of the account that the job belongs to; null for that of the key. */
function namedJob(requestContext: RequestContext): readonly [number, string | null] {
  return [idOf(requestContext.params), requestContext.query('account')];
}

/** The log of the job whose id is in the path. */
export function jobOf(requestContext: RequestContext): RequestedLog {
  const [jobId, accountName] = namedJob(requestContext);
  return { jobId, accountName };
}

/** The query parameters of a log. */
export function parametersOf(requestContext: RequestContext) {
  return { level: requestContext.query('level'), tail: requestContext.query('tail') };
}
