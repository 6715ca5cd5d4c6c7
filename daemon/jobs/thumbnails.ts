import type { OutputSettings } from '../../src/shared/settings/index.js';
import { replaceExtensionInUrl, thumbnailFileSuffix } from '../../src/shared/text/url-text.js';
import type { Job, JobOutput, JobThumbnail } from './job.js';

/** How many pictures are taken of an output (`thumbnails.number`, section 4.1); 0 where none are asked for. */
export function thumbnailCount({ thumbnails }: OutputSettings): number {
  return thumbnails === undefined ? 0 : (thumbnails.number ?? 1);
}

/**
 * Where a thumbnail goes, or is found, given where its video does: beside it, under its name without the extension and with
 * `_0000.png`, `_0001.png` and so on in place of that (contract, section 9).
 */
export function thumbnailUrl(videoUrl: string, index: number): string {
  return replaceExtensionInUrl(videoUrl, thumbnailFileSuffix(index));
}

/**
 * The thumbnails of an output, for the moment at which they are there. Their ids come after those of all outputs, those of the first
 * output first; they were kept free for them when the job got its own.
 */
export function thumbnailsOf(job: Job, output: JobOutput, at: string): readonly JobThumbnail[] {
  const earlier = job.outputs.slice(0, job.outputs.indexOf(output));
  const firstId = job.id + 2 + job.outputs.length + totalThumbnailCount(earlier);
  return Array.from({ length: thumbnailCount(output.settings) }, (_, index) => ({
    id: firstId + index,
    url: thumbnailUrl(output.url, index),
    createdAt: at,
    updatedAt: at,
  }));
}

/** How many thumbnails outputs have together. */
export function totalThumbnailCount(outputs: readonly Pick<JobOutput, 'settings'>[]): number {
  return outputs.reduce((sum, { settings }) => sum + thumbnailCount(settings), 0);
}
