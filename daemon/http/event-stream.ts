import type { AppContext } from '../actions/app-context.js';
import type { Feed, StreamEvent } from '../actions/event-hub.js';
import type { Reply, RequestContext } from './request-context.js';

/** Milliseconds after which a client may reconnect. */
const retryMs = 1000;
const preamble = Buffer.from(`retry: ${retryMs}\n\n`);
const heartbeat = Buffer.from(': \n\n');

/** The headers of an answer with server-sent events. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx and similar proxies would otherwise buffer events.
  'X-Accel-Buffering': 'no',
};

/** Answers with the events of a feed, until it ends, the client disconnects or the key is revoked. */
export function answerWithEvents(
  feed: Feed<StreamEvent>,
  { accounts }: Pick<AppContext, 'accounts'>,
  { signal }: RequestContext,
  keyId: string | null,
): Reply {
  const unwatch = keyId === null ? () => {} : accounts.watchKey(keyId, () => feed.cancel());
  const stop = () => {
    unwatch();
    feed.cancel();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return { status: 200, headers: eventStreamHeaders, stream: createEventStream(feed, stop) };
}

/** The id of the last event that a client has; null if it has none. */
export function lastEventIdOf({ incoming }: RequestContext): string | null {
  const known = incoming.headers['last-event-id'];
  return typeof known === 'string' ? known : null;
}

/** The feed as a byte stream; calls `stop` at its end. Reads an item only when the client has space for it. */
function createEventStream(feed: Feed<StreamEvent>, stop: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(preamble),
      pull: async (controller) => {
        const item = await feed.next();
        if (item === null) {
          stop();
          controller.close();
        } else controller.enqueue(item === 'heartbeat' ? heartbeat : bytesOf(item));
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** Encoded events, shared by all of their subscribers. */
const bytesByEvent = new WeakMap<StreamEvent, Uint8Array>();

function bytesOf(event: StreamEvent): Uint8Array {
  const known = bytesByEvent.get(event);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`id: ${event.id}\ndata: ${event.json}\n\n`);
  bytesByEvent.set(event, bytes);
  return bytes;
}
