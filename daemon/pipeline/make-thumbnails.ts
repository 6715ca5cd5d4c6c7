import { access, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { thumbnailCount } from '../jobs/thumbnails.js';
import { planThumbnails, type ThumbnailPlan } from '../plan/thumbnails.js';
import type { Encoded } from './encode.js';
import type { Workbench } from './pipeline-context.js';
import { attempt } from './run-stage.js';

/**
 * Takes the thumbnails of an encoded output, into the scratch folder: a file for each of them, in their order. On failure the output is
 * failed (`ThumbnailError`) and null given back.
 */
export function takeThumbnails(
  run: Run,
  bench: Pick<Workbench, 'ffmpeg'>,
  task: { readonly output: JobOutput; readonly encoded: Encoded; readonly scratch: string },
): Promise<readonly string[] | null> {
  const { output, encoded, scratch } = task;
  return attempt(
    run,
    async () => {
      const number = thumbnailCount(output.settings);
      if (number === 0) return [];
      const made = planThumbnails(
        {
          outputId: output.id,
          path: encoded.product.path,
          media: encoded.media,
          number,
          keyframeInterval: output.settings.keyframe_interval,
        },
        bench.ffmpeg.capabilities,
      );
      if ('failure' in made) throw new VencError(made.failure.errorClass, made.failure.message);
      const { fallback: otherwise } = made;
      if (otherwise !== null && (await areTaken(run, bench, made, scratch))) {
        return filesOf(made.images, scratch);
      }
      const last = otherwise ?? made;
      await takePictures(run, bench, last.runs, scratch);
      return filesOf(last.images, scratch);
    },
    'ThumbnailError',
    (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
  );
}

/**
 * Whether all pictures were taken where they were sought. Builds of 2018 crash where no frame is left behind the place that was sought, as at the
 * end of an FLV file whose sound lasts longer.
 */
async function areTaken(
  run: Run,
  bench: Pick<Workbench, 'ffmpeg'>,
  { runs, images: pictures }: ThumbnailPlan,
  scratch: string,
): Promise<boolean> {
  try {
    await takePictures(run, bench, runs, scratch);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!isVencError(error, 'ThumbnailError')) throw error;
    return false;
  }
  const found = await Promise.all(pictures.map((name) => isThere(join(scratch, name))));
  return !found.includes(false);
}

async function takePictures(
  run: Run,
  bench: Pick<Workbench, 'ffmpeg'>,
  runs: ThumbnailPlan['runs'],
  scratch: string,
): Promise<void> {
  try {
    for (const args of runs)
      await bench.ffmpeg.run(args, { signal: run.signal, scratch, onProgress: () => {} });
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new VencError('ThumbnailError', `The thumbnails could not be taken: ${why}`, { cause: error });
  }
}

/** A file for each thumbnail: delivering may move it away, so those that show the same picture get copies. */
async function filesOf(pictures: readonly string[], scratch: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [index, name] of pictures.entries()) {
    const path = join(scratch, name);
    const before = name === pictures[index - 1] ? files.at(-1) : undefined;
    if (before !== undefined) {
      const copy = join(scratch, `again-${index}-${name}`);
      await copyFile(before, copy);
      files.push(copy);
    } else if (await isThere(path)) {
      files.push(path);
    } else {
      throw new VencError('ThumbnailError', `Picture ${index + 1} of the output could not be taken.`);
    }
  }
  return files;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
