/** When a file is downloaded over several connections. */
export interface RangeThresholds {
  /** No connection is opened for a range smaller than this, in bytes. */
  readonly minRangeBytes: number;
  /** The rest must take at least this long over the present connection, in seconds. */
  readonly splitThresholdSeconds: number;
}

/** The recent speed of a connection. */
interface ThroughputEstimator {
  /** Counts received bytes. */
  record(bytes: number): void;
  /**
   * Bytes per second over the last one to two seconds, pauses included. Null for the first 100 ms, or for the first
   * second while no byte has come.
   */
  bytesPerSecond(): number | null;
}

/** A byte range that one connection is downloading. */
export interface TransferRange {
  /** The next byte, and the end (exclusive); infinite if the length of the file is unknown. */
  readonly position: number;
  readonly end: number;
  readonly throughput: ThroughputEstimator;
  /** Aborted when another connection takes over the whole range. */
  readonly stolen: AbortSignal;
}

/** How a file is divided into ranges. */
interface SplitOptions {
  /** The size of one range. */
  readonly rangeBytes: number;
  /** A smaller range gets no request of its own, unless its connection is slow. */
  readonly minRangeBytes: number;
}

interface ActiveRange extends TransferRange {
  /** The first byte. */
  readonly from: number;
  position: number;
  end: number;
  readonly stealing: AbortController;
  /** Whether it was taken from a connection that had received nothing of it. */
  readonly isTaken: boolean;
}

interface FreeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A connection that needs longer than this for the rest of its range, and several times longer than another one, loses
 * the range to it.
 */
const slowThresholdSeconds = 1;
const slowThresholdFactor = 4;

/**
 * Assigns the byte ranges of one file to connections, from the start of the file, so that the checksum does not fall
 * far behind. When no free range is left, it splits the range that takes longest between two connections in proportion
 * to their speeds, or takes it from a slow one.
 */
export class RangeScheduler {
  #free: FreeRange[];
  readonly #active = new Set<ActiveRange>();
  #rangeBytes = Number.POSITIVE_INFINITY;

  constructor(
    readonly totalBytes: number | null,
    private readonly splitOptions: SplitOptions,
    /** Monotonic, in milliseconds. */
    private readonly clock: () => number = () => performance.now(),
  ) {
    const to = totalBytes ?? Number.POSITIVE_INFINITY;
    this.#free = to === 0 ? [] : [{ from: 0, to }];
  }

  /** Whether every byte has been received. */
  get isComplete(): boolean {
    return this.#free.length === 0 && [...this.#active].every(({ position, end }) => position >= end);
  }

  /** Whether the file is divided into ranges. */
  get isSplit(): boolean {
    return Number.isFinite(this.#rangeBytes);
  }

  /** Bytes that have not been received. */
  get remainingBytes(): number {
    const free = this.#free.reduce((sum, { from, to }) => sum + to - from, 0);
    return [...this.#active].reduce((sum, { position, end }) => sum + Math.max(0, end - position), free);
  }

  /** How long the rest takes over the present connections, in seconds; 0 if there is no estimate yet. */
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

  /** Divides the file: the only connection keeps the next range and frees the rest. */
  split(): void {
    this.#rangeBytes = this.splitOptions.rangeBytes;
    for (const active of this.#active) this.#cut(active, active.position + this.#rangeBytes);
  }

  /**
   * Gives the rest of the file back to the only connection. False if its range is not directly followed by all of that
   * rest.
   */
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

  /** A range of no bytes, for an empty file. */
  emptyRange(): TransferRange {
    return this.#start(0, 0);
  }

  /** The next range for a connection whose last speed was `bytesPerSecond`; null if there is none for it now. */
  next(bytesPerSecond: number | null = null): TransferRange | null {
    const [first, ...others] = this.#free;
    if (first === undefined) return this.#steal(bytesPerSecond);
    const end = Math.min(first.to, first.from + this.#rangeBytes);
    // A small remainder is included.
    const to = first.to - end < this.splitOptions.minRangeBytes ? first.to : end;
    this.#free = to < first.to ? [{ from: to, to: first.to }, ...others] : others;
    return this.#start(first.from, to);
  }

  /** Advances a range by received bytes, and returns how many of them belong to it. */
  advance(range: TransferRange, bytes: number): number {
    const active = this.#find(range);
    const acceptedBytes = Math.max(0, Math.min(bytes, active.end - active.position));
    active.position += acceptedBytes;
    active.throughput.record(acceptedBytes);
    return acceptedBytes;
  }

  /** Ends the range of a file whose length was unknown. */
  truncate(range: TransferRange): void {
    const active = this.#find(range);
    active.end = active.position;
  }

  /** Frees the missing rest of a range. No-op for a range that is not active. */
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
    const { position, end, from } = slowest;
    slowest.end = position;
    slowest.stealing.abort();
    return this.#start(position, end, position === from);
  }

  #start(position: number, end: number, isTaken = false): TransferRange {
    const stealing = new AbortController();
    const active: ActiveRange = {
      from: position,
      position,
      end,
      throughput: createThroughputEstimator(this.clock),
      ...{ stealing, isTaken },
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
    throw new TypeError('the range is not active');
  }
}

/**
 * A server may be slow to find a range, and slower with each request. Without waiting for the first byte, one
 * connection after another would request the same range: for a second, and without a limit if the range was taken from
 * a connection that waited as well.
 */
function isAwaitingFirstByte({ from, position, throughput, isTaken }: ActiveRange): boolean {
  return position === from && (isTaken || throughput.bytesPerSecond() === null);
}

function secondsLeft({ position, end, throughput }: ActiveRange): number {
  const speed = throughput.bytesPerSecond();
  return speed === null ? 0 : (end - position) / Math.max(speed, 1);
}

const mebibyte = 1 << 20;

/**
 * The size of the ranges of a file. Large enough that the time between two requests does not matter, and small enough
 * that the checksum, which needs the bytes in order, does not fall far behind. A small file is divided among all
 * connections at once.
 */
export function rangeBytesFor(totalBytes: number, connections: number, minRangeBytes: number): number {
  const quarter = Math.min(Math.max(totalBytes / (connections * 4), 4 * mebibyte), 64 * mebibyte);
  return Math.max(minRangeBytes, Math.ceil(Math.min(quarter, totalBytes / connections)));
}

const windowMs = 1_000;
/**
 * No estimate before this time; while no byte has come (a server may be slow to find the first), none before a whole
 * window.
 */
const minSampleMs = 100;

/** Starts measuring. `clock` is monotonic, in milliseconds. */
export function createThroughputEstimator(clock: () => number): ThroughputEstimator {
  let window = { at: clock(), bytes: 0 };
  let previousWindow = window;
  return {
    record(bytes) {
      const now = clock();
      if (now - window.at >= windowMs) {
        previousWindow = window;
        window = { at: now, bytes: 0 };
      }
      window.bytes += bytes;
    },
    bytesPerSecond() {
      const ms = clock() - previousWindow.at;
      const hasReceived = previousWindow.bytes + window.bytes > 0;
      if (ms < (hasReceived || previousWindow !== window ? minSampleMs : windowMs)) return null;
      return ((previousWindow === window ? 0 : previousWindow.bytes) + window.bytes) / (ms / 1_000);
    },
  };
}
