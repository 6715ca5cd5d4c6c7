import type { IncomingMessage } from 'node:http';
import { isFinal } from '../shared/states.js';
import type { FollowedProgress } from './job-progress.js';
import { normaliseJobProgress } from './normalise.js';
import { initialSseState, parseSse } from './sse.js';

/** One event of a job's stream. */
export interface JobEvent {
  readonly job: FollowedProgress;
  /** With this a stream that broke is taken up again; empty where it gives none. */
  readonly eventId: string;
  /** Milliseconds that the service wants to be left alone after a break; null where it does not say. */
  readonly retryMs: number | null;
}

/** Is handed events as they come. Must not throw. */
export type EventListener = (event: JobEvent) => void;

/** Milliseconds without a byte after which a stream counts as broken. */
export interface IdleTimeouts {
  /** At its beginning, where an event is due at once: what holds that back is a proxy which collects. */
  readonly firstEventMs: number;
  /** Later on: three signs of life that did not come. */
  readonly nextEventMs: number;
}

const defaultIdleTimeouts: IdleTimeouts = { firstEventMs: 10_000, nextEventMs: 45_000 };
/** Greatest length of a line, in characters; a job with 50 outputs stays far below. */
const maxLineLength = 4 * 1024 * 1024;

/**
 * Reads a job's server-sent events to their end: that of a final state, or a break. Resolves to whether the stream is of use
 * at all: one is not that brings nothing, or something else than progress. Never rejects, and lets go of the connection.
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
    // By listening, not by iterating: with many streams what a promise for each piece costs is felt.
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
    // What breaks a connection is no matter: it is taken up again, or found to be out of reach.
    content.on('error', () => end(true));
    content.on('close', () => end(true));
  });
}

/** The progress that the data of an event hold; null where they are not JSON. */
function parseProgress(id: number, data: string): FollowedProgress | null {
  try {
    return { id, ...normaliseJobProgress(JSON.parse(data)) };
  } catch {
    return null;
  }
}
