import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';

/** A job's progress at one moment. Made once and shared by all subscribers. */
export interface JobProgressEvent {
  /** A short digest of the record: equal ids mean equal records. */
  readonly id: string;
  readonly record: JobProgressRecord;
  /** The record as JSON on one line. */
  readonly json: string;
}

/** An item of a feed: an event, or a heartbeat if nothing has happened for a while. */
type FeedItem = JobProgressEvent | 'heartbeat';

/**
 * The events of one job for one subscriber. A feed holds only the newest event: a slow reader misses the
 * events in between, and nothing accumulates. It ends after the event of a final state was read.
 */
export class JobFeed {
  readonly #onEnd: (feed: JobFeed) => void;
  /** Id of the last event that the subscriber has received. */
  #lastEventId: string | null;
  #newest: JobProgressEvent | null = null;
  #isHeartbeatDue = false;
  #isEnded = false;
  #wake: () => void = () => {};

  /**
   * Creates a feed. `lastEventId` is the event that the subscriber has already; `onEnd` is called when the
   * feed ends.
   */
  constructor(lastEventId: string | null, onEnd: (feed: JobFeed) => void) {
    this.#lastEventId = lastEventId;
    this.#onEnd = onEnd;
  }

  /** Whether no further item will come. */
  get isDone(): boolean {
    return this.#isEnded && this.#newest === null;
  }

  /** Resolves to the next item as soon as there is one; null when the feed has ended. One call at a time. */
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

  /**
   * Offers the job's newest event. An event that the subscriber has already is skipped; if it is final, the
   * feed ends.
   */
  push(event: JobProgressEvent): void {
    if (this.#isEnded) return;
    this.#newest = event.id === this.#lastEventId ? null : event;
    if (this.#newest === null && isFinal(event.record.state)) this.end();
    this.#wake();
  }

  /** Queues a heartbeat, which is sent unless there is an event to send. */
  pushHeartbeat(): void {
    this.#isHeartbeatDue = true;
    this.#wake();
  }

  /** Ends the feed. An event that was not read yet can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#onEnd(this);
    this.#wake();
  }

  /** Ends the feed at once and drops its unread event. */
  cancel(): void {
    this.#newest = null;
    this.end();
  }
}
