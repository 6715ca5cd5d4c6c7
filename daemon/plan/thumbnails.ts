import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import { formatOf } from '../../src/shared/thumbnail-names.js';
import type { JobFailure } from '../jobs/job.js';
import { displaySize, type MediaFacts, orientationOf, type Ratio, type VideoFacts } from '../jobs/media.js';
import { maxImages } from '../jobs/thumbnails.js';
import { coloursOfOutput, decideColours } from './decide/colours.js';
import { decideFields, isFittable } from './decide/decide-video.js';
import type { Fit, PixelSize } from './decide/decisions.js';
import { decideFit } from './decide/size.js';
import {
  decideFullRead,
  decideThumbnails,
  decideTimes,
  type ThumbnailSchedule,
} from './decide/thumbnails.js';
import type { Capabilities } from './plan-types.js';
import { imageName, thumbnailArgs } from './write/thumbnails.js';

/** A file to take a set of thumbnails from: that of an encoded output, or any other. */
interface ThumbnailsToPlan {
  readonly outputId: number;
  /** Its file in the scratch folder, and the probed facts of it. */
  readonly path: string;
  readonly media: MediaFacts;
  readonly set: ThumbnailSettings;
  /** The index of the set. */
  readonly setIndex: number;
  /** The frame rate of the file that the output was made from; null if unknown. */
  readonly inputFrameRate: Ratio | null;
  /** The setting `keyframe_interval`; undefined if not set. */
  readonly keyframeInterval: number | undefined;
  /** Set for a file that is not an output: it may be interlaced, and its pixels need not be square. */
  readonly isInput?: true;
}

/** How a set of thumbnails is taken from an encoded output. */
export interface ThumbnailPlan {
  /** Arguments of each run of ffmpeg. The runs use the scratch folder as working directory. */
  readonly runs: readonly (readonly string[])[];
  /** The image file of each thumbnail, in the scratch folder. Thumbnails of the same frame share a file. */
  readonly images: readonly string[];
  /** The size of the images. */
  readonly size: PixelSize;
  /** What the length of the output changed, one sentence each. */
  readonly warnings: readonly string[];
  /** The runs and images to use if a run produces no image; null if that cannot happen. */
  readonly fallback: Pick<ThumbnailPlan, 'runs' | 'images'> | null;
}

/**
 * Plans a set of thumbnails of an output (section 4.1; contract, section 11). They are taken from the encoded file,
 * because its exact duration is known only then. Pure, like `plan`.
 */
export function planThumbnails(
  { outputId, path, media, set, setIndex, inputFrameRate, keyframeInterval, isInput }: ThumbnailsToPlan,
  capabilities: Capabilities,
): ThumbnailPlan | { readonly failure: JobFailure } {
  const { video, durationSeconds } = media;
  if (video === null || durationSeconds === null)
    return failure('The output has no video or no known duration, so no thumbnails can be taken.');
  const times = decideTimes(
    set,
    durationSeconds,
    { inputFrameRate, outputFrameRate: video.frameRate },
    maxImages,
  );
  if (times.seconds.length === 0)
    return failure('All times of the thumbnails are after the end of the video.');
  const schedule = decideThumbnails(times, media, durationSeconds, keyframeInterval);
  const name = `thumbnail-${outputId}-${setIndex}`;
  const format = formatOf(set);
  const { numerator, denominator } = video.sampleAspectRatio;
  const isAnamorphic = isInput === true && numerator !== denominator;
  const fit = decideThumbnailFit(set, video) ?? (isAnamorphic ? decideFit({}, video) : null);
  const source = {
    path,
    analysis: media.analysis,
    streamIndex: video.streamIndex,
    startSeconds: mediaStartSeconds(media),
    hasFrameRate: video.frameRate !== null,
    codec: video.codec,
    colours: coloursOfOutput(video),
    // An image has standard range.
    mapping: decideColours(video, 'h264', capabilities),
    orientation: orientationOf(video),
    deinterlace: isInput === true ? decideFields('detect', video) : null,
    firstFrame: isInput === true && isFittable(video) ? video : null,
    fit,
    format,
    name,
  };
  const toRuns = (schedule: ThumbnailSchedule) => ({
    runs: thumbnailArgs(schedule, source, capabilities),
    images: schedule.imageIndexes.map((image) => imageName(name, image, format)),
  });
  const mayMissFrames = schedule.usesSeeks && schedule.single.length > 0;
  return {
    ...toRuns(schedule),
    size: fit?.canvas ?? displaySize(video),
    warnings: times.warnings,
    fallback: mayMissFrames ? toRuns(decideFullRead(times)) : null,
  };
}

/**
 * The size of the images of a set; null if they have the size of the video. `size` overrides `width` and `height`. Only
 * `preserve` never enlarges.
 */
function decideThumbnailFit(
  { size, width = size?.width, height = size?.height, aspect_mode }: ThumbnailSettings,
  video: VideoFacts,
): Fit | null {
  if (width === undefined && height === undefined) return null;
  const upscale = (aspect_mode ?? 'preserve') !== 'preserve';
  const sides = size ?? { width, height };
  return decideFit({ ...withoutUndefined(sides), aspect_mode: aspect_mode ?? 'preserve', upscale }, video);
}

function withoutUndefined(sides: Partial<Record<keyof PixelSize, number | undefined>>): Partial<PixelSize> {
  const { width, height } = sides;
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
}

function failure(message: string): { readonly failure: JobFailure } {
  return { failure: { errorClass: 'ThumbnailError', message } };
}

/** The first timestamp of a file, in seconds. */
export function mediaStartSeconds({ video, audio }: MediaFacts): number {
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return starts.length === 0 ? 0 : Math.min(...starts);
}
