import { access, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { JobOutput } from '../jobs/job.js';
import { thumbnailCount } from '../jobs/output-files.js';
import type { Run } from '../jobs/run.js';
import { planThumbnails, type ThumbnailPlan } from '../plan/thumbnails.js';
import type { EncodedFile } from './encode.js';
import type { PipelineContext } from './pipeline-context.js';
import { runStage } from './stages.js';

/**
 * Extracts the thumbnails of an encoded output into the scratch folder. Returns a file for each, in order. On failure the output
 * fails (`ThumbnailError`) and null is returned.
 */
export function extractThumbnails(
  run: Run,
  context: Pick<PipelineContext, 'ffmpeg'>,
  task: { readonly output: JobOutput; readonly encoded: EncodedFile; readonly scratch: string },
): Promise<readonly string[] | null> {
  const { output, encoded, scratch } = task;
  return runStage(
    run,
    async () => {
      const count = thumbnailCount(output.settings);
      if (count === 0) return [];
      const thumbnailPlan = planThumbnails(
        {
          outputId: output.id,
          path: encoded.product.path,
          media: encoded.media,
          number: count,
          keyframeInterval: output.settings.keyframe_interval,
        },
        context.ffmpeg.capabilities,
      );
      if ('failure' in thumbnailPlan)
        throw new VencError(thumbnailPlan.failure.errorClass, thumbnailPlan.failure.message);
      const { fallback } = thumbnailPlan;
      if (fallback !== null && (await tryExtract(run, context, thumbnailPlan, scratch))) {
        return filesOf(thumbnailPlan.images, scratch);
      }
      const finalPlan = fallback ?? thumbnailPlan;
      await extractImages(run, context, finalPlan.runs, scratch);
      return filesOf(finalPlan.images, scratch);
    },
    'ThumbnailError',
    (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
  );
}

/**
 * Extracts the images by seeking; returns whether all were found. Builds of 2018 crash if no frame follows the seek position, for
 * example at the end of an FLV file whose audio is longer than its video.
 */
async function tryExtract(
  run: Run,
  context: Pick<PipelineContext, 'ffmpeg'>,
  { runs, images }: ThumbnailPlan,
  scratch: string,
): Promise<boolean> {
  try {
    await extractImages(run, context, runs, scratch);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!isVencError(error, 'ThumbnailError')) throw error;
    return false;
  }
  const found = await Promise.all(images.map((name) => exists(join(scratch, name))));
  return !found.includes(false);
}

async function extractImages(
  run: Run,
  context: Pick<PipelineContext, 'ffmpeg'>,
  runs: ThumbnailPlan['runs'],
  scratch: string,
): Promise<void> {
  try {
    for (const args of runs)
      await context.ffmpeg.run(args, { signal: run.signal, scratch, onProgress: () => {} });
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new VencError('ThumbnailError', `The thumbnails could not be extracted: ${why}`, { cause: error });
  }
}

/** Returns a file for each thumbnail. Delivering may move files, so thumbnails of the same frame get copies. */
async function filesOf(images: readonly string[], scratch: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [index, name] of images.entries()) {
    const path = join(scratch, name);
    const previous = name === images[index - 1] ? files.at(-1) : undefined;
    if (previous !== undefined) {
      const copy = join(scratch, `again-${index}-${name}`);
      await copyFile(previous, copy);
      files.push(copy);
    } else if (await exists(path)) {
      files.push(path);
    } else {
      throw new VencError('ThumbnailError', `Thumbnail ${index + 1} could not be extracted.`);
    }
  }
  return files;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
