/** One notice that waits for its turn, or is on its way. */
export interface LinedNotice {
  readonly id: string;
  readonly jobId: number;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** When it is due, in milliseconds since 1970. */
  readonly dueMs: number;
}

/** Notices on their way at once to all receivers. Generous, as each that hangs costs a socket for some seconds and no more. */
export const greatestAtOnce = 128;
/** Notices on their way at once to one receiver, so that one that hangs takes no room from the others. */
export const greatestToOne = 2;

interface Lane {
  /** Those that are due, in the order in which they became so. */
  readonly ready: LinedNotice[];
  /** The jobs whose notices are on their way. */
  readonly busyWith: number[];
}

/**
 * Decides which notice goes next. Knows neither the clock nor the network.
 *
 * Each receiver has a lane of its own, and the lanes take turns. Notices of one job go to one receiver one after the other, so that it
 * hears of the outputs before it hears of the job.
 */
export class NoticeLine {
  /** All that wait or are on their way, by id. What is not in here any more was withdrawn, and is passed over where it is met. */
  readonly #known = new Map<string, LinedNotice>();
  /** Those that are not due yet, the latest first. */
  readonly #later: LinedNotice[] = [];
  readonly #lanes = new Map<string, Lane>();
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
    for (const [origin, lane] of this.#lanes) {
      const notice = this.#takeFrom(lane);
      if (notice === null) {
        this.#clearAway(origin, lane);
        continue;
      }
      // To the end of the round, so that no lane is served before all others have been.
      this.#lanes.delete(origin);
      this.#lanes.set(origin, lane);
      lane.busyWith.push(notice.jobId);
      this.#onTheWay += 1;
      return notice;
    }
    return null;
  }

  /** Takes back a notice that was on its way: it is over, or with a time due again then, unless it was withdrawn. */
  release(notice: LinedNotice, dueMs: number | null): void {
    this.#onTheWay -= 1;
    const lane = this.#lanes.get(notice.origin);
    if (lane !== undefined) {
      lane.busyWith.splice(lane.busyWith.indexOf(notice.jobId), 1);
      this.#clearAway(notice.origin, lane);
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
    const lane = this.#lanes.get(notice.origin);
    if (lane === undefined) this.#lanes.set(notice.origin, { ready: [notice], busyWith: [] });
    else lane.ready.push(notice);
  }

  #clearAway(origin: string, { ready, busyWith }: Lane): void {
    if (ready.length + busyWith.length === 0) this.#lanes.delete(origin);
  }

  #takeFrom({ ready, busyWith }: Lane): LinedNotice | null {
    if (busyWith.length >= greatestToOne) return null;
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
