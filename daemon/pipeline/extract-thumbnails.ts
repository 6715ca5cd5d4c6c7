import { access, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { destinationOfThumbnail, type Thumbnail, thumbnailSets } from '../jobs/thumbnails.js';
import { planThumbnails, type ThumbnailPlan } from '../plan/thumbnails.js';
import type { EncodedFile } from './encode.js';
import type { PipelineContext } from './pipeline-context.js';
import { inStage, runStage } from './stages.js';

/** A thumbnail in the scratch folder. */
export interface ExtractedThumbnail extends Thumbnail {
  readonly path: string;
}

/** The thumbnails of an output, and what its length changed, one sentence each. */
interface ExtractedThumbnails {
  readonly thumbnails: readonly ExtractedThumbnail[];
  readonly warnings: readonly string[];
}

/**
 * Extracts the thumbnails of an encoded output into the scratch folder, set by set. `source` describes the file that
 * the output was made from. On failure the output fails (`ThumbnailError`) and null is returned. An output without
 * video has none.
 */
export function extractThumbnails(
  run: Run,
  context: Pick<PipelineContext, 'ffmpeg'>,
  task: ThumbnailTask,
): Promise<ExtractedThumbnails | null> {
  const { output, encoded } = task;
  const sets = thumbnailSets(output.settings);
  const extractAll = async (): Promise<ExtractedThumbnails> => {
    const thumbnails: ExtractedThumbnail[] = [];
    const warnings: string[] = [];
    for (const setIndex of sets.keys()) {
      const plan = planSet(context, task, setIndex);
      const files = await extractSet(run, context, plan, task.scratch);
      const extracted = files.map((path, index) => ({ path, setIndex, index, ...plan.size }));
      for (const thumbnail of extracted) claimDestination(task, thumbnail);
      thumbnails.push(...extracted);
      warnings.push(...plan.warnings);
    }
    return { thumbnails, warnings };
  };
  if (encoded.media.video === null || sets.length === 0)
    return Promise.resolve({ thumbnails: [], warnings: [] });
  return runStage(
    run,
    () => inStage(run, { name: 'thumbnails', outputIds: [output.id] }, extractAll),
    'ThumbnailError',
    (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
  );
}

/** The files that outputs write, by destination, with the thumbnails that an earlier run delivered. */
export function filesByDestination(outputs: readonly JobOutput[]): Map<string, string> {
  return new Map(
    outputs.flatMap(({ id, destination, thumbnails }) =>
      [destination, ...thumbnails.flatMap((one) => one.destination ?? [])].map((to) => [to, fileOf(id)]),
    ),
  );
}

/**
 * Throws if a thumbnail would replace another file of the job. Its name may contain its size, which only the encoded
 * file reveals.
 */
function claimDestination({ output, destinations }: ThumbnailTask, thumbnail: Thumbnail): void {
  const { destination, url } = destinationOfThumbnail(output, thumbnail);
  const file = fileOf(output.id, thumbnail);
  const owner = destinations.get(destination) ?? file;
  if (owner !== file)
    throw new VencError('ThumbnailError', `Two files of the job would be written to ${url}.`);
  destinations.set(destination, file);
}

/** Identifies a file of the job: that of an output, or one of its thumbnails. */
function fileOf(outputId: number, thumbnail?: Thumbnail): string {
  return thumbnail === undefined ? String(outputId) : `${outputId} ${thumbnail.setIndex} ${thumbnail.index}`;
}

interface ThumbnailTask {
  readonly output: JobOutput;
  readonly encoded: Pick<EncodedFile, 'product' | 'media'>;
  readonly source: MediaFacts | null;
  readonly scratch: string;
  /** The files that the outputs of this run write, by destination. Those of the thumbnails are added. */
  readonly destinations: Map<string, string>;
}

function planSet(
  { ffmpeg }: Pick<PipelineContext, 'ffmpeg'>,
  { output: { id, settings }, encoded: { product, media }, source }: ThumbnailTask,
  setIndex: number,
): ThumbnailPlan {
  const plan = planThumbnails(
    {
      outputId: id,
      path: product.path,
      media,
      set: thumbnailSets(settings)[setIndex] ?? {},
      setIndex,
      inputFrameRate: source?.video?.frameRate ?? null,
      keyframeInterval: settings.keyframe_interval,
    },
    ffmpeg.capabilities,
  );
  if ('failure' in plan) throw new VencError(plan.failure.errorClass, plan.failure.message);
  return plan;
}

/**
 * Takes images of a file that is not an output of a run, as a player shows it, into the scratch folder. Returns the path
 * of each. Rejects as `extractSet` does.
 */
export function takeImages(
  ffmpeg: PipelineContext['ffmpeg'],
  { path, media }: { readonly path: string; readonly media: MediaFacts },
  set: ThumbnailSettings,
  { signal, scratch }: { readonly signal: AbortSignal; readonly scratch: string },
): Promise<readonly string[]> {
  const inputFrameRate = media.video?.frameRate ?? null;
  const source = { outputId: 0, path, media, setIndex: 0, inputFrameRate, isInput: true } as const;
  const plan = planThumbnails({ ...source, set, keyframeInterval: undefined }, ffmpeg.capabilities);
  if ('failure' in plan) throw new VencError(plan.failure.errorClass, plan.failure.message);
  return extractSet({ signal }, { ffmpeg }, plan, scratch);
}

/**
 * Extracts the images of a plan into the scratch folder, and returns the path of each. Rejects with `ThumbnailError`, or
 * `OutOfSpaceError`.
 */
async function extractSet(
  run: Pick<Run, 'signal'>,
  context: Pick<PipelineContext, 'ffmpeg'>,
  plan: ThumbnailPlan,
  scratch: string,
): Promise<readonly string[]> {
  const { fallback } = plan;
  if (fallback !== null && (await tryExtract(run, context, plan, scratch))) {
    return filesOf(plan.images, scratch);
  }
  const finalPlan = fallback ?? plan;
  await extractImages(run, context, finalPlan.runs, scratch);
  return filesOf(finalPlan.images, scratch);
}

/**
 * Extracts the images by seeking; returns whether all were found. Builds of 2018 crash if no frame follows the seek
 * position, for example at the end of an FLV file whose audio is longer than its video.
 */
async function tryExtract(
  run: Pick<Run, 'signal'>,
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
  run: Pick<Run, 'signal'>,
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
    if (images.indexOf(name) < index) {
      const copy = join(scratch, `again-${index}-${name}`);
      await copyFile(path, copy);
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
