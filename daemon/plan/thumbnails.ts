import type { JobFailure } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import { coloursOfOutput } from './decide/colours.js';
import { decideSequentialThumbnails, decideThumbnails, type ThumbnailSchedule } from './decide/thumbnails.js';
import type { Capabilities } from './plan-types.js';
import { imageName, thumbnailArgs } from './write/thumbnails.js';

/** An encoded output that thumbnails are to be taken of. */
export interface ThumbnailsToPlan {
  readonly outputId: number;
  /** Its file in the scratch folder, and what that was found to be. */
  readonly path: string;
  readonly media: MediaFacts;
  readonly number: number;
  /** The setting `keyframe_interval`; undefined where it was not given. */
  readonly keyframeInterval: number | undefined;
}

/** How thumbnails are taken of an encoded output. */
export interface ThumbnailPlan {
  /** Arguments of the runs of ffmpeg, in the scratch folder. */
  readonly runs: readonly (readonly string[])[];
  /** For each thumbnail the name of its picture in the scratch folder. Those of one moment share theirs. */
  readonly images: readonly string[];
  /** What is to be done instead where a run leaves a picture out; null where none can. */
  readonly fallback: Omit<ThumbnailPlan, 'fallback'> | null;
}

/**
 * How the thumbnails of an output are taken of its encoded file (section 4.1; contract, section 11), whose true length is known only
 * now. Pure, like `plan`.
 */
export function planThumbnails(
  { outputId, path, media, number, keyframeInterval }: ThumbnailsToPlan,
  capabilities: Capabilities,
): ThumbnailPlan | { readonly failure: JobFailure } {
  const schedule = decideThumbnails(number, media, keyframeInterval);
  const sequentialSchedule = decideSequentialThumbnails(number, media);
  const { video } = media;
  if (schedule === null || sequentialSchedule === null || video === null) {
    const message =
      'The output has no picture, or does not tell its length: no thumbnails can be taken of it.';
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

/** When a file begins, by the times in it. */
export function mediaStartSeconds({ video, audio }: MediaFacts): number {
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return starts.length === 0 ? 0 : Math.min(...starts);
}
