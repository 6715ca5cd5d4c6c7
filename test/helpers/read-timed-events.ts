import { initialSseState, parseSse } from '../../src/client/sse.js';
import type { JobProgressRecord } from '../../src/shared/records.js';

/** What a stream of events told, and when, in seconds since it was asked for. */
export type TimedEvents = readonly (readonly [number, JobProgressRecord])[];

/** Reads a stream of a job's events to its end, from the moment of the call. */
export async function readTimedEvents({ body }: Response): Promise<TimedEvents> {
  const startedAt = performance.now();
  const events: (readonly [number, JobProgressRecord])[] = [];
  let reading = initialSseState;
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    const { messages, state } = parseSse(reading, decoder.decode(bytes, { stream: true }));
    reading = state;
    for (const { data } of messages) events.push([(performance.now() - startedAt) / 1000, JSON.parse(data)]);
  }
  return events;
}
