import { rm } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import type { JobOutput } from '../jobs/job.js';
import { faultOf } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { thumbnailCount } from '../jobs/thumbnails.js';
import type { Product } from '../plan/plan-types.js';
import { meetBitrate } from './correct-bitrate.js';
import { encodingMeter } from './encoding-progress.js';
import type { Workbench } from './pipeline-context.js';
import type { PlannedGroup, PlannedOutput } from './plan-job.js';
import { outputShares } from './progress-weights.js';
import { attempt } from './run-stage.js';
import { asShortClip, judgeProduct } from './verify-output.js';

/** An encoded file in the scratch folder and what it was found to be. */
export interface Encoded {
  readonly product: Product;
  readonly media: MediaFacts;
}

/** An output with its file. */
export interface EncodedOutput {
  readonly output: JobOutput;
  readonly encoded: Encoded;
}

/**
 * Makes the outputs of a group and gives each whose file is good, one after the other, to be delivered before the next is looked at. Where
 * making them together fails, they are made one by one, so that the one that cannot be made takes no other with it; that one is
 * failed and left out.
 */
export async function* encode(
  run: Run,
  bench: Workbench,
  group: PlannedGroup,
  scratch: string,
): AsyncGenerator<EncodedOutput> {
  const { members, apart } = group;
  for (const { output } of members) await run.change({ type: 'output-started', id: output.id });
  const areMade = members.length > 1 && (await areMadeTogether(run, bench, members, scratch));
  for (const member of areMade ? members : apart) {
    const { output, product } = member;
    const encoded = await attempt(
      run,
      async () => {
        if (!areMade) {
          await runSteps(run, bench, [member], scratch).catch((error: unknown) => {
            throw asShortClip(product, error);
          });
        }
        await meetBitrate(run, bench, member, scratch, areMade);
        return { product, media: await checked(bench, product, run.signal) };
      },
      'TranscodingError',
      (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
    );
    if (encoded !== null) yield { output, encoded };
  }
}

/** Whether several outputs could be made together. What a failure leaves is removed, as it may be lack of room. */
async function areMadeTogether(
  run: Run,
  bench: Workbench,
  members: readonly PlannedOutput[],
  scratch: string,
): Promise<boolean> {
  try {
    await runSteps(run, bench, members, scratch);
    return true;
  } catch (error) {
    run.signal.throwIfAborted();
    const ids = members.map(({ output }) => output.id).join(', ');
    const { message } = faultOf(error, 'TranscodingError');
    bench.log('info', `Job ${run.job.id}: outputs ${ids} are made one by one: ${message}`);
    for (const { product } of members) await rm(product.path, { force: true });
    return false;
  }
}

/** Runs the steps that outputs have in common. Each of them is told how far it is. */
async function runSteps(
  run: Run,
  bench: Workbench,
  members: readonly PlannedOutput[],
  scratch: string,
): Promise<void> {
  const steps = members[0]?.steps ?? [];
  const meters = members.map(({ output }) => ({
    id: output.id,
    meter: encodingMeter(steps, outputShares(output).encode, thumbnailCount(output.settings)),
  }));
  for (const step of steps) {
    await bench.ffmpeg.run(step.args, {
      signal: run.signal,
      scratch,
      onProgress: (progress) => {
        const now = performance.now();
        for (const { id, meter } of meters) run.progress(id, meter(step, progress, now));
      },
    });
  }
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
