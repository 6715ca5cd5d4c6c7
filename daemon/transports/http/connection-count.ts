/** A link on which one connection reaches this is fast: more of them cost processor time. */
const fastBytesPerSecond = 32 << 20;
/** How long the speed is measured at a time, in milliseconds. */
const sampleMs = 100;
/** After so many slow samples in a row, a link is slow: a single one may be a pause. */
const slowSamples = 2;
/**
 * How long one connection must remain fast before a second one is tried, in milliseconds: a server or a link that limits
 * the speed often lets the first megabytes pass.
 */
const singleMs = 500;
/** How long two connections are tried, and then one again, in milliseconds. */
const trialMs = 1_000;
/** Two connections must be faster than one by this factor: much more than the speed changes by itself. */
const minGain = 1.4;
/** One connection may be slower than two by this factor, before all are used. */
const minShare = 0.8;

type Phase = 'single' | 'trial' | 'reduced' | 'settled';

/** The bytes that had been received at a time. */
interface Reading {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Finds out whether several connections are faster than one. On a slow link, all are used. On a fast one, the first one
 * is measured for half a second, then two for a second. If they gain nothing, one remains, until it turns out to be
 * slower or the link is not fast any more. Once all are used, the question is settled.
 */
export class ConnectionCount {
  #phase: Phase = 'single';
  /** The beginning of the phase, and of the present sample. */
  #start: Reading | null = null;
  #sample: Reading | null = null;
  #slowCount = 0;
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
    if (this.#phase === 'single' && connections > 1) {
      if (this.#limit === 2) this.#begin('trial', 2);
      else this.#begin('settled');
    }
    // The others finish their ranges first.
    if (this.#phase === 'reduced' && connections > 1) return;
    const now = { at: this.clock(), bytes: receivedBytes };
    this.#start ??= now;
    this.#sample ??= now;
    if (now.at - this.#sample.at < sampleMs) return;
    const isSlow = speedBetween(this.#sample, now) < fastBytesPerSecond;
    this.#sample = now;
    this.#slowCount = isSlow ? this.#slowCount + 1 : 0;
    if (this.#slowCount === slowSamples) this.#begin(this.#phase === 'single' ? 'single' : 'settled');
    else if (!isSlow) this.#decide(now.at - this.#start.at, speedBetween(this.#start, now));
  }

  /** Takes the speed since the beginning of the phase, which was so many milliseconds ago. */
  #decide(ms: number, speed: number): void {
    if (this.#phase === 'single') {
      this.#singleSpeed = speed;
      this.#limit = ms < singleMs ? 1 : 2;
    } else if (ms >= trialMs) {
      if (this.#phase === 'reduced') {
        if (speed < this.#trialSpeed * minShare) this.#begin('settled');
      } else if (speed < this.#singleSpeed * minGain) {
        this.#trialSpeed = speed;
        this.#begin('reduced', 1);
      } else this.#begin('settled');
    }
  }

  #begin(phase: Phase, limit = Number.POSITIVE_INFINITY): void {
    this.#phase = phase;
    this.#limit = limit;
    this.#start = null;
    this.#sample = null;
    this.#slowCount = 0;
  }
}

function speedBetween(start: Reading, end: Reading): number {
  return ((end.bytes - start.bytes) / (end.at - start.at)) * 1_000;
}
