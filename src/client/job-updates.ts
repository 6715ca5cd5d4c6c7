import { isVencError } from '../shared/errors.js';
import type { Caller } from './call.js';
import type { HttpResponse } from './http.js';
import type { createJobProgress, FollowedProgress, WaitForSlot } from './job-progress.js';
import { mayLackRoute } from './network-errors.js';
import { type EventListener, type IdleTimeouts, readEvents } from './read-events.js';

/** What a job's progress comes as: a stream of events, or one record where the service has no events. */
export type JobUpdates =
  | {
      readonly kind: 'events';
      /** Hands every event on. Resolves when the stream is over: after a final state, or because it broke. Never rejects. */
      subscribe(onEvent: EventListener): Promise<void>;
    }
  | { readonly kind: 'record'; readonly job: FollowedProgress };

/** How to ask for them. */
export interface JobUpdatesOptions {
  /** The last event that is known: a stream does not begin with that one again. */
  readonly eventId?: string | undefined;
  /** Ends the stream as well. */
  readonly signal?: AbortSignal | undefined;
  /** Awaited before each request but the first. */
  readonly waitForSlot?: WaitForSlot;
}

/** Asks what a job does. Rejects as any question does. */
export type RequestJobUpdates = (id: number, options?: JobUpdatesOptions) => Promise<JobUpdates>;

/**
 * Asks for a job's events where the service has them, which only our own daemon does, and for its progress elsewhere. The first
 * answers tell which: neither events that are not there nor a stream that is of no use are asked for again.
 */
export function createJobUpdates(
  open: Caller['open'],
  requestProgress: ReturnType<typeof createJobProgress>,
  idleTimeouts?: IdleTimeouts,
): RequestJobUpdates {
  let hasEvents: boolean | null = null;

  function toEventUpdates(id: number, { content }: HttpResponse): JobUpdates {
    hasEvents = true;
    return {
      kind: 'events',
      subscribe: async (onEvent) => {
        const isUsable = await readEvents(id, content, onEvent, idleTimeouts);
        if (!isUsable) hasEvents = false;
      },
    };
  }

  /** The stream; null where there is none. */
  async function openStream(id: number, { eventId, signal }: JobUpdatesOptions): Promise<JobUpdates | null> {
    const last = eventId === undefined || eventId === '' ? {} : { 'Last-Event-ID': eventId };
    try {
      const headers = { Accept: 'text/event-stream', ...last };
      const response = await open('jobEvents', { values: { id }, headers, signal });
      if (isEventStream(response)) return toEventUpdates(id, response);
      response.content.destroy();
      // 204: nothing has happened, and nothing will, since the event that is known.
      if (response.status !== 204) hasEvents = false;
      return null;
    } catch (error) {
      if (hasEvents === true || !isVencError(error) || !mayLackRoute(error)) throw error;
      return null;
    }
  }

  return async (id, options = {}) => {
    const { signal, waitForSlot = async () => {} } = options;
    if (hasEvents !== false) {
      const stream = await openStream(id, options);
      if (stream !== null) return stream;
      await waitForSlot();
    }
    const job = await requestProgress(id, signal, waitForSlot);
    // There is such a job: it was the address that is not known.
    hasEvents ??= false;
    return { kind: 'record', job };
  };
}

function isEventStream({ status, headers }: HttpResponse): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}
