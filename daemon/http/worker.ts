import { finished } from 'node:stream';
import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import type { workerInfoFields } from '../../src/shared/records/answers.js';
import type { RecordOf } from '../../src/shared/records/field.js';
import type { RouteName } from '../../src/shared/routes.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { productVersion, workerProtocol } from '../../src/shared/version.js';
import type { AppContext } from '../actions/app-context.js';
import {
  changeByWorker,
  claimForWorker,
  findWorkerCredentials,
  joinWorker,
  type NamedClaim,
  receiveHeartbeat,
} from '../actions/serve-worker.js';
import {
  isOwnFile,
  isReadableByWorker,
  isWritableByWorker,
  replacementFor,
  requireFreePlaceAt,
} from '../actions/worker-urls.js';
import type { Job } from '../jobs/job.js';
import { workerTiming } from '../jobs/worker-protocol.js';
import { readBody } from './body.js';
import { fileReply } from './file-reply.js';
import type { RequestContext, WorkerRouteHandler } from './request-context.js';
import { readCounts, requireCompleteUncompressed } from './v2/uploads.js';

/** Maximum size of a change in bytes: it lists the thumbnails of an output. */
const maxChangeBytes = 16 * 1024 * 1024;

/** The claim that a request is about: the id of its job is in the path, its token in the header `Venc-Claim`. */
export function claimOf({ params, incoming }: Pick<RequestContext, 'params' | 'incoming'>): NamedClaim {
  return { jobId: Number(params.id), token: String(incoming.headers['venc-claim'] ?? '') };
}

/** The handlers of the routes that need a worker key, by route name. */
export const workerHandlers = {
  /** `GET /worker/v1`: what a worker compares with its own version and clock. */
  workerInfo: async ({ now }) => {
    const record: RecordOf<typeof workerInfoFields> = {
      protocol: workerProtocol.current,
      min_protocol: workerProtocol.oldest,
      version: productVersion,
      time: now().toISOString(),
    };
    return { status: 200, record, headers: { 'Cache-Control': 'no-store' } };
  },

  /** `POST /worker/v1/workers`: a worker joins. */
  joinWorker: async (appContext, requestContext, { keyId }) => ({
    status: 200,
    record: await joinWorker(appContext, await requestContext.body(), keyId),
  }),

  /** `DELETE /worker/v1/workers/<id>`: a worker leaves. */
  leaveWorker: async ({ remoteClaims }, { params }) => {
    await remoteClaims.leave(params.token ?? '');
    return { status: 204 };
  },

  /** `POST /worker/v1/claims`: waits for a job; 204 if there is none for a while. */
  claimJob: async (appContext, requestContext, { keyId }) => {
    const { signal } = requestContext;
    const body = await requestContext.body();
    const wait = { signal, timeoutMs: workerTiming.poll * 1000, keyId };
    const outcome = await claimForWorker(appContext, body, wait);
    if (outcome.claim !== null) return { status: 200, record: outcome.claim };
    return { status: 204, headers: { 'Venc-Drain': String(outcome.isDraining) } };
  },

  /** `POST /worker/v1/claims/<id>/heartbeat`: the worker still runs the job. */
  reportHeartbeat: async (appContext, requestContext, { keyId }) => ({
    status: 200,
    record: await receiveHeartbeat(appContext, claimOf(requestContext), await requestContext.body(), keyId),
  }),

  /** `POST /worker/v1/claims/<id>/changes`: the worker changes the job. */
  changeClaimedJob: async (appContext, requestContext) => {
    const body = await readBody(requestContext.incoming, maxChangeBytes);
    return { status: 200, record: { job: await changeByWorker(appContext, claimOf(requestContext), body) } };
  },

  /** `POST /worker/v1/claims/<id>/end`: the worker has stopped. */
  endClaim: async ({ remoteClaims }, requestContext) => {
    const { jobId, token } = claimOf(requestContext);
    await remoteClaims.end(jobId, token);
    return { status: 204 };
  },

  /** `POST /worker/v1/claims/<id>/credentials`: saved credentials for a URL of the job; 204 if there are none. */
  claimCredentials: async (appContext, requestContext) => {
    const found = await findWorkerCredentials(
      appContext,
      claimOf(requestContext),
      await requestContext.body(),
    );
    return found === null ? { status: 204 } : { status: 200, record: found };
  },

  /** `GET /worker/v1/claims/<id>/file?url=...`: a file that only the daemon can read, whole or a range of it. */
  readClaimFile: async (appContext, requestContext) => {
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
  },

  /** `PUT /worker/v1/claims/<id>/file?url=...&offset=N&size=M`: a part of a file; the last part delivers it. */
  writeClaimFile: async (appContext, requestContext) => {
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
  },

  /** `DELETE /worker/v1/claims/<id>/file?url=...`: removes what was received or delivered. */
  removeClaimFile: async (appContext, requestContext) => {
    const { url, token, job } = await requireFile(appContext, requestContext, isWritableByWorker, true);
    await appContext.workerFiles.remove(token, url, isOwnFile(job, url));
    return { status: 204 };
  },

  /**
   * `GET /worker/v1/claims/<id>/received?url=...`: where the next part of a file begins. Rejects with `UploadFailureError` if a file of this machine
   * is in the way of the output at this URL.
   */
  claimFileReceived: async (appContext, requestContext) => {
    const { url, token, job } = await requireFile(appContext, requestContext, isWritableByWorker);
    await requireFreePlaceAt(job, url);
    return { status: 200, record: { receivedBytes: appContext.workerFiles.receivedBytes(token, url) } };
  },
} as const satisfies Partial<Record<RouteName, WorkerRouteHandler>>;

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
