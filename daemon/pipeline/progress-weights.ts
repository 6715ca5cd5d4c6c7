import { isLocal } from '../jobs/expected-work.js';
import type { JobOutput } from '../jobs/job.js';

/** How the work for an output is parted, for its progress: shares that add up to 1. */
export interface ProgressWeights {
  readonly encode: number;
  readonly thumbnails: number;
  readonly upload: number;
}

/** What an upload to somewhere else is taken to be of the work, and what a move on this machine is. */
const uploadWeights = { remote: 0.1, local: 0.01 } as const;
/** What pictures are taken to be: a start of ffmpeg, and seeking to each of them; a few hundred are never most of the work. */
const thumbnailWeights = { base: 0.01, perThumbnail: 0.002, max: 0.3 } as const;

/** The shares of an output: by where it goes, and by how many pictures are taken of it. */
export function progressWeights({
  destination,
  settings,
}: Pick<JobOutput, 'destination' | 'settings'>): ProgressWeights {
  const upload = isLocal(destination) ? uploadWeights.local : uploadWeights.remote;
  const number = settings.thumbnails === undefined ? 0 : (settings.thumbnails.number ?? 1);
  const thumbnails =
    number === 0
      ? 0
      : Math.min(thumbnailWeights.max, thumbnailWeights.base + number * thumbnailWeights.perThumbnail);
  return { encode: 1 - upload - thumbnails, thumbnails, upload };
}

/** Share of the download in the work for an input; the rest is inspecting, which is most of it where there is nothing to wait for. */
export function downloadWeight(inputUrl: string): number {
  return isLocal(inputUrl) ? 0.2 : 0.95;
}
