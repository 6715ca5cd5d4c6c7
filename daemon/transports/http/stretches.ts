import { createPace, type Pace } from './pace.js';

/** A part of a file that one connection is bringing. */
export interface Stretch {
  /** The next byte that is to come, and the one behind the last; infinite where no length is known. */
  readonly at: number;
  readonly end: number;
  readonly pace: Pace;
  /** Aborted when all of it was given to another connection. */
  readonly taken: AbortSignal;
}

/** How a file is divided. */
export interface Division {
  /** What one connection is given at once. */
  readonly chunkBytes: number;
  /** Nothing smaller is worth a request of its own, unless it is in slow hands. */
  readonly leastBytes: number;
}

interface Running extends Stretch {
  /** Where it began. */
  readonly from: number;
  at: number;
  end: number;
  readonly taking: AbortController;
}

interface Free {
  readonly from: number;
  readonly to: number;
}

/** Beyond this, and several times what another connection needs, a connection's rest is taken from it. */
const slowSeconds = 1;
const slowTimes = 4;

/**
 * Who brings which part of one file. Parts are given out from its beginning on, so that the file is summed not far behind; when none is left, the
 * one that takes longest is shared, in proportion to how fast its two connections are, or taken from a connection that crawls.
 */
export class Stretches {
  #free: Free[];
  readonly #running = new Set<Running>();
  #chunkBytes = Number.POSITIVE_INFINITY;

  constructor(
    readonly totalBytes: number | null,
    private readonly division: Division,
  ) {
    const to = totalBytes ?? Number.POSITIVE_INFINITY;
    this.#free = to === 0 ? [] : [{ from: 0, to }];
  }

  /** Whether every byte has come. */
  get isWhole(): boolean {
    return this.#free.length === 0 && [...this.#running].every(({ at, end }) => at >= end);
  }

  /** Whether the file is divided. */
  get isDivided(): boolean {
    return Number.isFinite(this.#chunkBytes);
  }

  /** Bytes that have not come. */
  get restBytes(): number {
    const free = this.#free.reduce((sum, { from, to }) => sum + to - from, 0);
    return [...this.#running].reduce((sum, { at, end }) => sum + Math.max(0, end - at), free);
  }

  /** How long the rest takes with the connections that there are, in seconds; 0 where that is too early to tell. */
  get secondsLeft(): number {
    const speeds = [...this.#running].map(({ pace }) => pace.bytesPerSecond());
    if (speeds.length === 0 || speeds.includes(null)) return 0;
    return (
      this.restBytes /
      Math.max(
        1,
        speeds.reduce<number>((sum, speed) => sum + (speed ?? 0), 0),
      )
    );
  }

  /** From now on the file comes in parts: the one connection there is gives away all but its next. */
  divide(): void {
    this.#chunkBytes = this.division.chunkBytes;
    for (const running of this.#running) this.#cut(running, running.at + this.#chunkBytes);
  }

  /** The file does not come in parts after all. False where the one connection there is has not the rest of the file before it any more. */
  unite(): boolean {
    this.#chunkBytes = Number.POSITIVE_INFINITY;
    const [only, another] = this.#running;
    const [rest, further] = this.#free;
    if (only === undefined || another !== undefined || further !== undefined) return false;
    if (rest === undefined) return true;
    if (only.at >= only.end || rest.from !== only.end) return false;
    only.end = rest.to;
    this.#free = [];
    return true;
  }

  /** A stretch of no bytes, of a file that has none. */
  nothing(): Stretch {
    return this.#run(0, 0);
  }

  /** The next part for a connection, which brought `bytesPerSecond` before; null where there is nothing to do for it now. */
  take(bytesPerSecond: number | null = null): Stretch | null {
    const [first, ...others] = this.#free;
    if (first === undefined) return this.#share(bytesPerSecond);
    const end = Math.min(first.to, first.from + this.#chunkBytes);
    // What would be left alone and small goes along.
    const to = first.to - end < this.division.leastBytes ? first.to : end;
    this.#free = to < first.to ? [{ from: to, to: first.to }, ...others] : others;
    return this.#run(first.from, to);
  }

  /** Bytes are there, and about to be written: how many of them are wanted. */
  advance(stretch: Stretch, bytes: number): number {
    const running = this.#find(stretch);
    const wanted = Math.max(0, Math.min(bytes, running.end - running.at));
    running.at += wanted;
    running.pace.came(wanted);
    return wanted;
  }

  /** A file of unknown length has ended. */
  endAt(stretch: Stretch): void {
    const running = this.#find(stretch);
    running.end = running.at;
  }

  /** A connection has done with its part: what is missing of it is for others. That it is no part of this file (any more) is as good. */
  release(stretch: Stretch): void {
    const running = [...this.#running].find((each) => each === stretch);
    if (running === undefined) return;
    this.#running.delete(running);
    if (running.at < running.end) this.#giveBack({ from: running.at, to: running.end });
  }

  #share(bytesPerSecond: number | null): Stretch | null {
    const slowest = [...this.#running]
      .filter((running) => running.at < running.end && Number.isFinite(running.end) && !isAwaited(running))
      .toSorted((a, b) => secondsLeft(b) - secondsLeft(a))[0];
    if (slowest === undefined) return null;
    const restBytes = slowest.end - slowest.at;
    const itsSpeed = slowest.pace.bytesPerSecond();
    const ownSpeed = bytesPerSecond ?? itsSpeed ?? 1;
    const itsShare = Math.ceil(
      restBytes * ((itsSpeed ?? ownSpeed) / ((itsSpeed ?? ownSpeed) + ownSpeed || 1)),
    );
    const { leastBytes } = this.division;
    if (restBytes - itsShare >= leastBytes && itsShare >= leastBytes) {
      const { end } = slowest;
      slowest.end = slowest.at + itsShare;
      return this.#run(slowest.end, end);
    }
    const isSlow = secondsLeft(slowest) > slowSeconds + slowTimes * (restBytes / ownSpeed);
    if (itsSpeed === null || bytesPerSecond === null || !isSlow) return null;
    const { at, end } = slowest;
    slowest.end = at;
    slowest.taking.abort();
    return this.#run(at, end);
  }

  #run(at: number, end: number): Stretch {
    const taking = new AbortController();
    const running: Running = { from: at, at, end, pace: createPace(), taking, taken: taking.signal };
    this.#running.add(running);
    return running;
  }

  #cut(running: Running, at: number): void {
    if (running.end - at < this.division.leastBytes) return;
    this.#giveBack({ from: at, to: running.end });
    running.end = at;
  }

  #giveBack(free: Free): void {
    const [before, after] = [
      this.#free.find(({ to }) => to === free.from),
      this.#free.find(({ from }) => from === free.to),
    ];
    const joined = { from: before?.from ?? free.from, to: after?.to ?? free.to };
    const others = this.#free.filter((each) => each !== before && each !== after);
    this.#free = [...others, joined].sort((a, b) => a.from - b.from);
  }

  #find(stretch: Stretch): Running {
    for (const running of this.#running) if (running === stretch) return running;
    throw new TypeError('this stretch is not under way');
  }
}

/**
 * A server may be slow to find a part, and slower the more it is asked for. Whoever did not wait for the first byte would ask for the same
 * part again and again, over one connection after the other.
 */
function isAwaited({ from, at, pace }: Running): boolean {
  return at === from && pace.bytesPerSecond() === null;
}

function secondsLeft({ at, end, pace }: Running): number {
  const speed = pace.bytesPerSecond();
  return speed === null ? 0 : (end - at) / Math.max(speed, 1);
}
