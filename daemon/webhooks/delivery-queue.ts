/** One notice that waits for its turn, or is on its way. */
export interface QueuedNotification {
  readonly id: string;
  readonly jobId: number;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** Tells receivers at one origin apart; may hold secrets, and is only ever compared. */
  readonly endpoint: string;
  /** When it is due, in milliseconds since 1970. */
  readonly dueMs: number;
}

/** Notices on their way at once to all receivers. Generous, as each that hangs costs a socket for some seconds and no more. */
export const maxConcurrent = 128;
/** Notices on their way at once to one receiver, so that one that hangs takes no room from the others. */
export const maxConcurrentPerEndpoint = 2;
/** Notices on their way at once to all receivers at one origin: services that take notices for many have one origin for them all. */
export const maxConcurrentPerOrigin = 16;

interface EndpointQueue {
  readonly origin: string;
  /** Those that are due, in the order in which they became so. */
  readonly ready: QueuedNotification[];
  /** How many are on their way. */
  inFlight: number;
}

/**
 * Decides which notice goes next. Knows neither the clock nor the network.
 *
 * Each receiver has a lane of its own, and the lanes take turns. Notices of one job go to one origin one after the other, so that it
 * hears of the outputs before it hears of the job.
 */
export class DeliveryQueue {
  /** All that wait or are on their way, by id. What is not in here any more was withdrawn, and is passed over where it is met. */
  readonly #known = new Map<string, QueuedNotification>();
  /** Those that are not due yet, the latest first. */
  readonly #later: QueuedNotification[] = [];
  readonly #endpoints = new Map<string, EndpointQueue>();
  /** The jobs whose notices are on their way, by origin. */
  readonly #jobsInFlight = new Map<string, number[]>();
  #inFlight = 0;

  /** Lines a notice up; one that is known already stays as it is. */
  add(notification: QueuedNotification): void {
    if (this.#known.has(notification.id)) return;
    this.#known.set(notification.id, notification);
    this.#schedule(notification);
  }

  /** Withdraws a notice. One that is on its way stays so until it is released, and is not lined up again. */
  remove(id: string): void {
    this.#known.delete(id);
  }

  /** The notice that is to go now, which is on its way from here on; null where none is due or there is no room. */
  next(nowMs: number): QueuedNotification | null {
    while ((this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= nowMs) this.#makeReady();
    if (this.#inFlight >= maxConcurrent) return null;
    for (const [endpoint, endpointQueue] of this.#endpoints) {
      const notification = this.#nextFrom(endpointQueue);
      if (notification === null) {
        this.#removeIfEmpty(endpoint, endpointQueue);
        continue;
      }
      // To the end of the round, so that no lane is served before all others have been.
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

  /** Takes back a notice that was on its way: it is over, or with a time due again then, unless it was withdrawn. */
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

  /** When the next of those that are not due yet will be; null where there are none. */
  nextDueMs(): number | null {
    return this.#later.at(-1)?.dueMs ?? null;
  }

  #schedule(notification: QueuedNotification): void {
    let low = 0;
    let high = this.#later.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // Of two that are due at once, the one that came first is taken first.
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
