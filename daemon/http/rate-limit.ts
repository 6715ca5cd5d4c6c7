import { VencError } from '../../src/shared/errors.js';

/** A rate limit per client: by key or, without a valid one, by address. */
interface RateLimit {
  /**
   * Takes one request from a client's allowance. Returns null if there was one left, else the whole seconds,
   * at least 1, until there is.
   */
  take(clientKey: string): number | null;
  /** Returns a request that was taken, because it does not count after all. */
  giveBack(clientKey: string): void;
}

/**
 * A request costs as many units as a minute has milliseconds, so that each millisecond refills `perMinute`
 * units and all numbers are whole.
 */
const unitsPerRequest = 60_000;
const minuteMs = 60_000;
/** Maximum number of clients in memory, so that requests from ever new addresses cannot fill it. */
const maxBuckets = 10_000;

interface Bucket {
  readonly units: number;
  readonly atMs: number;
}

/**
 * A token bucket per client: `perMinute` requests at once, refilled evenly over a minute. Rejected requests
 * cost nothing. A client that is idle for a minute is forgotten, because its bucket is full again; beyond
 * 10,000 clients, the longest idle one is. There is no timer: idle clients, which are at the front of the
 * map, are removed when another request arrives.
 */
export function createRateLimit(perMinute: number, now: () => Date): RateLimit {
  const capacity = perMinute * unitsPerRequest;
  // In order of their last request: each is deleted and inserted again at the end.
  const buckets = new Map<string, Bucket>();

  const refilled = (bucket: Bucket | undefined, atMs: number): number => {
    if (bucket === undefined) return capacity;
    // A clock that was set back must not make clients wait for the difference.
    const elapsedMs = Math.max(0, atMs - bucket.atMs);
    return Math.min(capacity, bucket.units + elapsedMs * perMinute);
  };
  const forgetIdle = (atMs: number): void => {
    for (const [clientKey, bucket] of buckets) {
      if (buckets.size <= maxBuckets && atMs - bucket.atMs < minuteMs) return;
      buckets.delete(clientKey);
    }
  };

  return {
    take(clientKey) {
      const atMs = now().getTime();
      const units = refilled(buckets.get(clientKey), atMs);
      const isGranted = units >= unitsPerRequest;
      buckets.delete(clientKey);
      buckets.set(clientKey, { units: isGranted ? units - unitsPerRequest : units, atMs });
      forgetIdle(atMs);
      return isGranted ? null : Math.ceil((unitsPerRequest - units) / (perMinute * 1000));
    },
    giveBack(clientKey) {
      const bucket = buckets.get(clientKey);
      if (bucket === undefined) return;
      buckets.set(clientKey, { ...bucket, units: Math.min(capacity, bucket.units + unitsPerRequest) });
    },
  };
}

/** The error for a client that has sent too many requests. */
export function tooManyRequests(waitSeconds: number): VencError {
  return new VencError('TooManyRequestsError', `Too many requests: try again in ${waitSeconds} s.`, {
    retryAfterSeconds: waitSeconds,
  });
}
