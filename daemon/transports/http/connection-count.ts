/** A link on which one connection reaches this is fast: more of them cost processor time. */
const fastBytesPerSecond = 32 << 20;
/** How long each number of connections is tried, in milliseconds. */
const trialMs = 1_000;
/** The first bytes of a connection say little about its speed. */
const minSingleMs = 100;
/** All connections together must be faster than one by this factor. */
const minGain = 1.25;
/** One connection may be slower than all together by this factor, before all are used again. */
const minShare = 0.8;

/** When a measurement began. */
interface Start {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Finds out whether several connections are faster than one. The first one is measured until others are opened, then
 * all together for a second. If they gain nothing on a fast link, one remains; if it then turns out to be slower, all
 * are used again, and the question is settled.
 */
export class ConnectionCount {
  #phase: 'single' | 'trial' | 'reduced' | 'settled' = 'single';
  #start: Start | null = null;
  #limit = Number.POSITIVE_INFINITY;
  #singleSpeed = 0;
  #trialSpeed = 0;

  /** `clock` is monotonic, in milliseconds. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** How many connections are useful: 1, or any number. */
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
      this.#phase = 'trial';
      this.#start = this.#now(receivedBytes);
    } else this.#singleSpeed = this.#speedAfter(minSingleMs, receivedBytes) ?? this.#singleSpeed;
  }

  #observeTrial(receivedBytes: number): void {
    const speed = this.#speedAfter(trialMs, receivedBytes);
    if (speed === null) return;
    this.#trialSpeed = speed;
    this.#start = null;
    const isUseless = this.#singleSpeed >= fastBytesPerSecond && speed < this.#singleSpeed * minGain;
    this.#phase = isUseless ? 'reduced' : 'settled';
    if (isUseless) this.#limit = 1;
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
