import { rm } from 'node:fs/promises';
import { isVencError } from '../../src/shared/errors.js';
import { thumbnailAccess, videoAccess } from '../jobs/access.js';
import { isLocal } from '../jobs/expected-work.js';
import type { FileFacts, JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { thumbnailUrl } from '../jobs/thumbnails.js';
import type { Transfer } from '../transfer/transfer.js';
import { transportFor } from '../transports/registry.js';
import type { Turn } from './concurrency-limits.js';
import type { Encoded } from './encode.js';
import type { Workbench } from './pipeline-context.js';
import { outputShares } from './progress-weights.js';
import { attempt } from './run-stage.js';

/** What there is to deliver for one output. */
export interface Delivery {
  readonly output: JobOutput;
  readonly encoded: Encoded;
  /** Paths of its thumbnails, in their order. */
  readonly thumbnails: readonly string[];
  /** The folder of the run. */
  readonly scratch: string;
  /** Its place among those who upload. */
  readonly turn: Turn;
}

/**
 * Delivers one encoded file and its thumbnails to their destinations and finishes the output; on failure the output is failed. Of an
 * output that was not finished nothing is left there.
 */
export async function deliver(run: Run, bench: Workbench, delivery: Delivery): Promise<void> {
  const { output, encoded } = delivery;
  const sent: string[] = [];
  const takeAllBack = () => takeBack(bench, ownOf(bench, delivery, sent.splice(0)));
  try {
    const file = await attempt(
      run,
      () => inTurn(run, delivery, () => sendAll(run, bench, delivery, sent)),
      'UploadFailureError',
      async (fault) => {
        await takeAllBack();
        await run.change({ type: 'output-failed', id: output.id, fault });
      },
    );
    if (file !== null)
      await run.change({ type: 'output-finished', id: output.id, media: encoded.media, file });
  } catch (error) {
    // Any other failure leaves it open whether the output counts as finished.
    if (run.signal.aborted || isVencError(error, 'ClaimLostError')) await takeAllBack();
    throw error;
  } finally {
    ownOf(bench, delivery, sent);
  }
}

/** Those of what has arrived that no other delivery has replaced since. They are nobody's from now on. */
function ownOf(
  { deliveries }: Pick<Workbench, 'deliveries'>,
  delivery: Delivery,
  urls: readonly string[],
): readonly string[] {
  const own = urls.filter((url) => deliveries.get(url) === delivery);
  for (const url of own) deliveries.delete(url);
  return own;
}

/** An output that stays on this machine waits for nobody. */
function inTurn<T>(run: Run, { output, turn }: Delivery, send: () => Promise<T>): Promise<T> {
  if (isLocal(output.destination)) return send();
  // The encoder has long ended, and what comes next is this.
  const overallPercent = (1 - outputShares(output).upload) * 100;
  run.progress(output.id, { event: 'uploading', percent: 0, overallPercent });
  return turn.through('uploads', run.signal, send);
}

/** Sends the video last: where it is, its thumbnails are. Keeps a list of what has arrived. */
async function sendAll(run: Run, bench: Workbench, delivery: Delivery, sent: string[]): Promise<FileFacts> {
  const { output, encoded, thumbnails, scratch } = delivery;
  const transport = transportFor(bench.transports, output.destination);
  const upload = transport.upload?.bind(transport);
  const share = outputShares(output).upload;
  if (upload === undefined) throw new TypeError('the scheme of the destination takes no uploads');
  const send = async (path: string, to: string, transfer: Omit<Transfer, 'signal'>) => {
    await bench.scratch.note(scratch, { outputId: output.id, path, url: to });
    const facts = await upload(path, to, { signal: run.signal, ...transfer });
    sent.push(to);
    bench.deliveries.set(to, delivery);
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
    const overallPercent = (1 - share) * 100 + share * percent;
    run.progress(output.id, { event: 'uploading', percent, overallPercent });
  };
  return send(encoded.product.path, output.destination, { onProgress, access: videoAccess(output.settings) });
}

/**
 * Takes away what has arrived of an output that came to nothing, the last first: folders were made for the first. What cannot be taken away
 * is told in the log, and ends it: of a server that stands still, every other file would be waited for as long.
 */
export async function takeBack(
  { transports, log }: Pick<Workbench, 'transports' | 'log'>,
  urls: readonly string[],
): Promise<void> {
  const left = [...urls];
  try {
    for (let url = left.at(-1); url !== undefined; url = left.at(-1)) {
      await transportFor(transports, url).remove?.(url);
      left.pop();
    }
  } catch (error) {
    log(
      'warn',
      `Of an output that came to nothing, ${left.length} file(s) could not be taken away: ${String(error)}`,
    );
  }
}
