import { isVencError } from '../shared/errors.js';
import type { Caller } from './call.js';
import type { HttpAnswer } from './http.js';
import type { createJobProgress, FollowedProgress, Turn } from './job-progress.js';
import { mayLackRoute } from './network-errors.js';
import { type EventListener, readEvents, type Silence } from './read-events.js';

/** What a job's progress comes as: a stream of events, or one record where the service has no events. */
export type JobTidings =
  | {
      readonly kind: 'events';
      /** Hands every event on. Resolves when the stream is over: after a final state, or because it broke. Never rejects. */
      listen(onEvent: EventListener): Promise<void>;
    }
  | { readonly kind: 'record'; readonly job: FollowedProgress };

/** How to ask for them. */
export interface TidingsOptions {
  /** The last event that is known: a stream does not begin with that one again. */
  readonly eventId?: string | undefined;
  /** Ends the stream as well. */
  readonly signal?: AbortSignal | undefined;
  /** Awaited before each request but the first. */
  readonly turn?: Turn;
}

/** Asks what a job does. Rejects as any question does. */
export type AskTidings = (id: number, options?: TidingsOptions) => Promise<JobTidings>;

/**
 * Asks for a job's events where the service has them, which only our own daemon does, and for its progress elsewhere. The first
 * answers tell which: neither events that are not there nor a stream that is of no use are asked for again.
 */
export function createTidings(
  open: Caller['open'],
  askProgress: ReturnType<typeof createJobProgress>,
  silence?: Silence,
): AskTidings {
  let hasEvents: boolean | null = null;

  function streamOf(id: number, { content }: HttpAnswer): JobTidings {
    hasEvents = true;
    return {
      kind: 'events',
      listen: async (onEvent) => {
        const isOfUse = await readEvents(id, content, onEvent, silence);
        if (!isOfUse) hasEvents = false;
      },
    };
  }

  /** The stream; null where there is none. */
  async function opened(id: number, { eventId, signal }: TidingsOptions): Promise<JobTidings | null> {
    const last = eventId === undefined || eventId === '' ? {} : { 'Last-Event-ID': eventId };
    try {
      const headers = { Accept: 'text/event-stream', ...last };
      const answer = await open('jobEvents', { values: { id }, headers, signal });
      if (isEventStream(answer)) return streamOf(id, answer);
      answer.content.destroy();
      // 204: nothing has happened, and nothing will, since the event that is known.
      if (answer.status !== 204) hasEvents = false;
      return null;
    } catch (error) {
      if (hasEvents === true || !isVencError(error) || !mayLackRoute(error)) throw error;
      return null;
    }
  }

  return async (id, options = {}) => {
    const { signal, turn = async () => {} } = options;
    if (hasEvents !== false) {
      const stream = await opened(id, options);
      if (stream !== null) return stream;
      await turn();
    }
    const job = await askProgress(id, signal, turn);
    // There is such a job: it was the address that is not known.
    hasEvents ??= false;
    return { kind: 'record', job };
  };
}

function isEventStream({ status, headers }: HttpAnswer): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}
