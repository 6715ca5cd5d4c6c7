import { applyAsHolder } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { createReplacementGuard, isDeliveredBy, requireFreePlaces } from '../pipeline/replacement-guard.js';
import type { ReplacementGuard } from '../transfer/transfer.js';
import type { AppContext } from './app-context.js';
import { outputAt } from './worker-urls.js';

/*
 * The files of this machine that a remote worker delivers through the daemon are guarded as those of its own runs are.
 */

/** A URL of the job of a claim. */
interface UrlOfClaim {
  readonly job: Job;
  readonly token: string;
  readonly url: string;
}

/** The guard for a file that a worker delivers to a URL. */
export function replacementFor(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  { job, token, url }: UrlOfClaim,
): ReplacementGuard {
  let latest = job;
  const id = outputAt(job, url)?.id ?? 0;
  return createReplacementGuard({
    outputId: id,
    job: () => latest,
    async store(files) {
      latest = await store.update(job.id, (stored) =>
        applyAsHolder(stored, token, { type: 'output-delivering', id, files }, now()),
      );
    },
  });
}

/**
 * Rejects with `UploadFailureError` if a file of this machine is in the way of the output that is delivered to a URL.
 */
export async function requireFreePlaceAt(job: Job, url: string): Promise<void> {
  const output = job.outputs.find(({ destination }) => destination === url);
  if (output !== undefined) await requireFreePlaces(job, output);
}

/** A function that finds out, by its identity, whether the output that is delivered to a URL delivered a file. */
export function isOwnFile(job: Job, url: string): (file: string) => boolean {
  const output = outputAt(job, url);
  return (file) => output !== null && isDeliveredBy(output, file);
}
