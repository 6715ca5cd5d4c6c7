import { isVencError } from '../shared/errors.js';
import type { Caller } from './call.js';
import type { HttpResponse } from './http.js';
import type { createJobProgress, FollowedProgress, WaitForSlot } from './job-progress.js';
import { mayLackRoute } from './network-errors.js';
import { type EventListener, type IdleTimeouts, readEvents } from './read-events.js';

/** A job's progress: a stream of events, or one record if the service has no event streams. */
export type JobUpdates =
  | {
      readonly kind: 'events';
      /**
       * Passes on every event. Resolves when the stream is over: after a final state, or because it broke. Never
       * rejects.
       */
      subscribe(onEvent: EventListener): Promise<void>;
    }
  | { readonly kind: 'record'; readonly job: FollowedProgress };

/** Options of a request for job updates. */
interface JobUpdatesOptions {
  /** The last event that was received: the stream resumes after it. */
  readonly eventId?: string | undefined;
  /** Also ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Awaited before each request but the first. */
  readonly waitForSlot?: WaitForSlot;
}

/** Requests the updates of a job. Rejects as `Client.call` does. */
export type RequestJobUpdates = (id: number, options?: JobUpdatesOptions) => Promise<JobUpdates>;

/**
 * Requests a job's event stream if the service has one, as the venc daemon does, and its progress otherwise. The first
 * responses show which: a missing route or an unusable stream is not requested again.
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

  /** Opens the stream; null if there is none. */
  async function openStream(id: number, { eventId, signal }: JobUpdatesOptions): Promise<JobUpdates | null> {
    const last = eventId === undefined || eventId === '' ? {} : { 'Last-Event-ID': eventId };
    try {
      const headers = { Accept: 'text/event-stream', ...last };
      const response = await open('jobEvents', { values: { id }, headers, signal });
      if (isEventStream(response)) return toEventUpdates(id, response);
      response.content.destroy();
      // 204: there are no events after the last one that was received.
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
    // The job exists, so it is the route that the service lacks.
    hasEvents ??= false;
    return { kind: 'record', job };
  };
}

function isEventStream({ status, headers }: HttpResponse): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}
