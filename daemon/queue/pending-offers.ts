import type { JobOffer, JobQueue } from './job-queue.js';

/** The remote workers that wait for a job, those that wait longest first. */
export class PendingOffers {
  /** What ends each wait: with whether a job was given. */
  readonly #settlers = new Map<JobOffer, (isTaken: boolean) => void>();

  [Symbol.iterator](): Iterator<JobOffer> {
    return this.#settlers.keys();
  }

  /** Adds an offer. Resolves to true once it is taken, to false if the signal is aborted before, or all waits end. */
  add(offer: JobOffer, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isTaken: boolean) => {
        this.#settlers.delete(offer);
        signal.removeEventListener('abort', onAbort);
        resolve(isTaken);
      };
      const onAbort = () => settle(false);
      this.#settlers.set(offer, settle);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Takes an offer. Returns false if it has ended; an offer that is none of a remote worker always holds. */
  take(offer: JobOffer): boolean {
    const settle = this.#settlers.get(offer);
    settle?.(true);
    return offer.worker === null || settle !== undefined;
  }

  /** Ends all waits. */
  clear(): void {
    for (const settle of this.#settlers.values()) settle(false);
  }
}

/**
 * Offers to run a job until a signal is aborted or the time is over; see `JobQueue.offer`. Not with `AbortSignal.any`:
 * Node may collect a signal that only a combined one refers to, and the offer would stay for ever.
 */
export async function offerUntil(
  queue: Pick<JobQueue, 'offer'>,
  offer: JobOffer,
  { signals, timeoutMs }: { readonly signals: readonly AbortSignal[]; readonly timeoutMs: number },
): Promise<boolean> {
  const ended = new AbortController();
  const onAbort = () => ended.abort();
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  const timer = timeoutMs === Infinity ? null : setTimeout(onAbort, timeoutMs).unref();
  try {
    return await queue.offer(offer, ended.signal);
  } finally {
    if (timer !== null) clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  }
}
