/** A notification that is queued or in flight. */
export interface QueuedNotification {
  readonly id: string;
  readonly jobId: number;
  /** Scheme, host and port of the endpoint. */
  readonly origin: string;
  /** Identifies an endpoint at its origin. May contain secrets, and is only ever compared. */
  readonly endpoint: string;
  /** The due time in milliseconds since 1970. */
  readonly dueMs: number;
}

/**
 * Maximum number of notifications in flight. Generous, because one that hangs only costs a socket for some
 * seconds.
 */
export const maxConcurrent = 128;
/**
 * Maximum number of notifications in flight to one endpoint, so that one that hangs takes no slots from the
 * others.
 */
export const maxConcurrentPerEndpoint = 2;
/**
 * Maximum number of notifications in flight to one origin: services that receive webhooks for many users have
 * one origin for all of them.
 */
export const maxConcurrentPerOrigin = 16;

interface EndpointQueue {
  readonly origin: string;
  /** Due notifications, in the order in which they became due. */
  readonly ready: QueuedNotification[];
  /** Number of notifications in flight. */
  inFlight: number;
}

/**
 * Decides which notification is sent next. Uses neither the clock nor the network.
 *
 * Each endpoint has a queue of its own, and the queues are served in turn. Notifications of one job to one
 * origin are sent one after the other, so that the origin gets those of the outputs before that of the job.
 */
export class DeliveryQueue {
  /**
   * All queued or in-flight notifications, by id. One that is missing here was withdrawn, and is skipped
   * elsewhere.
   */
  readonly #known = new Map<string, QueuedNotification>();
  /** Notifications that are not due yet, latest first. */
  readonly #later: QueuedNotification[] = [];
  readonly #endpoints = new Map<string, EndpointQueue>();
  /** The jobs of the notifications in flight, by origin. */
  readonly #jobsInFlight = new Map<string, number[]>();
  #inFlight = 0;

  /** The number of queued and in-flight notifications. */
  get size(): number {
    return this.#known.size;
  }

  /** Adds a notification; no-op if its id is known. */
  add(notification: QueuedNotification): void {
    if (this.#known.has(notification.id)) return;
    this.#known.set(notification.id, notification);
    this.#schedule(notification);
  }

  /** Withdraws a notification. One in flight stays so until it is released, and is not queued again. */
  remove(id: string): void {
    this.#known.delete(id);
  }

  /**
   * Takes the notification to send now, which is in flight from then on; null if none is due or there is no
   * free slot.
   */
  next(nowMs: number): QueuedNotification | null {
    while ((this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= nowMs) this.#makeReady();
    if (this.#inFlight >= maxConcurrent) return null;
    for (const [endpoint, endpointQueue] of this.#endpoints) {
      const notification = this.#nextFrom(endpointQueue);
      if (notification === null) {
        this.#removeIfEmpty(endpoint, endpointQueue);
        continue;
      }
      // Moves the queue to the end, so that it is not served again before all others.
      this.#endpoints.delete(endpoint);
      this.#endpoints.set(endpoint, endpointQueue);
      endpointQueue.inFlight += 1;
      this.#jobsInFlight.set(endpointQueue.origin, [
        ...this.#jobsAt(endpointQueue.origin),
        notification.jobId,
      ]);
      this.#inFlight += 1;
      return notification;
    }
    return null;
  }

  /**
   * Ends the flight of a notification. It is done, or, if `dueMs` is given, queued again unless it was
   * withdrawn.
   */
  release(notification: QueuedNotification, dueMs: number | null): void {
    this.#inFlight -= 1;
    const others = this.#jobsAt(notification.origin).filter((jobId) => jobId !== notification.jobId);
    if (others.length > 0) this.#jobsInFlight.set(notification.origin, others);
    else this.#jobsInFlight.delete(notification.origin);
    const endpointQueue = this.#endpoints.get(notification.endpoint);
    if (endpointQueue !== undefined) {
      endpointQueue.inFlight -= 1;
      this.#removeIfEmpty(notification.endpoint, endpointQueue);
    }
    if (this.#known.get(notification.id) !== notification) return;
    this.#known.delete(notification.id);
    if (dueMs !== null) this.add({ ...notification, dueMs });
  }

  /** The earliest due time of those that are not due yet; null if there are none. */
  nextDueMs(): number | null {
    return this.#later.at(-1)?.dueMs ?? null;
  }

  /** Changes the due times of all notifications that are not due yet by some milliseconds. */
  shift(ms: number): void {
    for (const [index, notification] of this.#later.entries()) {
      const moved = { ...notification, dueMs: notification.dueMs + ms };
      this.#later[index] = moved;
      if (this.#known.get(notification.id) === notification) this.#known.set(notification.id, moved);
    }
  }

  #schedule(notification: QueuedNotification): void {
    let low = 0;
    let high = this.#later.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // Of two with the same due time, the one that was added first is sent first.
      if ((this.#later[middle]?.dueMs ?? 0) > notification.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#later.splice(low, 0, notification);
  }

  #makeReady(): void {
    const notification = this.#later.pop();
    if (notification === undefined || this.#known.get(notification.id) !== notification) return;
    const { origin, endpoint } = notification;
    const endpointQueue = this.#endpoints.get(endpoint);
    if (endpointQueue === undefined)
      this.#endpoints.set(endpoint, { origin, ready: [notification], inFlight: 0 });
    else endpointQueue.ready.push(notification);
  }

  #removeIfEmpty(endpoint: string, { ready, inFlight }: EndpointQueue): void {
    if (ready.length + inFlight === 0) this.#endpoints.delete(endpoint);
  }

  #jobsAt(origin: string): readonly number[] {
    return this.#jobsInFlight.get(origin) ?? [];
  }

  #nextFrom({ origin, ready, inFlight }: EndpointQueue): QueuedNotification | null {
    const jobsInFlight = this.#jobsAt(origin);
    if (inFlight >= maxConcurrentPerEndpoint || jobsInFlight.length >= maxConcurrentPerOrigin) return null;
    for (let index = 0; index < ready.length; ) {
      const notification = ready[index];
      const isQueued = notification !== undefined && this.#known.get(notification.id) === notification;
      if (isQueued && jobsInFlight.includes(notification.jobId)) index += 1;
      else {
        ready.splice(index, 1);
        if (isQueued) return notification;
      }
    }
    return null;
  }
}
