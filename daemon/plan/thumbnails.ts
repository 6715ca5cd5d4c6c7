import type { JobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { coloursOfOutput } from './decide/colours.js';
import { decideSequentialThumbnails, decideThumbnails, type ThumbnailSchedule } from './decide/thumbnails.js';
import type { Capabilities } from './plan-types.js';
import { imageName, thumbnailArgs } from './write/thumbnails.js';

/** An encoded output to take thumbnails from. */
export interface ThumbnailsToPlan {
  readonly outputId: number;
  /** Its file in the scratch folder, and the probed facts of it. */
  readonly path: string;
  readonly media: MediaFacts;
  readonly number: number;
  /** The setting `keyframe_interval`; undefined if not set. */
  readonly keyframeInterval: number | undefined;
}

/** How thumbnails are taken from an encoded output. */
export interface ThumbnailPlan {
  /** Arguments of each run of ffmpeg. The runs use the scratch folder as working directory. */
  readonly runs: readonly (readonly string[])[];
  /** The image file of each thumbnail, in the scratch folder. Thumbnails of the same frame share a file. */
  readonly images: readonly string[];
  /** The plan to use if a run produces no image; null if that cannot happen. */
  readonly fallback: Omit<ThumbnailPlan, 'fallback'> | null;
}

/**
 * Plans the thumbnails of an output (section 4.1; contract, section 11). They are taken from the encoded file, because its exact
 * duration is known only then. Pure, like `plan`.
 */
export function planThumbnails(
  { outputId, path, media, number, keyframeInterval }: ThumbnailsToPlan,
  capabilities: Capabilities,
): ThumbnailPlan | { readonly failure: JobFailure } {
  const schedule = decideThumbnails(number, media, keyframeInterval);
  const sequentialSchedule = decideSequentialThumbnails(number, media);
  const { video } = media;
  if (schedule === null || sequentialSchedule === null || video === null) {
    const message = 'The output has no video or no known duration, so no thumbnails can be taken.';
    return { failure: { errorClass: 'ThumbnailError', message } };
  }
  const name = `thumbnail-${outputId}`;
  const source = {
    path,
    streamIndex: video.streamIndex,
    startSeconds: mediaStartSeconds(media),
    hasFrameRate: video.frameRate !== null,
    codec: video.codec,
    colours: coloursOfOutput(video),
    name,
  };
  const toRuns = (schedule: ThumbnailSchedule) => ({
    runs: thumbnailArgs(schedule, source, capabilities),
    images: schedule.imageIndexes.map((image) => imageName(name, image)),
  });
  const mayMissFrames = schedule.seeks.length > 0;
  return { ...toRuns(schedule), fallback: mayMissFrames ? toRuns(sequentialSchedule) : null };
}

/** The first timestamp of a file, in seconds. */
export function mediaStartSeconds({ video, audio }: MediaFacts): number {
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return starts.length === 0 ? 0 : Math.min(...starts);
}
