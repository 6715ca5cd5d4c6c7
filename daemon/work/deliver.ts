import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../queue/job-queue.js';
import { transportFor } from '../transports/registry.js';
import { attempt } from './attempt.js';
import type { Encoded } from './encode.js';
import { outputShares } from './shares.js';
import type { Workbench } from './workbench.js';

/** Delivers one encoded file to its destination and finishes the output; on failure the output is failed. */
export async function deliver(
  run: Run,
  bench: Workbench,
  task: { readonly output: JobOutput; readonly encoded: Encoded },
): Promise<void> {
  const { output, encoded } = task;
  const share = outputShares(output).upload;
  const file = await attempt(
    run,
    async () => {
      const transport = transportFor(bench.transports, output.destination);
      if (transport.upload === undefined)
        throw new TypeError('the scheme of the destination takes no uploads');
      return transport.upload(encoded.product.path, output.destination, {
        signal: run.signal,
        onProgress: (done, total) => {
          const percent = total === null || total === 0 ? 0 : (done / total) * 100;
          const overallPercent = (1 - share) * 100 + share * percent;
          run.progress(output.id, { event: 'uploading', percent, overallPercent });
        },
      });
    },
    'UploadFailureError',
    (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
  );
  if (file !== null) await run.change({ type: 'output-finished', id: output.id, media: encoded.media, file });
}
