import { VencError } from '../../src/shared/errors.js';

/** An event of a stream. One object is shared by all subscribers. */
export interface StreamEvent {
  readonly id: string;
  /** The data as JSON on one line. */
  readonly json: string;
  /** Whether a feed ends once this event was read. */
  readonly isLast?: boolean;
}

/** What one subscriber receives. */
interface FeedOptions<Event> {
  /** Id of the last event that the subscriber has; null if it has none. */
  readonly lastEventId?: string | null;
  /** Whether only the newest event waits for a slow reader, which misses those in between. */
  readonly keepsNewest?: boolean;
  /**
   * Joins an event with the one that waits, null if none does. Returns null if the result would be too large: the feed
   * ends then.
   */
  combine?(waiting: Event | null, event: Event): Event | null;
  /** Minimum interval between two events, in milliseconds. */
  readonly minIntervalMs?: number;
  /** Which events the subscriber receives; all by default. */
  accepts?(event: Event): boolean;
  /** Called when the feed ends. May be called again. */
  onEnd(): void;
}

/**
 * Events that wait for a slow reader; with more, its feed ends. It subscribes again after its last event and misses
 * nothing.
 */
const maxWaitingEvents = 2000;
/** Proxies drop a response that is silent for longer, commonly 30 or 60 seconds. */
const defaultHeartbeatMs = 15_000;

/** The events of one topic for one subscriber. Nothing accumulates for a slow reader. */
export class Feed<Event extends StreamEvent> {
  readonly #options: FeedOptions<Event>;
  #lastEventId: string | null;
  #waiting: Event[] = [];
  /** Whether the earlier events are known. Events that arrive before wait behind them. */
  #hasReplayed = false;
  #isHeartbeatDue = false;
  #isEnded = false;
  #wake: () => void = () => {};
  #takenAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FeedOptions<Event>) {
    this.#options = options;
    this.#lastEventId = options.lastEventId ?? null;
  }

  /** Whether no further item will come. */
  get isDone(): boolean {
    return this.#isEnded && this.#waiting.length === 0;
  }

  /** Resolves to the next item as soon as there is one; null when the feed has ended. One call at a time. */
  async next(): Promise<Event | 'heartbeat' | null> {
    while (!this.#isEnded) {
      const waitMs = this.#waiting.length === 0 ? null : this.#msToNext();
      if (waitMs === null ? this.#isHeartbeatDue : waitMs <= 0) break;
      await this.#waitForChange(waitMs);
    }
    this.#isHeartbeatDue = false;
    const event = this.#waiting.shift();
    if (event === undefined) return this.#isEnded ? null : 'heartbeat';
    this.#takenAtMs = performance.now();
    this.#lastEventId = event.id;
    if (event.isLast === true) this.end();
    return event;
  }

  #msToNext(): number {
    const { minIntervalMs = 0 } = this.#options;
    return this.#takenAtMs + minIntervalMs - performance.now();
  }

  /** Resolves after a change of what waits, or after a time if that is not null. */
  #waitForChange(waitMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = waitMs === null ? undefined : setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Puts earlier events in front of those that have arrived. An event that is among both is sent once. */
  replay(earlier: readonly Event[]): void {
    if (this.#options.combine !== undefined) {
      const arrived = this.#waiting;
      this.#waiting = [];
      for (const event of [...earlier, ...arrived]) this.push(event);
      return;
    }
    const ids = new Set(earlier.map(({ id }) => id));
    this.#waiting = [...earlier, ...this.#waiting.filter(({ id }) => !ids.has(id))];
    this.#hasReplayed = true;
  }

  /** Adds an event. */
  push(event: Event): void {
    if (this.#isEnded || this.#options.accepts?.(event) === false) return;
    if (this.#options.keepsNewest === true) {
      const isKnown = event.id === this.#lastEventId;
      this.#waiting = isKnown ? [] : [event];
      if (isKnown && event.isLast === true) this.end();
    } else if (this.#options.combine !== undefined) {
      const combined = this.#options.combine(this.#waiting[0] ?? null, event);
      if (combined === null) this.end();
      else this.#waiting = [combined];
    } else if (this.#hasReplayed && this.#waiting.length >= maxWaitingEvents) this.end();
    else this.#waiting.push(event);
    this.#wake();
  }

  /** Queues a heartbeat, which is sent unless there is an event to send. */
  pushHeartbeat(): void {
    this.#isHeartbeatDue = true;
    this.#wake();
  }

  /** Ends the feed. Events that were not read yet can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#options.onEnd();
    this.#wake();
  }

  /** Ends the feed at once and drops its unread events. */
  cancel(): void {
    this.#waiting = [];
    this.end();
  }
}

/** The subscribers of one subject. Exists while there are any. */
export class Topic<Event extends StreamEvent> {
  readonly feeds = new Set<Feed<Event>>();

  publish(event: Event): void {
    for (const feed of this.feeds) feed.push(event);
  }

  /** Called when a subscriber has left. */
  onLeft(_feed: Feed<Event>): void {}

  /** Called when the last subscriber has left. */
  stop(): void {}
}

/**
 * Event streams by subject. An event without subscribers costs its publisher one map look-up, and no timer runs while
 * there are no subscribers.
 */
export class EventHub<Key, Event extends StreamEvent, OneTopic extends Topic<Event> = Topic<Event>> {
  readonly #topics = new Map<Key, OneTopic>();
  readonly #createTopic: (key: Key) => OneTopic;
  readonly #heartbeatMs: number;
  #heartbeatTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `heartbeatMs` is the interval between two heartbeats, in milliseconds. */
  constructor(createTopic: (key: Key) => OneTopic, heartbeatMs = defaultHeartbeatMs) {
    this.#createTopic = createTopic;
    this.#heartbeatMs = heartbeatMs;
  }

  /** The number of subscribers. */
  get listenerCount(): number {
    return this.#feeds().length;
  }

  /** The topics that have subscribers. */
  get topics(): Iterable<OneTopic> {
    return this.#topics.values();
  }

  /** The topic of a subject that has subscribers. */
  get(key: Key): OneTopic | undefined {
    return this.#topics.get(key);
  }

  /**
   * Subscribes to a subject; `begin` gives the feed its first events. Rejects as `begin` does, and with
   * `UnavailableError` after `close`. The caller must cancel the feed or read it to its end.
   */
  async subscribe(
    key: Key,
    options: Omit<FeedOptions<Event>, 'onEnd'>,
    begin: (feed: Feed<Event>, topic: OneTopic) => Promise<void>,
  ): Promise<Feed<Event>> {
    this.#requireOpen();
    const topic = this.#topics.get(key) ?? this.#createTopic(key);
    const feed = new Feed({ ...options, onEnd: () => this.#remove(key, topic, feed) });
    this.#topics.set(key, topic);
    this.#heartbeatTimer ??= setInterval(() => this.#sendHeartbeats(), this.#heartbeatMs);
    topic.feeds.add(feed);
    try {
      await begin(feed, topic);
      this.#requireOpen();
      return feed;
    } catch (error) {
      feed.cancel();
      throw error;
    }
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    this.#isClosed = true;
    for (const feed of this.#feeds()) feed.end();
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new VencError('UnavailableError', 'The daemon is stopping.', { retryAfterSeconds: 1 });
  }

  #feeds(): readonly Feed<Event>[] {
    return [...this.#topics.values()].flatMap(({ feeds }) => [...feeds]);
  }

  #sendHeartbeats(): void {
    for (const feed of this.#feeds()) feed.pushHeartbeat();
  }

  #remove(key: Key, topic: OneTopic, feed: Feed<Event>): void {
    topic.feeds.delete(feed);
    topic.onLeft(feed);
    if (topic.feeds.size > 0) return;
    topic.stop();
    if (this.#topics.get(key) === topic) this.#topics.delete(key);
    if (this.#topics.size > 0 || this.#heartbeatTimer === null) return;
    clearInterval(this.#heartbeatTimer);
    this.#heartbeatTimer = null;
  }
}
