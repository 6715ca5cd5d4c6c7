import { createThroughputEstimator, type ThroughputEstimator } from './throughput-estimator.js';

/** A part of a file that one connection is bringing. */
export interface TransferRange {
  /** The next byte that is to come, and the one behind the last; infinite where no length is known. */
  readonly position: number;
  readonly end: number;
  readonly throughput: ThroughputEstimator;
  /** Aborted when all of it was given to another connection. */
  readonly stolen: AbortSignal;
}

/** How a file is divided. */
export interface SplitOptions {
  /** What one connection is given at once. */
  readonly rangeBytes: number;
  /** Nothing smaller is worth a request of its own, unless it is in slow hands. */
  readonly minRangeBytes: number;
}

interface ActiveRange extends TransferRange {
  /** Where it began. */
  readonly from: number;
  position: number;
  end: number;
  readonly stealing: AbortController;
}

interface FreeRange {
  readonly from: number;
  readonly to: number;
}

/** Beyond this, and several times what another connection needs, a connection's rest is taken from it. */
const slowThresholdSeconds = 1;
const slowThresholdFactor = 4;

/**
 * Who brings which part of one file. Parts are given out from its beginning on, so that the file is summed not far behind; when none is left, the
 * one that takes longest is shared, in proportion to how fast its two connections are, or taken from a connection that crawls.
 */
export class RangeScheduler {
  #free: FreeRange[];
  readonly #active = new Set<ActiveRange>();
  #rangeBytes = Number.POSITIVE_INFINITY;

  constructor(
    readonly totalBytes: number | null,
    private readonly splitOptions: SplitOptions,
  ) {
    const to = totalBytes ?? Number.POSITIVE_INFINITY;
    this.#free = to === 0 ? [] : [{ from: 0, to }];
  }

  /** Whether every byte has come. */
  get isComplete(): boolean {
    return this.#free.length === 0 && [...this.#active].every(({ position, end }) => position >= end);
  }

  /** Whether the file is divided. */
  get isSplit(): boolean {
    return Number.isFinite(this.#rangeBytes);
  }

  /** Bytes that have not come. */
  get remainingBytes(): number {
    const free = this.#free.reduce((sum, { from, to }) => sum + to - from, 0);
    return [...this.#active].reduce((sum, { position, end }) => sum + Math.max(0, end - position), free);
  }

  /** How long the rest takes with the connections that there are, in seconds; 0 where that is too early to tell. */
  get secondsLeft(): number {
    const speeds = [...this.#active].map(({ throughput }) => throughput.bytesPerSecond());
    if (speeds.length === 0 || speeds.includes(null)) return 0;
    return (
      this.remainingBytes /
      Math.max(
        1,
        speeds.reduce<number>((sum, speed) => sum + (speed ?? 0), 0),
      )
    );
  }

  /** From now on the file comes in parts: the one connection there is gives away all but its next. */
  split(): void {
    this.#rangeBytes = this.splitOptions.rangeBytes;
    for (const active of this.#active) this.#cut(active, active.position + this.#rangeBytes);
  }

  /** The file does not come in parts after all. False where the one connection there is has not the rest of the file before it any more. */
  merge(): boolean {
    this.#rangeBytes = Number.POSITIVE_INFINITY;
    const [active, another] = this.#active;
    const [free, otherFree] = this.#free;
    if (active === undefined || another !== undefined || otherFree !== undefined) return false;
    if (free === undefined) return true;
    if (active.position >= active.end || free.from !== active.end) return false;
    active.end = free.to;
    this.#free = [];
    return true;
  }

  /** A stretch of no bytes, of a file that has none. */
  emptyRange(): TransferRange {
    return this.#start(0, 0);
  }

  /** The next part for a connection, which brought `bytesPerSecond` before; null where there is nothing to do for it now. */
  next(bytesPerSecond: number | null = null): TransferRange | null {
    const [first, ...others] = this.#free;
    if (first === undefined) return this.#steal(bytesPerSecond);
    const end = Math.min(first.to, first.from + this.#rangeBytes);
    // What would be left alone and small goes along.
    const to = first.to - end < this.splitOptions.minRangeBytes ? first.to : end;
    this.#free = to < first.to ? [{ from: to, to: first.to }, ...others] : others;
    return this.#start(first.from, to);
  }

  /** Bytes are there, and about to be written: how many of them are wanted. */
  advance(range: TransferRange, bytes: number): number {
    const active = this.#find(range);
    const acceptedBytes = Math.max(0, Math.min(bytes, active.end - active.position));
    active.position += acceptedBytes;
    active.throughput.record(acceptedBytes);
    return acceptedBytes;
  }

  /** A file of unknown length has ended. */
  truncate(range: TransferRange): void {
    const active = this.#find(range);
    active.end = active.position;
  }

  /** A connection has done with its part: what is missing of it is for others. That it is no part of this file (any more) is as good. */
  release(range: TransferRange): void {
    const active = [...this.#active].find((each) => each === range);
    if (active === undefined) return;
    this.#active.delete(active);
    if (active.position < active.end) this.#returnFree({ from: active.position, to: active.end });
  }

  #steal(bytesPerSecond: number | null): TransferRange | null {
    const slowest = [...this.#active]
      .filter(
        (active) =>
          active.position < active.end && Number.isFinite(active.end) && !isAwaitingFirstByte(active),
      )
      .toSorted((a, b) => secondsLeft(b) - secondsLeft(a))[0];
    if (slowest === undefined) return null;
    const remainingBytes = slowest.end - slowest.position;
    const activeSpeed = slowest.throughput.bytesPerSecond();
    const requesterSpeed = bytesPerSecond ?? activeSpeed ?? 1;
    const keptBytes = Math.ceil(
      remainingBytes *
        ((activeSpeed ?? requesterSpeed) / ((activeSpeed ?? requesterSpeed) + requesterSpeed || 1)),
    );
    const { minRangeBytes } = this.splitOptions;
    if (remainingBytes - keptBytes >= minRangeBytes && keptBytes >= minRangeBytes) {
      const { end } = slowest;
      slowest.end = slowest.position + keptBytes;
      return this.#start(slowest.end, end);
    }
    const isSlow =
      secondsLeft(slowest) > slowThresholdSeconds + slowThresholdFactor * (remainingBytes / requesterSpeed);
    if (activeSpeed === null || bytesPerSecond === null || !isSlow) return null;
    const { position, end } = slowest;
    slowest.end = position;
    slowest.stealing.abort();
    return this.#start(position, end);
  }

  #start(position: number, end: number): TransferRange {
    const stealing = new AbortController();
    const active: ActiveRange = {
      from: position,
      position,
      end,
      throughput: createThroughputEstimator(),
      stealing,
      stolen: stealing.signal,
    };
    this.#active.add(active);
    return active;
  }

  #cut(active: ActiveRange, position: number): void {
    if (active.end - position < this.splitOptions.minRangeBytes) return;
    this.#returnFree({ from: position, to: active.end });
    active.end = position;
  }

  #returnFree(free: FreeRange): void {
    const [preceding, following] = [
      this.#free.find(({ to }) => to === free.from),
      this.#free.find(({ from }) => from === free.to),
    ];
    const merged = { from: preceding?.from ?? free.from, to: following?.to ?? free.to };
    const others = this.#free.filter((each) => each !== preceding && each !== following);
    this.#free = [...others, merged].sort((a, b) => a.from - b.from);
  }

  #find(range: TransferRange): ActiveRange {
    for (const active of this.#active) if (active === range) return active;
    throw new TypeError('this stretch is not under way');
  }
}

/**
 * A server may be slow to find a part, and slower the more it is asked for. Whoever did not wait for the first byte would ask for the same
 * part again and again, over one connection after the other.
 */
function isAwaitingFirstByte({ from, position, throughput }: ActiveRange): boolean {
  return position === from && throughput.bytesPerSecond() === null;
}

function secondsLeft({ position, end, throughput }: ActiveRange): number {
  const speed = throughput.bytesPerSecond();
  return speed === null ? 0 : (end - position) / Math.max(speed, 1);
}
