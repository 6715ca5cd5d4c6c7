import { finished } from 'node:stream';
import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import type { workerInfoFields } from '../../src/shared/records/answers.js';
import type { RecordOf } from '../../src/shared/records/field.js';
import type { RouteName } from '../../src/shared/routes.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { productVersion, workerProtocol } from '../../src/shared/version.js';
import type { AppContext } from '../actions/app-context.js';
import { isOwnFile, replacementFor, requireFreePlaceAt } from '../actions/worker-replacement.js';
import { isReadableByWorker, isWritableByWorker } from '../actions/worker-urls.js';
import type { Job } from '../jobs/job.js';
import { fileReply } from './file-reply.js';
import type { RequestContext, WorkerRouteHandler } from './request-context.js';
import { requireCompleteUncompressed } from './v2/jobs.js';
import {
  claimOf,
  deleteWorker,
  postChange,
  postClaim,
  postClaimEnd,
  postCredentials,
  postHeartbeat,
  postWorker,
} from './worker/claims.js';

/** `GET /worker/v1/claims/<id>/file?url=...`: a file that only the daemon can read, whole or a range of it. */
const getClaimFile: WorkerRouteHandler = async (appContext, requestContext) => {
  const { url } = await requireFile(appContext, requestContext, isReadableByWorker);
  const file = await appContext.workerFiles.open(url).catch((error: unknown) => {
    // As a server of files answers: the worker downloads with its transport of HTTP.
    throw isVencError(error, 'FileNotFoundError')
      ? new VencError('NotFoundError', error.message, { cause: error })
      : error;
  });
  let isRead = false;
  try {
    return fileReply(requestContext, {
      ...file,
      name: fileNameInUrl(url),
      read(range) {
        isRead = true;
        const stream = file.read(range);
        // The event `close` does not follow the end of every stream.
        finished(stream, () => void file.close().catch(() => {}));
        return stream;
      },
    });
  } finally {
    // The end of the stream closes it otherwise.
    if (!isRead) await file.close();
  }
};

/** `PUT /worker/v1/claims/<id>/file?url=...&offset=N&size=M`: a part of a file; the last part delivers it. */
const putClaimFile: WorkerRouteHandler = async (appContext, requestContext) => {
  const { incoming, signal } = requestContext;
  try {
    requireCompleteUncompressed(incoming);
    const sizes = readCounts(requestContext, ['offset', 'size']);
    const { url, token, job } = await requireFile(appContext, requestContext, isWritableByWorker);
    const [offset = 0, sizeBytes = 0] = sizes;
    const isCopy = job.outputs.some(
      ({ settings, destination, secondary }) =>
        isTransferOnly(settings) && [destination, secondary?.destination].includes(url),
    );
    const replacement = replacementFor(appContext, { job, token, url });
    const part = { url, offset, sizeBytes, isCopy, body: incoming, signal, replacement };
    const facts = await appContext.workerFiles.receive(token, part);
    const receivedBytes = appContext.workerFiles.receivedBytes(token, url);
    return { status: 200, record: { receivedBytes, ...facts } };
  } catch (error) {
    // Drain the body so that the client can read the response.
    incoming.resume();
    throw error;
  }
};

/** `DELETE /worker/v1/claims/<id>/file?url=...`: removes what was received or delivered. */
const deleteClaimFile: WorkerRouteHandler = async (appContext, requestContext) => {
  const { url, token, job } = await requireFile(appContext, requestContext, isWritableByWorker, true);
  await appContext.workerFiles.remove(token, url, isOwnFile(job, url));
  return { status: 204 };
};

/**
 * `GET /worker/v1/claims/<id>/received?url=...`: where the next part of a file begins. Rejects with `UploadFailureError` if a file of this machine
 * is in the way of the output at this URL.
 */
const getReceived: WorkerRouteHandler = async (appContext, requestContext) => {
  const { url, token, job } = await requireFile(appContext, requestContext, isWritableByWorker);
  await requireFreePlaceAt(job, url);
  return { status: 200, record: { receivedBytes: appContext.workerFiles.receivedBytes(token, url) } };
};

/** The URL in the query of a request, if the job allows it and the claim is held; see `RemoteClaims.jobOf` for a removal. */
async function requireFile(
  { remoteClaims }: Pick<AppContext, 'remoteClaims'>,
  requestContext: RequestContext,
  isAllowed: (job: Job, url: string) => boolean,
  isRemoval = false,
): Promise<{ readonly url: string; readonly token: string; readonly job: Job }> {
  const { jobId, token } = claimOf(requestContext);
  const job = await remoteClaims.jobOf(jobId, token, isRemoval);
  const url = requestContext.query('url');
  if (url === null) throw invalidRequest(['url is missing: give the URL of a file of the job']);
  if (isAllowed(job, url)) return { url, token, job };
  throw new VencError(
    'ForbiddenError',
    `Job ${jobId} has no file at this URL that the daemon transfers for a worker.`,
  );
}

/** Whole numbers in the query of a request. */
function readCounts(requestContext: RequestContext, names: readonly string[]): readonly number[] {
  return names.map((name) => {
    const text = requestContext.query(name);
    const value = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw invalidRequest([`${name} must be a number of bytes`]);
    return value;
  });
}

/** `GET /worker/v1`: what a worker compares with its own version and clock. */
export const getWorkerInfo: WorkerRouteHandler = async ({ now }) => {
  const record: RecordOf<typeof workerInfoFields> = {
    protocol: workerProtocol.current,
    min_protocol: workerProtocol.oldest,
    version: productVersion,
    time: now().toISOString(),
  };
  return { status: 200, record, headers: { 'Cache-Control': 'no-store' } };
};

/** The handlers of the routes with which workers claim jobs and run them. */
export const claimHandlers = {
  joinWorker: postWorker,
  leaveWorker: deleteWorker,
  claimJob: postClaim,
  reportHeartbeat: postHeartbeat,
  changeClaimedJob: postChange,
  endClaim: postClaimEnd,
  claimCredentials: postCredentials,
  readClaimFile: getClaimFile,
  writeClaimFile: putClaimFile,
  removeClaimFile: deleteClaimFile,
  claimFileReceived: getReceived,
} as const satisfies Partial<Record<RouteName, WorkerRouteHandler>>;
