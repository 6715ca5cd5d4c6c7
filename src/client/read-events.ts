import type { IncomingMessage } from 'node:http';
import { isFinal } from '../shared/states.js';
import type { FollowedProgress } from './job-progress.js';
import { normaliseJobProgress } from './normalise.js';
import { initialSseState, parseSse } from './sse.js';

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
/** Maximum length of a line in characters; the progress of a job with 50 outputs is far shorter. */
const maxLineLength = 4 * 1024 * 1024;

/**
 * Reads a job's server-sent events until a final state or until the stream breaks, and closes the connection. Resolves
 * to whether the stream is usable: one without events, or with events that are not progress, is not. Never rejects.
 */
export function readEvents(
  id: number,
  content: IncomingMessage,
  onEvent: EventListener,
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
      for (const { data, id: eventId, event } of read.messages) {
        if (event !== 'message') continue;
        const job = parseProgress(id, data);
        if (job === null) return end(false);
        onEvent({ job, eventId, retryMs: state.retryMs });
        if (isFinal(job.state)) return end(true);
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
