import { rm } from 'node:fs/promises';
import { isVencError } from '../../src/shared/errors.js';
import type { QualityRecord } from '../../src/shared/records.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { isLocal } from '../jobs/expected-work.js';
import { thumbnailAccess, videoAccess } from '../jobs/file-access.js';
import { type Job, type JobOutput, toJobFailure } from '../jobs/job.js';
import { objectHeaders, storesEncoding } from '../jobs/object-headers.js';
import type { Run } from '../jobs/run.js';
import {
  type DeliveredThumbnail,
  destinationOfThumbnail,
  setAtUrl,
  thumbnailObject,
  thumbnailSets,
} from '../jobs/thumbnails.js';
import type { Transfer } from '../transfer/transfer.js';
import { schemeOf } from '../transports/registry.js';
import { type CredentialOwner, transportWithCredentials } from '../transports/services.js';
import type { RunLimiter } from './concurrency-limits.js';
import { mayRollBack, withConfirmedClaim } from './confirmed-claim.js';
import type { ExtractedThumbnail } from './extract-thumbnails.js';
import { latestJob, type PipelineContext } from './pipeline-context.js';
import type { ProducedFile } from './produced-file.js';
import { progressWeights } from './progress-weights.js';
import { createReplacementGuard, isDeliveredBy } from './replacement-guard.js';
import { failureInLog, outputLogName } from './run-log.js';
import { type DeliveredFiles, deliverToEither } from './secondary-delivery.js';
import { partHeaders, type SendFile, sendConcurrently, sendParts } from './send-parts.js';
import { inStage, runStage } from './stages.js';

/** The files to deliver for one output. */
interface Delivery {
  readonly output: JobOutput;
  readonly encoded: ProducedFile;
  /** Its thumbnails, in the order of sets and images. */
  readonly thumbnails: readonly ExtractedThumbnail[];
  /** What its file revealed, one sentence each. */
  readonly warnings: readonly string[];
  /** What was measured of its video; absent if it was not. */
  readonly quality?: QualityRecord;
  /**
   * Writes its file again for another address, such as a playlist with relative addresses; absent if it does not depend
   * on that.
   */
  readonly writeFor?: (output: JobOutput) => Promise<ProducedFile>;
  /** The scratch folder of the run. */
  readonly scratch: string;
  /** Limits concurrent uploads. */
  readonly limiter: RunLimiter;
}

/**
 * Delivers one encoded file and its thumbnails to their destinations, or to the secondary ones, and finishes the
 * output. On failure the output fails, and the files that were delivered for it are removed. Delivers and removes only
 * while the run holds its claim.
 */
export async function deliver(run: Run, context: PipelineContext, delivery: Delivery): Promise<void> {
  const { output, encoded, warnings } = delivery;
  const beganAt = performance.now();
  const uploaded: string[] = [];
  const transferWarnings: string[] = [];
  let current = delivery;
  const rollBackAll = async (error: unknown = null) => {
    const urls = releaseOwnUrls(context, current, uploaded.splice(0));
    if (urls.length === 0 || !(await mayRollBack(run, error))) return;
    await rollBack(context, {
      job: latestJob(run, context),
      urls,
      ownerOfUrl: (url) => ownerOf(run.job, current.output, url),
    });
  };
  const send = (attempted: Delivery) => {
    current = attempted;
    logDelivery(run.job, context, current.output);
    return withUploadSlot(run, current, () =>
      inStage(run, { name: 'deliver', outputIds: [output.id] }, () =>
        sendAll(run, context, current, { uploaded, transferWarnings }),
      ),
    );
  };
  try {
    const delivered = await runStage(
      run,
      () => deliverToEither(run, context, delivery, { send, rollBack: () => rollBackAll() }),
      'UploadFailureError',
      async (failure) => {
        await rollBackAll();
        await run.change({ type: 'output-failed', id: output.id, failure });
      },
    );
    if (delivered !== null) {
      const { media } = encoded;
      const measured = delivery.quality === undefined ? {} : { quality: delivery.quality };
      const all = [...warnings, ...firstOf(transferWarnings)];
      await run.change({
        type: 'output-finished',
        id: output.id,
        media,
        warnings: all,
        ...delivered,
        ...measured,
        deliverySeconds: Math.round(performance.now() - beganAt) / 1000,
      });
    }
  } catch (error) {
    // After any other error it is unknown whether the output counts as finished.
    if (run.signal.aborted || isVencError(error, 'ClaimLostError')) await rollBackAll(error);
    throw error;
  } finally {
    releaseOwnUrls(context, current, uploaded);
  }
}

/** The maximum number of warnings about the transfer of single files of an output, which may have thousands. */
const maxTransferWarnings = 5;

function firstOf(transferWarnings: readonly string[]): readonly string[] {
  const more = transferWarnings.length - maxTransferWarnings;
  const rest = more > 0 ? [`There are ${more} more such warnings about other files of the output.`] : [];
  return [...transferWarnings.slice(0, maxTransferWarnings), ...rest];
}

/** Logs that an output is delivered; where to, unless the job is private or this daemon hosts the file. */
function logDelivery(job: Job, { log }: Pick<PipelineContext, 'log'>, output: JobOutput): void {
  const isShown = job.isPrivate !== true && !isLocal(output.destination);
  const place = isShown ? ` to ${withoutPassword(output.url)}` : '';
  const what = outputLogName(output, output.id);
  log('info', `Job ${job.id}: ${what} is being delivered${place}.`, { outputId: output.id, isDetail: true });
}

/** Whose saved credentials apply to the URL of a file of an output: its own destination, or that of a thumbnail. */
export function ownerOf(
  job: Pick<Job, 'accountId'>,
  { settings, destination }: JobOutput,
  url: string,
): CredentialOwner {
  const set = url === destination ? undefined : setAtUrl(settings, url);
  return { accountId: job.accountId, credentials: set?.credentials ?? settings.credentials };
}

/** Returns the delivered URLs that no other delivery has replaced, and removes them from the map. */
function releaseOwnUrls(
  { deliveries }: Pick<PipelineContext, 'deliveries'>,
  delivery: Delivery,
  urls: readonly string[],
): readonly string[] {
  const own = urls.filter((url) => deliveries.get(url) === delivery);
  for (const url of own) deliveries.delete(url);
  return own;
}

/** Limits the upload; an output that stays on this machine does not wait. */
function withUploadSlot<T>(
  run: Run,
  { output, thumbnails, limiter }: Delivery,
  send: () => Promise<T>,
): Promise<T> {
  const destinations = thumbnails.map((thumbnail) => destinationOfThumbnail(output, thumbnail).destination);
  if ([output.destination, ...destinations].every(isLocal)) return send();
  // Reported before the wait, because encoding has ended and this is the next event.
  const overallPercent = (1 - progressWeights(output).upload) * 100;
  run.progress(output.id, { event: 'uploading', percent: 0, overallPercent });
  return limiter.runExclusive('uploads', run.signal, send);
}

/** What the transfers of an output add to: the delivered URLs, and a sentence for each thing that could not be done. */
interface DeliveryNotes {
  readonly uploaded: string[];
  readonly transferWarnings: string[];
}

/**
 * Delivers the thumbnails first and the video last, so that a delivered video has its thumbnails, and a playlist its
 * segments.
 */
async function sendAll(
  run: Run,
  context: PipelineContext,
  delivery: Delivery,
  { uploaded, transferWarnings }: DeliveryNotes,
): Promise<DeliveredFiles> {
  const { output, encoded, scratch } = delivery;
  const { settings, destination } = output;
  const weight = progressWeights(output).upload;
  const replacement = createReplacementGuard({
    outputId: output.id,
    job: () => latestJob(run, context),
    store: (files) => run.change({ type: 'output-delivering', id: output.id, files }),
  });
  const send: SendFile = async (path, to, transfer) => {
    const transport = transportWithCredentials(context, to, ownerOf(run.job, output, to));
    if (transport.upload === undefined)
      throw new TypeError('the scheme of the destination does not support uploads');
    await context.scratch.recordDelivery(scratch, { outputId: output.id, path, url: to });
    const upload = transport.upload.bind(transport);
    const facts = await withConfirmedClaim(run, (signal) =>
      upload(path, to, {
        ...transfer,
        signal,
        replacement,
        onWarning: (sentence) => transferWarnings.push(sentence),
      }),
    );
    uploaded.push(to);
    context.deliveries.set(to, delivery);
    await rm(path, { force: true });
    return facts;
  };
  const thumbnails = await sendThumbnails(delivery, send);
  const { rendition, captionFiles } = encoded;
  const partBytes = rendition?.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
  const onProgress: Transfer['onProgress'] = (done, total) => {
    const percent = total === null || total === 0 ? 0 : (done / total) * 100;
    const overallPercent = (1 - weight) * 100 + weight * percent;
    run.progress(output.id, { event: 'uploading', percent, overallPercent });
  };
  await sendParts(output, encoded, send, (done) => {
    if (rendition !== undefined) onProgress(done, partBytes);
  });
  const file = await send(encoded.product.path, destination, {
    onProgress: rendition === undefined ? onProgress : () => {},
    ...(encoded.file === null ? {} : { facts: encoded.file }),
    access: videoAccess(settings),
    headers:
      rendition === undefined
        ? { ...storedEncoding(delivery, transferWarnings), ...objectHeaders(settings, schemeOf(destination)) }
        : partHeaders(settings, destination, fileNameInUrl(destination)),
    ...(settings.parallel_upload_limit === undefined
      ? {}
      : { parallelParts: settings.parallel_upload_limit }),
  });
  const captions =
    captionFiles === undefined
      ? {}
      : { captionFiles: captionFiles.map(({ name, language, label }) => ({ name, language, label })) };
  if (rendition === undefined) return { file, thumbnails, ...captions };
  // The size of an output is that of all its files.
  const { facts } = rendition;
  return {
    file: { ...file, sizeBytes: file.sizeBytes + partBytes },
    ...(facts === undefined ? {} : { rendition: facts }),
    thumbnails,
  };
}

/**
 * The header for a file that is transferred as it was received, compressed; a warning if the destination stores no such
 * header.
 */
function storedEncoding(
  { output: { destination }, encoded: { encoding } }: Delivery,
  transferWarnings: string[],
): Readonly<Record<string, string>> {
  if (encoding === undefined) return {};
  if (storesEncoding(schemeOf(destination))) return { 'content-encoding': encoding };
  transferWarnings.push(
    `The file is compressed (${encoding}), as it was received, and its destination does not store that.`,
  );
  return {};
}

/** Delivers the thumbnails, set by set. */
async function sendThumbnails(
  { output, thumbnails }: Delivery,
  send: SendFile,
): Promise<readonly DeliveredThumbnail[]> {
  const { settings } = output;
  const delivered: DeliveredThumbnail[] = [];
  for (const [setIndex, set] of thumbnailSets(settings).entries()) {
    const images = thumbnails.filter((one) => one.setIndex === setIndex);
    await sendConcurrently(images, set.parallel_upload_limit ?? 1, async ({ path, ...thumbnail }) => {
      const { destination, url } = destinationOfThumbnail(output, thumbnail);
      const { sizeBytes } = await send(path, destination, {
        onProgress: () => {},
        access: thumbnailAccess(settings, set),
        headers: objectHeaders(thumbnailObject(settings, set), schemeOf(destination)),
      });
      delivered.push({ ...thumbnail, destination, url, sizeBytes });
    });
  }
  return delivered.toSorted((a, b) => a.setIndex - b.setIndex || a.index - b.index);
}

/** The delivered files of a failed output. */
export interface DeliveredUrls {
  readonly job: Pick<Job, 'id' | 'isPrivate' | 'outputs'>;
  readonly urls: readonly string[];
  readonly ownerOfUrl: (url: string) => CredentialOwner;
}

/**
 * Removes the delivered files of a failed output, last first, because folders were created for the first. The first
 * failure is logged and stops the removal: if a server hangs, every other file would wait for the same timeout.
 */
export async function rollBack(
  context: Pick<PipelineContext, 'transports' | 'savedCredentials' | 'log'>,
  { job, urls, ownerOfUrl }: DeliveredUrls,
): Promise<void> {
  const remaining = [...urls];
  const isOwn = (file: string) => job.outputs.some((output) => isDeliveredBy(output, file));
  try {
    for (let url = remaining.at(-1); url !== undefined; url = remaining.at(-1)) {
      await transportWithCredentials(context, url, ownerOfUrl(url)).remove?.(url, isOwn);
      remaining.pop();
    }
  } catch (error) {
    const reason = failureInLog(job, toJobFailure(error, 'UploadFailureError'));
    context.log(
      'warn',
      `Job ${job.id}: ${remaining.length} delivered file(s) of a failed output could not be removed: ${reason}`,
      { jobId: job.id },
    );
  }
}
