import type { Fault } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import { coloursOfOutput } from './decide/colours.js';
import { decideInOnePass, decideThumbnails, type Taking } from './decide/thumbnails.js';
import type { Abilities } from './plan-types.js';
import { pictureName, thumbnailArgs } from './write/thumbnails.js';

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
  readonly pictures: readonly string[];
  /** What is to be done instead where a run leaves a picture out; null where none can. */
  readonly otherwise: Omit<ThumbnailPlan, 'otherwise'> | null;
}

/**
 * How the thumbnails of an output are taken of its encoded file (section 4.1; contract, section 11), whose true length is known only
 * now. Pure, like `plan`.
 */
export function planThumbnails(
  { outputId, path, media, number, keyframeInterval }: ThumbnailsToPlan,
  abilities: Abilities,
): ThumbnailPlan | { readonly fault: Fault } {
  const taking = decideThumbnails(number, media, keyframeInterval);
  const inOnePass = decideInOnePass(number, media);
  const { video } = media;
  if (taking === null || inOnePass === null || video === null) {
    const message =
      'The output has no picture, or does not tell its length: no thumbnails can be taken of it.';
    return { fault: { errorClass: 'ThumbnailError', message } };
  }
  const name = `thumbnail-${outputId}`;
  const source = {
    path,
    streamIndex: video.streamIndex,
    startSeconds: startOf(media),
    hasFrameRate: video.frameRate !== null,
    codec: video.codec,
    colours: coloursOfOutput(video),
    name,
  };
  const written = (way: Taking) => ({
    runs: thumbnailArgs(way, source, abilities),
    pictures: way.pictureOf.map((picture) => pictureName(name, picture)),
  });
  const mayMiss = taking.sought.length > 0;
  return { ...written(taking), otherwise: mayMiss ? written(inOnePass) : null };
}

/** When a file begins, by the times in it. */
export function startOf({ video, audio }: MediaFacts): number {
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return starts.length === 0 ? 0 : Math.min(...starts);
}
