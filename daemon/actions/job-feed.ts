import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';

/** A job's progress at one moment. Made once, for all who listen. */
export interface JobProgressEvent {
  /** A short digest of the record: the same id, the same record. */
  readonly id: string;
  readonly record: JobProgressRecord;
  /** The record as JSON, in one line. */
  readonly json: string;
}

/** What a feed gives: an event, or a sign of life where nothing has happened for a while. */
export type FeedItem = JobProgressEvent | 'heartbeat';

/**
 * The events of one job for one who listens. It holds the newest event alone: whoever takes slowly misses what was
 * overtaken, and nothing piles up. Ends after the event of a final state has been taken.
 */
export class JobFeed {
  readonly #onEnd: (feed: JobFeed) => void;
  /** Id of the event that the listener has last. */
  #lastEventId: string | null;
  #newest: JobProgressEvent | null = null;
  #isHeartbeatDue = false;
  #isEnded = false;
  #wake: () => void = () => {};

  /** A feed for one who has the event `takenId` already, and who is missed by nobody once `leave` was called. */
  constructor(lastEventId: string | null, onEnd: (feed: JobFeed) => void) {
    this.#lastEventId = lastEventId;
    this.#onEnd = onEnd;
  }

  /** Whether nothing more is to be taken. */
  get isDone(): boolean {
    return this.#isEnded && this.#newest === null;
  }

  /** Resolves to what comes next, as soon as there is something; null when the feed is over. One call at a time. */
  async next(): Promise<FeedItem | null> {
    while (this.#newest === null && !this.#isHeartbeatDue && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#newest;
    this.#isHeartbeatDue = false;
    if (event === null) return this.#isEnded ? null : 'heartbeat';
    this.#newest = null;
    this.#lastEventId = event.id;
    if (isFinal(event.record.state)) this.end();
    return event;
  }

  /** Offers the job's newest event. One that the listener has already is none, and if it is final, nothing is to come. */
  push(event: JobProgressEvent): void {
    if (this.#isEnded) return;
    this.#newest = event.id === this.#lastEventId ? null : event;
    if (this.#newest === null && isFinal(event.record.state)) this.end();
    this.#wake();
  }

  /** Has a sign of life given, unless there is something better to give. */
  pushHeartbeat(): void {
    this.#isHeartbeatDue = true;
    this.#wake();
  }

  /** Ends the feed; an event that was not taken yet can still be. */
  end(): void {
    this.#isEnded = true;
    this.#onEnd(this);
    this.#wake();
  }

  /** Ends the feed at once: nobody listens any more. */
  cancel(): void {
    this.#newest = null;
    this.end();
  }
}
