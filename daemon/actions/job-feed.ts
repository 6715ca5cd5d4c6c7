import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';

/** A job's progress at one moment. Made once, for all who listen. */
export interface JobEvent {
  /** A short digest of the record: the same id, the same record. */
  readonly id: string;
  readonly record: JobProgressRecord;
  /** The record as JSON, in one line. */
  readonly json: string;
}

/** What a feed gives: an event, or a sign of life where nothing has happened for a while. */
export type FeedItem = JobEvent | 'heartbeat';

/**
 * The events of one job for one who listens. It holds the newest event alone: whoever takes slowly misses what was
 * overtaken, and nothing piles up. Ends after the event of a final state has been taken.
 */
export class JobFeed {
  readonly #leave: (feed: JobFeed) => void;
  /** Id of the event that the listener has last. */
  #takenId: string | null;
  #newest: JobEvent | null = null;
  #isBeatDue = false;
  #isOver = false;
  #wake: () => void = () => {};

  /** A feed for one who has the event `takenId` already, and who is missed by nobody once `leave` was called. */
  constructor(takenId: string | null, leave: (feed: JobFeed) => void) {
    this.#takenId = takenId;
    this.#leave = leave;
  }

  /** Whether nothing more is to be taken. */
  get isDone(): boolean {
    return this.#isOver && this.#newest === null;
  }

  /** Resolves to what comes next, as soon as there is something; null when the feed is over. One call at a time. */
  async next(): Promise<FeedItem | null> {
    while (this.#newest === null && !this.#isBeatDue && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#newest;
    this.#isBeatDue = false;
    if (event === null) return this.#isOver ? null : 'heartbeat';
    this.#newest = null;
    this.#takenId = event.id;
    if (isFinal(event.record.state)) this.end();
    return event;
  }

  /** Offers the job's newest event. One that the listener has already is none, and if it is final, nothing is to come. */
  offer(event: JobEvent): void {
    if (this.#isOver) return;
    this.#newest = event.id === this.#takenId ? null : event;
    if (this.#newest === null && isFinal(event.record.state)) this.end();
    this.#wake();
  }

  /** Has a sign of life given, unless there is something better to give. */
  offerBeat(): void {
    this.#isBeatDue = true;
    this.#wake();
  }

  /** Ends the feed; an event that was not taken yet can still be. */
  end(): void {
    this.#isOver = true;
    this.#leave(this);
    this.#wake();
  }

  /** Ends the feed at once: nobody listens any more. */
  cancel(): void {
    this.#newest = null;
    this.end();
  }
}
