import type { IncomingMessage } from 'node:http';
import { normaliseJobProgress } from '../shared/client/normalise.js';
import { initialSseState, parseSse, type SseMessage } from '../shared/client/sse.js';
import { isFinal } from '../shared/states.js';
import type { Caller } from './call.js';
import type { HttpResponse } from './http.js';
import type { createJobProgress, FollowedProgress, WaitForSlot } from './job-progress.js';
import { mayLackRoute } from './network-errors.js';

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
      if (hasEvents === true || !mayLackRoute(error)) throw error;
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

/** Whether an answer has server-sent events. */
export function isEventStream({ status, headers }: HttpResponse): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** One event of a job's stream. */
export interface JobEvent {
  readonly job: FollowedProgress;
  /** A broken stream is resumed after this event; empty if the stream sends no ids. */
  readonly eventId: string;
  /** Milliseconds that the service asks to wait before reconnecting; null if it does not. */
  readonly retryMs: number | null;
}

/** Receives each event. Must not throw. */
export type EventListener = (event: JobEvent) => void;

/** Maximum milliseconds without data; after that the stream counts as broken. */
export interface IdleTimeouts {
  /** Before the first event, which the service sends at once: a longer delay means that a proxy buffers the stream. */
  readonly firstEventMs: number;
  /** After that: three missed keep-alive comments. */
  readonly nextEventMs: number;
}

const defaultIdleTimeouts: IdleTimeouts = { firstEventMs: 10_000, nextEventMs: 45_000 };
/** Maximum length of a line in characters; the progress of a job with 50 outputs is far shorter, as is that of 1,000 jobs. */
const maxLineLength = 4 * 1024 * 1024;

/**
 * Reads a job's server-sent events until a final state or until the stream breaks, and closes the connection. Resolves
 * to whether the stream is usable: one without events, or with events that are not progress, is not. Never rejects.
 */
export function readEvents(
  id: number,
  content: IncomingMessage,
  onEvent: EventListener,
  idleTimeouts?: IdleTimeouts,
): Promise<boolean> {
  const onMessage: MessageListener = ({ data, id: eventId }, retryMs) => {
    const job = parseProgress(id, data);
    if (job === null) return 'unusable';
    onEvent({ job, eventId, retryMs });
    return isFinal(job.state) ? 'last' : 'next';
  };
  return readEventStream(content, onMessage, idleTimeouts);
}

/** Receives each message, and says whether another one may follow. Must not throw. */
export type MessageListener = (message: SseMessage, retryMs: number | null) => 'next' | 'last' | 'unusable';

/**
 * Reads server-sent events until the listener ends that or until the stream breaks, and closes the connection. Resolves
 * to whether the stream is usable: one without events is not. Never rejects.
 */
export function readEventStream(
  content: IncomingMessage,
  onMessage: MessageListener,
  idleTimeouts: IdleTimeouts = defaultIdleTimeouts,
): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let state = initialSseState;
  let idleTimer: NodeJS.Timeout;
  let isAwaitingFirst = true;
  return new Promise((resolve) => {
    const end = (isUsable: boolean): void => {
      clearTimeout(idleTimer);
      content.destroy();
      resolve(isUsable);
    };
    idleTimer = setTimeout(end, idleTimeouts.firstEventMs, false);
    // The timeout of the connection is longer, and restarts with each chunk too.
    content.socket?.setTimeout(0);
    // Listeners, not async iteration: with many streams, a promise per chunk costs noticeable CPU time.
    content.on('data', (chunk: Buffer) => {
      if (isAwaitingFirst) {
        isAwaitingFirst = false;
        clearTimeout(idleTimer);
        idleTimer = setTimeout(end, idleTimeouts.nextEventMs, true);
      } else idleTimer.refresh();
      const read = parseSse(state, decoder.decode(chunk, { stream: true }));
      state = read.state;
      for (const message of read.messages) {
        if (message.event !== 'message') continue;
        const next = onMessage(message, state.retryMs);
        if (next !== 'next') return end(next === 'last');
      }
      if (state.line.length > maxLineLength) end(false);
    });
    // The kind of error does not matter: the next request resumes the stream or reports a network error.
    content.on('error', () => end(true));
    content.on('close', () => end(true));
  });
}

/** Parses the data of an event; null if they are not JSON. */
function parseProgress(id: number, data: string): FollowedProgress | null {
  try {
    return { id, ...normaliseJobProgress(JSON.parse(data)) };
  } catch {
    return null;
  }
}
