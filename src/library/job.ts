import type { EncodeJob, EncodeResult, Progress } from './declarations.js';

/** A running encode: a promise of its result and an iterable of its progress. */
export class Job implements EncodeJob {
  readonly #result: Promise<EncodeResult>;
  #latest: Progress | null = null;
  #hasEnded = false;
  #waiting: (() => void)[] = [];

  constructor(start: (onProgress: (progress: Progress) => void) => Promise<EncodeResult>) {
    this.#result = start((progress) => {
      this.#latest = progress;
      this.#wake();
    });
    const end = () => {
      this.#hasEnded = true;
      this.#wake();
    };
    // Also takes care that a failure that nobody awaits yet is not an unhandled rejection.
    this.#result.then(end, end);
  }

  // biome-ignore lint/suspicious/noThenProperty: a job is awaited for its result
  then<T = EncodeResult, U = never>(
    onResolved?: ((result: EncodeResult) => T | PromiseLike<T>) | null,
    onRejected?: ((reason: unknown) => U | PromiseLike<U>) | null,
  ): Promise<T | U> {
    return this.#result.then(onResolved, onRejected);
  }

  catch<T = never>(onRejected?: ((reason: unknown) => T | PromiseLike<T>) | null): Promise<EncodeResult | T> {
    return this.#result.catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<EncodeResult> {
    return this.#result.finally(onFinally);
  }

  /** Yields the latest progress whenever it has changed. A slow reader misses some. Throws if the encode fails. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Progress, void, undefined> {
    let seen: Progress | null = null;
    for (;;) {
      if (this.#latest !== null && this.#latest !== seen) {
        seen = this.#latest;
        yield seen;
      } else if (this.#hasEnded) break;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    await this.#result;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
