/** One notice that waits for its turn, or is on its way. */
export interface LinedNotice {
  readonly id: string;
  readonly jobId: number;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** Tells receivers at one origin apart; may hold secrets, and is only ever compared. */
  readonly receiver: string;
  /** When it is due, in milliseconds since 1970. */
  readonly dueMs: number;
}

/** Notices on their way at once to all receivers. Generous, as each that hangs costs a socket for some seconds and no more. */
export const greatestAtOnce = 128;
/** Notices on their way at once to one receiver, so that one that hangs takes no room from the others. */
export const greatestToOne = 2;
/** Notices on their way at once to all receivers at one origin: services that take notices for many have one origin for them all. */
export const greatestToOrigin = 16;

interface Lane {
  readonly origin: string;
  /** Those that are due, in the order in which they became so. */
  readonly ready: LinedNotice[];
  /** How many are on their way. */
  onTheWay: number;
}

/**
 * Decides which notice goes next. Knows neither the clock nor the network.
 *
 * Each receiver has a lane of its own, and the lanes take turns. Notices of one job go to one origin one after the other, so that it
 * hears of the outputs before it hears of the job.
 */
export class NoticeLine {
  /** All that wait or are on their way, by id. What is not in here any more was withdrawn, and is passed over where it is met. */
  readonly #known = new Map<string, LinedNotice>();
  /** Those that are not due yet, the latest first. */
  readonly #later: LinedNotice[] = [];
  readonly #lanes = new Map<string, Lane>();
  /** The jobs whose notices are on their way, by origin. */
  readonly #busyWith = new Map<string, number[]>();
  #onTheWay = 0;

  /** Lines a notice up; one that is known already stays as it is. */
  add(notice: LinedNotice): void {
    if (this.#known.has(notice.id)) return;
    this.#known.set(notice.id, notice);
    this.#lineUp(notice);
  }

  /** Withdraws a notice. One that is on its way stays so until it is released, and is not lined up again. */
  remove(id: string): void {
    this.#known.delete(id);
  }

  /** The notice that is to go now, which is on its way from here on; null where none is due or there is no room. */
  take(nowMs: number): LinedNotice | null {
    while ((this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= nowMs) this.#wakeNext();
    if (this.#onTheWay >= greatestAtOnce) return null;
    for (const [receiver, lane] of this.#lanes) {
      const notice = this.#takeFrom(lane);
      if (notice === null) {
        this.#clearAway(receiver, lane);
        continue;
      }
      // To the end of the round, so that no lane is served before all others have been.
      this.#lanes.delete(receiver);
      this.#lanes.set(receiver, lane);
      lane.onTheWay += 1;
      this.#busyWith.set(lane.origin, [...this.#jobsAt(lane.origin), notice.jobId]);
      this.#onTheWay += 1;
      return notice;
    }
    return null;
  }

  /** Takes back a notice that was on its way: it is over, or with a time due again then, unless it was withdrawn. */
  release(notice: LinedNotice, dueMs: number | null): void {
    this.#onTheWay -= 1;
    const others = this.#jobsAt(notice.origin).filter((jobId) => jobId !== notice.jobId);
    if (others.length > 0) this.#busyWith.set(notice.origin, others);
    else this.#busyWith.delete(notice.origin);
    const lane = this.#lanes.get(notice.receiver);
    if (lane !== undefined) {
      lane.onTheWay -= 1;
      this.#clearAway(notice.receiver, lane);
    }
    if (this.#known.get(notice.id) !== notice) return;
    this.#known.delete(notice.id);
    if (dueMs !== null) this.add({ ...notice, dueMs });
  }

  /** When the next of those that are not due yet will be; null where there are none. */
  nextDueMs(): number | null {
    return this.#later.at(-1)?.dueMs ?? null;
  }

  #lineUp(notice: LinedNotice): void {
    let low = 0;
    let high = this.#later.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // Of two that are due at once, the one that came first is taken first.
      if ((this.#later[middle]?.dueMs ?? 0) > notice.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#later.splice(low, 0, notice);
  }

  #wakeNext(): void {
    const notice = this.#later.pop();
    if (notice === undefined || this.#known.get(notice.id) !== notice) return;
    const { origin, receiver } = notice;
    const lane = this.#lanes.get(receiver);
    if (lane === undefined) this.#lanes.set(receiver, { origin, ready: [notice], onTheWay: 0 });
    else lane.ready.push(notice);
  }

  #clearAway(receiver: string, { ready, onTheWay }: Lane): void {
    if (ready.length + onTheWay === 0) this.#lanes.delete(receiver);
  }

  #jobsAt(origin: string): readonly number[] {
    return this.#busyWith.get(origin) ?? [];
  }

  #takeFrom({ origin, ready, onTheWay }: Lane): LinedNotice | null {
    const busyWith = this.#jobsAt(origin);
    if (onTheWay >= greatestToOne || busyWith.length >= greatestToOrigin) return null;
    for (let index = 0; index < ready.length; ) {
      const notice = ready[index];
      const isKnown = notice !== undefined && this.#known.get(notice.id) === notice;
      if (isKnown && busyWith.includes(notice.jobId)) index += 1;
      else {
        ready.splice(index, 1);
        if (isKnown) return notice;
      }
    }
    return null;
  }
}
