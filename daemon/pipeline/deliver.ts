import { rm } from 'node:fs/promises';
import { isVencError } from '../../src/shared/errors.js';
import { thumbnailAccess, videoAccess } from '../jobs/access.js';
import { isLocal } from '../jobs/expected-work.js';
import type { FileFacts, JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { thumbnailUrl } from '../jobs/thumbnails.js';
import type { Transfer } from '../transfer/transfer.js';
import { transportFor } from '../transports/registry.js';
import type { RunLimiter } from './concurrency-limits.js';
import type { EncodedFile } from './encode.js';
import type { PipelineContext } from './pipeline-context.js';
import { progressWeights } from './progress-weights.js';
import { runStage } from './stages.js';

/** What there is to deliver for one output. */
export interface Delivery {
  readonly output: JobOutput;
  readonly encoded: EncodedFile;
  /** Paths of its thumbnails, in their order. */
  readonly thumbnails: readonly string[];
  /** The folder of the run. */
  readonly scratch: string;
  /** Its place among those who upload. */
  readonly limiter: RunLimiter;
}

/**
 * Delivers one encoded file and its thumbnails to their destinations and finishes the output; on failure the output is failed. Of an
 * output that was not finished nothing is left there.
 */
export async function deliver(run: Run, context: PipelineContext, delivery: Delivery): Promise<void> {
  const { output, encoded } = delivery;
  const uploaded: string[] = [];
  const rollBackAll = () => rollBack(context, releaseOwnUrls(context, delivery, uploaded.splice(0)));
  try {
    const file = await runStage(
      run,
      () => withUploadSlot(run, delivery, () => sendAll(run, context, delivery, uploaded)),
      'UploadFailureError',
      async (failure) => {
        await rollBackAll();
        await run.change({ type: 'output-failed', id: output.id, failure });
      },
    );
    if (file !== null)
      await run.change({ type: 'output-finished', id: output.id, media: encoded.media, file });
  } catch (error) {
    // Any other failure leaves it open whether the output counts as finished.
    if (run.signal.aborted || isVencError(error, 'ClaimLostError')) await rollBackAll();
    throw error;
  } finally {
    releaseOwnUrls(context, delivery, uploaded);
  }
}

/** Those of what has arrived that no other delivery has replaced since. They are nobody's from now on. */
function releaseOwnUrls(
  { deliveries }: Pick<PipelineContext, 'deliveries'>,
  delivery: Delivery,
  urls: readonly string[],
): readonly string[] {
  const own = urls.filter((url) => deliveries.get(url) === delivery);
  for (const url of own) deliveries.delete(url);
  return own;
}

/** An output that stays on this machine waits for nobody. */
function withUploadSlot<T>(run: Run, { output, limiter }: Delivery, send: () => Promise<T>): Promise<T> {
  if (isLocal(output.destination)) return send();
  // The encoder has long ended, and what comes next is this.
  const overallPercent = (1 - progressWeights(output).upload) * 100;
  run.progress(output.id, { event: 'uploading', percent: 0, overallPercent });
  return limiter.runExclusive('uploads', run.signal, send);
}

/** Sends the video last: where it is, its thumbnails are. Keeps a list of what has arrived. */
async function sendAll(
  run: Run,
  context: PipelineContext,
  delivery: Delivery,
  uploaded: string[],
): Promise<FileFacts> {
  const { output, encoded, thumbnails, scratch } = delivery;
  const transport = transportFor(context.transports, output.destination);
  const upload = transport.upload?.bind(transport);
  const weight = progressWeights(output).upload;
  if (upload === undefined) throw new TypeError('the scheme of the destination takes no uploads');
  const send = async (path: string, to: string, transfer: Omit<Transfer, 'signal'>) => {
    await context.scratch.recordDelivery(scratch, { outputId: output.id, path, url: to });
    const facts = await upload(path, to, { signal: run.signal, ...transfer });
    uploaded.push(to);
    context.deliveries.set(to, delivery);
    await rm(path, { force: true });
    return facts;
  };
  for (const [index, path] of thumbnails.entries())
    await send(path, thumbnailUrl(output.destination, index), {
      onProgress: () => {},
      access: thumbnailAccess(output.settings),
    });
  const onProgress: Transfer['onProgress'] = (done, total) => {
    const percent = total === null || total === 0 ? 0 : (done / total) * 100;
    const overallPercent = (1 - weight) * 100 + weight * percent;
    run.progress(output.id, { event: 'uploading', percent, overallPercent });
  };
  return send(encoded.product.path, output.destination, { onProgress, access: videoAccess(output.settings) });
}

/**
 * Takes away what has arrived of an output that came to nothing, the last first: folders were made for the first. What cannot be taken away
 * is told in the log, and ends it: of a server that stands still, every other file would be waited for as long.
 */
export async function rollBack(
  { transports, log }: Pick<PipelineContext, 'transports' | 'log'>,
  urls: readonly string[],
): Promise<void> {
  const remaining = [...urls];
  try {
    for (let url = remaining.at(-1); url !== undefined; url = remaining.at(-1)) {
      await transportFor(transports, url).remove?.(url);
      remaining.pop();
    }
  } catch (error) {
    log(
      'warn',
      `Of an output that came to nothing, ${remaining.length} file(s) could not be taken away: ${String(error)}`,
    );
  }
}
