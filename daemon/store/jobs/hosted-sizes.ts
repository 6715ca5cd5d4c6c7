import { type HostedSize, hostedBytesOf, hostedSizesOf } from '../../jobs/hosted-retention.js';
import type { Job } from '../../jobs/job.js';

/**
 * The sizes of the hosted outputs of accounts, in memory. The jobs of an account are read once, when it is first asked
 * for.
 */
export class HostedSizes {
  readonly #byAccount = new Map<
    string,
    { readonly sizes: Map<number, readonly HostedSize[]>; readonly loading: Promise<void> }
  >();

  /** Replaces what is known of a job. */
  put({ id, accountId, outputs }: Job): void {
    this.#byAccount.get(accountId)?.sizes.set(id, hostedSizesOf(outputs));
  }

  /** Forgets a job that was removed. */
  remove({ id, accountId }: Job): void {
    this.#byAccount.get(accountId)?.sizes.set(id, []);
  }

  /** The bytes of the hosted outputs of an account that have not expired. `jobs` reads all of its jobs. */
  async bytes(accountId: string, now: Date, jobs: () => AsyncIterable<readonly Job[]>): Promise<number> {
    let known = this.#byAccount.get(accountId);
    if (known === undefined) {
      const sizes = new Map<number, readonly HostedSize[]>();
      known = { sizes, loading: load(sizes, jobs()) };
      this.#byAccount.set(accountId, known);
    }
    try {
      await known.loading;
    } catch (error) {
      this.#byAccount.delete(accountId);
      throw error;
    }
    return [...known.sizes.values()].reduce((sum, sizes) => sum + hostedBytesOf(sizes, now), 0);
  }
}

/** Adds jobs, except those that have changed meanwhile. */
async function load(
  sizes: Map<number, readonly HostedSize[]>,
  pages: AsyncIterable<readonly Job[]>,
): Promise<void> {
  for await (const jobs of pages)
    for (const { id, outputs } of jobs) if (!sizes.has(id)) sizes.set(id, hostedSizesOf(outputs));
}
