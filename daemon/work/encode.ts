import { VencError } from '../../src/api/errors.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';
import type { Run } from '../queue/job-queue.js';
import { attempt } from './attempt.js';
import { encodingMeter } from './encoding-progress.js';
import { asShortClip, judgeProduct } from './judge-product.js';
import type { PlannedOutput } from './plan-job.js';
import { outputShares } from './shares.js';
import type { Workbench } from './workbench.js';

/** An encoded file in the scratch folder and what it was found to be. */
export interface Encoded {
  readonly product: Product;
  readonly media: MediaFacts;
}

/**
 * Runs the steps of one output and looks at the file they left. On failure the output is failed and null given back.
 */
export function encode(
  run: Run,
  bench: Workbench,
  task: PlannedOutput & { readonly scratch: string },
): Promise<Encoded | null> {
  const { output, steps, product, scratch } = task;
  return attempt(
    run,
    async () => {
      await run.change({ type: 'output-started', id: output.id });
      const meter = encodingMeter(steps, outputShares(output).encode);
      for (const step of steps) {
        const ending = bench.ffmpeg.run(step.args, {
          signal: run.signal,
          scratch,
          onProgress: (progress) => run.progress(output.id, meter(step, progress, performance.now())),
        });
        await ending.catch((error: unknown) => {
          throw asShortClip(product, error);
        });
      }
      return { product, media: await checked(bench, product, run.signal) };
    },
    'TranscodingError',
    (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
  );
}

/** A file is delivered only when it is what was planned. */
async function checked(bench: Workbench, product: Product, signal: AbortSignal): Promise<MediaFacts> {
  let unreadable: unknown = null;
  const media = await bench.ffmpeg.probe(product.path, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    unreadable = error;
    return null;
  });
  const fault = judgeProduct(product, media);
  if (fault !== null) throw new VencError(fault.errorClass, fault.message, { cause: unreadable });
  if (media === null) throw new TypeError('a file that cannot be read was found good');
  return media;
}
