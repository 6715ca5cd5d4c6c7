/** The maximum delay of Node's timers, in milliseconds: about 24 days. */
export const maxTimerMs = 2 ** 31 - 1;

/** Resolves or rejects as the promise does, but resolves to `otherwise` if that takes longer than the time. */
export async function settleWithin<T, U>(promise: Promise<T>, ms: number, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A signal that is aborted after a time. Not `AbortSignal.timeout`, which Node 20 collects if only `AbortSignal.any`
 * refers to it: then nothing is ever aborted. The timer does not keep the process running.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  setTimeout(() => controller.abort(reason()), ms).unref();
  return controller.signal;
}

/** Bounds of an exponential backoff, in milliseconds. */
export interface Backoff {
  /** The delay after the first failure. */
  readonly firstMs: number;
  /** The delay never exceeds this. */
  readonly maxMs: number;
}

/** The delay in milliseconds after the given number of consecutive failures, from 1: doubles with each one. */
export function backoffDelayMs(failures: number, { firstMs, maxMs }: Backoff): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

/** Waits. Rejects with the signal's reason once it is aborted. Timers of the Web, so that it runs in browsers as well. */
export function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    if (milliseconds <= 0) return resolve();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
