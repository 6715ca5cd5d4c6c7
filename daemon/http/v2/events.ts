import { followJob } from '../../actions/follow-job.js';
import type { FeedItem, JobFeed, JobProgressEvent } from '../../actions/job-feed.js';
import { readJobProgress } from '../../actions/read-jobs.js';
import type { RouteHandler } from '../request-context.js';
import { idOf } from './jobs.js';

/** Milliseconds after which a client may reconnect. */
const retryMs = 1000;
const preamble = Buffer.from(`retry: ${retryMs}\n\n`);
const heartbeat = Buffer.from(': \n\n');

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx and similar proxies would otherwise buffer events.
  'X-Accel-Buffering': 'no',
};

/**
 * `GET /v2/jobs/<id>/events`, an addition to the service document: the answers of `/progress` as server-sent
 * events, at once and at each change, until the job is final. Answers 204, which stops the reconnecting of an
 * `EventSource`, if the client has the last event of a final job (`Last-Event-ID`). Revoking the key ends the
 * stream.
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

/** The feed as a byte stream; calls `stop` at its end. Reads an item only when the client has space for it. */
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

/** Encoded events, shared by all of their subscribers. */
const bytesByEvent = new WeakMap<JobProgressEvent, Uint8Array>();

function bytesOf(item: FeedItem): Uint8Array {
  if (item === 'heartbeat') return heartbeat;
  const known = bytesByEvent.get(item);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`id: ${item.id}\ndata: ${item.json}\n\n`);
  bytesByEvent.set(item, bytes);
  return bytes;
}
