import { isVencError } from '../../src/shared/errors.js';
import { qualityLogName } from '../../src/shared/settings/quality.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { type FileFacts, type JobOutput, type RenditionFacts, toJobFailure } from '../jobs/job.js';
import { manifestNameOf } from '../jobs/playlists.js';
import type { CaptionFileFacts } from '../jobs/rendition-facts.js';
import type { Run } from '../jobs/run.js';
import type { DeliveredThumbnail } from '../jobs/thumbnails.js';
import type { ExtractedThumbnail } from './extract-thumbnails.js';
import type { PipelineContext } from './pipeline-context.js';
import { linkAs, type ProducedFile } from './produced-file.js';
import { failureInLog, outputLogName } from './run-log.js';
import { partsOf } from './send-parts.js';

/** The delivered files of an output. */
export interface DeliveredFiles {
  readonly file: FileFacts;
  readonly thumbnails: readonly DeliveredThumbnail[];
  /** Absent if the output was not cut into segments. */
  readonly rendition?: RenditionFacts;
  /** Absent if there are no captions in files next to it. */
  readonly captionFiles?: readonly CaptionFileFacts[];
}

/** A delivered output. */
interface Delivered extends DeliveredFiles {
  /** Why the delivery to the requested URL failed, if the file is at the secondary one. */
  readonly primaryUploadError?: string;
}

/** The output of a delivery, and its files. */
interface FilesToDeliver {
  readonly output: JobOutput;
  readonly encoded: ProducedFile;
  readonly thumbnails: readonly ExtractedThumbnail[];
  /** Writes the file of the output again for another address; absent if it does not depend on that. */
  readonly writeFor?: (output: JobOutput) => Promise<ProducedFile>;
}

/** How the files of an output are sent. */
interface DeliverySteps<D extends FilesToDeliver> {
  /** Sends all files of a delivery, with all retries. */
  readonly send: (delivery: D) => Promise<DeliveredFiles>;
  /** Removes what the last `send` delivered. Never rejects. */
  readonly rollBack: () => Promise<void>;
}

/**
 * Delivers an output to its requested URL and, once if that has failed, to its `secondary_url`. If both fail, rejects
 * with the error of the first.
 */
export async function deliverToEither<D extends FilesToDeliver>(
  run: Run,
  { log }: Pick<PipelineContext, 'log'>,
  delivery: D,
  { send, rollBack }: DeliverySteps<D>,
): Promise<Delivered> {
  const { output, thumbnails, encoded } = delivery;
  if (output.secondary === undefined) return send(delivery);
  // The main file is delivered last, so it is still there after a failure.
  const early = [...thumbnails, ...partsOf(encoded)].map(({ path }) => path);
  for (const path of early) await linkAs(path, backupPathOf(path));
  const warn = (what: string, error: unknown) => {
    const failure = toJobFailure(error, 'UploadFailureError');
    const reason = failureInLog(run.job, failure);
    log('warn', `Job ${run.job.id}: ${outputLogName(output, output.id)} ${what}, ${reason}`, {
      outputId: output.id,
    });
    return failure.message;
  };
  try {
    return await send(delivery);
  } catch (error) {
    if (run.signal.aborted || isVencError(error, 'ClaimLostError')) throw error;
    await rollBack();
    const primaryUploadError = warn('goes to its secondary URL because its URL failed', error);
    // The journal of deliveries counts a file as delivered once its name has left the folder. The first names therefore
    // stay: nothing that was not delivered to the requested URL is removed from there after a crash.
    for (const path of early) await linkAs(backupPathOf(path), path);
    await linkAs(encoded.product.path, backupPathOf(encoded.product.path));
    const secondOutput = { ...output, ...output.secondary };
    const second = {
      ...delivery,
      output: secondOutput,
      thumbnails: thumbnails.map(({ path, ...thumbnail }) => ({ ...thumbnail, path: backupPathOf(path) })),
      encoded: (await delivery.writeFor?.(secondOutput)) ?? spareFiles(encoded, output, secondOutput),
    };
    const delivered = await send(second).catch((secondError: unknown) => {
      run.signal.throwIfAborted();
      warn('cannot be delivered to its secondary URL either', secondError);
      throw error;
    });
    return { ...delivered, primaryUploadError };
  }
}

/**
 * The files of an output under their second names. What is named after the main file follows its name: a manifest, and
 * scores.
 */
function spareFiles(
  { product, rendition, captionFiles, qualityLog, ...encoded }: ProducedFile,
  first: JobOutput,
  second: JobOutput,
): ProducedFile {
  const renamed = <T extends { readonly name: string }>(file: T): T =>
    file.name === manifestNameOf(first) ? { ...file, name: manifestNameOf(second) } : file;
  return {
    ...encoded,
    product: { path: backupPathOf(product.path) },
    ...(rendition === undefined
      ? {}
      : { rendition: { ...rendition, files: rendition.files.map((file) => renamed(withSpare(file))) } }),
    ...(captionFiles === undefined ? {} : { captionFiles: captionFiles.map(withSpare) }),
    ...(qualityLog === undefined
      ? {}
      : {
          qualityLog: { ...withSpare(qualityLog), name: qualityLogName(fileNameInUrl(second.destination)) },
        }),
  };
}

function withSpare<T extends { readonly path: string }>(file: T): T {
  return { ...file, path: backupPathOf(file.path) };
}

/** The second name of a file in the scratch folder. */
function backupPathOf(path: string): string {
  return `${path}.spare`;
}
