import { initialSseState, parseSse } from '../../src/shared/client/sse.js';
import type { JobProgressRecord } from '../../src/shared/records.js';

/** The data of an event, with the time since the request in seconds. */
export type TimedEvents = readonly (readonly [number, JobProgressRecord])[];

/** Reads an event stream of a job to its end, timed from the call. */
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
