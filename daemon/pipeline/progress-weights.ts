import { isChecked } from '../../src/shared/settings/quality.js';
import { isLocal } from '../jobs/expected-work.js';
import type { JobOutput } from '../jobs/job.js';
import { estimatedThumbnailCount } from '../jobs/thumbnails.js';

/** The parts of the work for an output, for its progress. They add up to 1. */
interface ProgressWeights {
  readonly encode: number;
  /** Searching the factor for a quality, before the encode. */
  readonly search: number;
  /** Measuring the quality. */
  readonly check: number;
  readonly thumbnails: number;
  readonly upload: number;
}

/** The weight of an upload to another host, and of a move on this machine. */
const uploadWeights = { remote: 0.1, local: 0.01 } as const;
/** The weight of thumbnails: starting ffmpeg, and seeking to each; even hundreds are never most of the work. */
const thumbnailWeights = { base: 0.01, perThumbnail: 0.002, max: 0.3 } as const;

/** The share of measuring the quality in the time of an encode and its measurement. */
const checkShare = 0.35;
/** The share of a search in the time of the search and the encode. */
const searchShare = 0.15;

/** The weights of an output, by its destination and its number of thumbnails. */
export function progressWeights({
  destination,
  settings,
}: Pick<JobOutput, 'destination' | 'settings'>): ProgressWeights {
  const upload = isLocal(destination) ? uploadWeights.local : uploadWeights.remote;
  const number = estimatedThumbnailCount(settings);
  const thumbnails =
    number === 0
      ? 0
      : Math.min(thumbnailWeights.max, thumbnailWeights.base + number * thumbnailWeights.perThumbnail);
  const own = 1 - upload - thumbnails;
  const search = settings.quality_target === undefined ? 0 : own * searchShare;
  const check = isChecked(settings) ? (own - search) * checkShare : 0;
  return { encode: own - search - check, search, check, thumbnails, upload };
}

/** The weight of the download in the work for an input. The rest is probing, which is most of it for a local file. */
export function downloadWeight(inputUrl: string): number {
  return isLocal(inputUrl) ? 0.2 : 0.95;
}
