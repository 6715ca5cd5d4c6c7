import { normaliseJob } from '../../client/normalise.js';
import type { JobRecord } from '../../shared/records.js';

/** A job of which nothing is known, with one of everything that it may have: its keys are what `--fields` can name. */
export function emptyJob(): JobRecord {
  return normaliseJob({ output_media_files: [{}], thumbnails: [{}] });
}
