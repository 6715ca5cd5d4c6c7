import { followJob } from '../../actions/follow-job.js';
import type { FeedItem, JobFeed, JobProgressEvent } from '../../actions/job-feed.js';
import { readJobProgress } from '../../actions/read-jobs.js';
import type { RouteHandler } from '../route-handler.js';
import { idOf } from './jobs.js';

/** Milliseconds after which a client whose stream broke may come back. */
const retryMs = 1000;
const preamble = Buffer.from(`retry: ${retryMs}\n\n`);
const heartbeat = Buffer.from(': \n\n');

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx and its like would otherwise collect events until they are worth sending.
  'X-Accel-Buffering': 'no',
};

/**
 * `GET /v2/jobs/<id>/events`, an addition to the document: what `/progress` answers, as server-sent events, at once and
 * whenever it changes, until the job is final. 204, which keeps an `EventSource` from coming back, where a final job's last
 * event is known by its `Last-Event-ID`. A key that is revoked meanwhile ends the stream.
 */
export const getJobEvents: RouteHandler = async (appContext, requestContext, account, keyId) => {
  const { method, incoming } = requestContext;
  const id = idOf(requestContext.params);
  if (method === 'HEAD') {
    await readJobProgress(appContext, account.id, id);
    return { status: 200, headers };
  }
  const known = incoming.headers['last-event-id'];
  const feed = await followJob(appContext, account.id, id, typeof known === 'string' ? known : null);
  if (feed === null) return { status: 204 };
  const unwatch = appContext.accounts.watchKey(keyId, () => feed.cancel());
  const stop = () => {
    unwatch();
    feed.cancel();
  };
  if (requestContext.signal.aborted) stop();
  else requestContext.signal.addEventListener('abort', stop, { once: true });
  return { status: 200, headers, stream: createEventStream(feed, stop) };
};

/** The feed as bytes, and `leave` at its end. Nothing is taken from it before the client has room for it. */
function createEventStream(feed: JobFeed, stop: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(preamble),
      pull: async (controller) => {
        const item = await feed.next();
        if (item === null) {
          stop();
          controller.close();
        } else controller.enqueue(bytesOf(item));
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** The bytes of events that somebody still listens to: written down once, however many do. */
const bytesByEvent = new WeakMap<JobProgressEvent, Uint8Array>();

function bytesOf(item: FeedItem): Uint8Array {
  if (item === 'heartbeat') return heartbeat;
  const known = bytesByEvent.get(item);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`id: ${item.id}\ndata: ${item.json}\n\n`);
  bytesByEvent.set(item, bytes);
  return bytes;
}
