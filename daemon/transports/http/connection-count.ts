/** A link on which one connection reaches this is fast: more of them cost processor time. */
const fastBytesPerSecond = 32 << 20;
/** How long each number of connections is tried, in milliseconds. */
const trialMs = 1_000;
/** The first bytes of a connection say little about its speed. */
const minSingleMs = 100;
/** Two connections must be faster than one by this factor: much more than the speed changes by itself. */
const minGain = 1.4;
/** One connection may be slower than two by this factor, before all are used. */
const minShare = 0.8;

/** When a measurement began. */
interface Start {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Finds out whether several connections are faster than one. On a slow link, all are used. On a fast one, the first one
 * is measured until a second is opened, then both for a second. If they gain nothing, one remains; if it then turns out
 * to be slower, all are used, and the question is settled.
 */
export class ConnectionCount {
  #phase: 'single' | 'trial' | 'reduced' | 'settled' = 'single';
  #start: Start | null = null;
  #limit = Number.POSITIVE_INFINITY;
  #singleSpeed = 0;
  #trialSpeed = 0;

  /** `clock` is monotonic, in milliseconds. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** How many connections may be open now. */
  get limit(): number {
    return this.#limit;
  }

  /** Takes the number of open connections and the bytes received so far, several times a second. */
  observe(connections: number, receivedBytes: number): void {
    if (this.#phase === 'settled' || receivedBytes === 0) return;
    if (this.#phase === 'single') this.#observeSingle(connections, receivedBytes);
    else if (this.#phase === 'trial') this.#observeTrial(receivedBytes);
    else if (connections === 1) this.#observeReduced(receivedBytes);
  }

  #observeSingle(connections: number, receivedBytes: number): void {
    if (connections > 1) {
      this.#phase = this.#limit === 2 ? 'trial' : 'settled';
      this.#start = this.#now(receivedBytes);
      return;
    }
    this.#singleSpeed = this.#speedAfter(minSingleMs, receivedBytes) ?? this.#singleSpeed;
    this.#limit = this.#singleSpeed >= fastBytesPerSecond ? 2 : Number.POSITIVE_INFINITY;
  }

  #observeTrial(receivedBytes: number): void {
    const speed = this.#speedAfter(trialMs, receivedBytes);
    if (speed === null) return;
    this.#trialSpeed = speed;
    this.#start = null;
    const isUseless = speed < this.#singleSpeed * minGain;
    this.#phase = isUseless ? 'reduced' : 'settled';
    this.#limit = isUseless ? 1 : Number.POSITIVE_INFINITY;
  }

  #observeReduced(receivedBytes: number): void {
    const speed = this.#speedAfter(trialMs, receivedBytes);
    if (speed === null) return;
    if (speed < this.#trialSpeed * minShare) this.#limit = Number.POSITIVE_INFINITY;
    this.#phase = 'settled';
  }

  #now(bytes: number): Start {
    return { at: this.clock(), bytes };
  }

  /** Bytes per second since the start, which is now if there is none; null before so many milliseconds. */
  #speedAfter(ms: number, receivedBytes: number): number | null {
    this.#start ??= this.#now(receivedBytes);
    const elapsedMs = this.clock() - this.#start.at;
    return elapsedMs < ms ? null : ((receivedBytes - this.#start.bytes) / elapsedMs) * 1_000;
  }
}
