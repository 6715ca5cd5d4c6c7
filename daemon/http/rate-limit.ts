/** How often somebody may ask: by key or, without a good one, by address. */
export interface RateLimit {
  /** Takes one request of somebody's allowance. null where there was one left; else the whole seconds, 1 or more, after which there will be. */
  take(clientKey: string): number | null;
}

/** A request costs as many units as a minute has milliseconds; so each millisecond gives back `perMinute` units, and all sums are whole. */
const unitsPerRequest = 60_000;
const minuteMs = 60_000;
/** How many are kept in mind at once, so that callers from ever new addresses cannot fill the memory. */
const maxBuckets = 10_000;

interface Bucket {
  readonly units: number;
  readonly atMs: number;
}

/**
 * A token bucket for each caller: `perMinute` requests at once, given back evenly over a minute. Requests that are turned away cost nothing.
 * Nobody idle for a minute is kept, since their bucket is full again; beyond 10,000 callers the one idle longest is
 * forgotten. There is no timer: those at the front, who are the longest idle, go when another one comes.
 */
export function createRateLimit(perMinute: number, now: () => Date): RateLimit {
  const capacity = perMinute * unitsPerRequest;
  // In the order of their last request: each is taken out and put in again at the end.
  const buckets = new Map<string, Bucket>();

  const refilled = (bucket: Bucket | undefined, atMs: number): number => {
    if (bucket === undefined) return capacity;
    // A clock that was set back must not keep anybody waiting for the time that it lost.
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
  };
}
