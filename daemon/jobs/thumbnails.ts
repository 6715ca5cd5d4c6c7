import { withoutPassword } from '../../src/shared/redact.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { methodOf } from '../../src/shared/settings/thumbnail-rules.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import { sum } from '../../src/shared/text/numbers.js';
import { replaceExtensionInUrl } from '../../src/shared/text/url-text.js';
import { formatOf, type NamedImage, namedImage, thumbnailUrl } from '../../src/shared/thumbnail-names.js';
import type { Job, JobOutput, JobThumbnail, OutputDestination } from './job.js';
import { s3UrlOf } from './s3-web-url.js';

/** Maximum number of images in a set. */
export const maxImages = 500;
/** The number of images of a set with an interval, for estimates: it depends on the length of the output. */
const typicalIntervalImages = 20;

/** A thumbnail that was taken from an output. */
export interface Thumbnail {
  /** The index of its set in the settings of the output. */
  readonly setIndex: number;
  /** Its index in the set, from 0. */
  readonly index: number;
  readonly width: number;
  readonly height: number;
}

/** A thumbnail at its destination. */
export interface DeliveredThumbnail extends Thumbnail, OutputDestination {
  readonly sizeBytes: number;
}

/** The sets of thumbnails of an output; empty if it has none. */
export function thumbnailSets({ thumbnails = [] }: OutputSettings): readonly ThumbnailSettings[] {
  return thumbnails;
}

/** The number of images that a set has at most: ids are reserved for them. */
export function maxImagesOf(set: ThumbnailSettings): number {
  return imagesOf(set) ?? maxImages;
}

/** The number of thumbnails that an output will have, estimated from its settings; 0 without thumbnails. */
export function estimatedThumbnailCount(settings: OutputSettings): number {
  return sum(thumbnailSets(settings).map((set) => imagesOf(set) ?? typicalIntervalImages));
}

/** The number of images of a set; null if it depends on the length of the output. */
function imagesOf(set: ThumbnailSettings): number | null {
  switch (methodOf(set)) {
    case 'times':
      return set.times?.length ?? 0;
    case 'number':
      return set.number ?? 1;
    default:
      return null;
  }
}

/** The number of ids that the thumbnails of outputs need. */
export function reservedThumbnailIds(outputs: readonly Pick<JobOutput, 'settings'>[]): number {
  return sum(outputs.flatMap(({ settings }) => thumbnailSets(settings).map(maxImagesOf)));
}

/** Where an image of a set is delivered, and the URL that records show (contract, section 9). */
export function thumbnailDestination(
  { settings, destination, url }: Pick<JobOutput, 'settings' | 'destination' | 'url'>,
  setIndex: number,
  image: NamedImage,
): OutputDestination {
  const sets = thumbnailSets(settings);
  const set = sets[setIndex] ?? {};
  const isHosted = destination.startsWith('hosted:');
  const at = (video: string) => thumbnailUrl(sets, set, { url: video, isHosted }, image);
  if (set.base_url === undefined) return { destination: at(destination), url: at(url) };
  const own = at(destination);
  return { destination: toDestination(own), url: withoutPassword(own) };
}

/** The set whose `base_url` is the folder of a destination, or the nearest one above it; undefined if there is none. */
export function setAtUrl(settings: OutputSettings, destination: string): ThumbnailSettings | undefined {
  const folders = thumbnailSets(settings).flatMap((set) =>
    set.base_url === undefined
      ? []
      : [{ set, folder: `${toDestination(set.base_url).replace(/\/+$/, '')}/` }],
  );
  return folders
    .filter(({ folder }) => destination.startsWith(folder))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0]?.set;
}

function toDestination(url: string): string {
  return s3UrlOf(url) ?? url;
}

/** The destination of a thumbnail that was taken. */
export function destinationOfThumbnail(
  output: Pick<JobOutput, 'settings' | 'destination' | 'url'>,
  { setIndex, index, ...size }: Thumbnail,
): OutputDestination {
  return thumbnailDestination(output, setIndex, namedImage(index, size));
}

/**
 * The records of the thumbnails of an output, created when the output finishes. Their ids follow those of all outputs,
 * in the order of outputs, sets and images. They were reserved when the job was numbered: as many as each set has at
 * most.
 */
export function recordThumbnails(
  job: Job,
  output: JobOutput,
  delivered: readonly DeliveredThumbnail[],
  at: string,
): readonly JobThumbnail[] {
  const earlier = job.outputs.slice(0, job.outputs.indexOf(output));
  const firstId = job.id + 2 + job.outputs.length + reservedThumbnailIds(earlier);
  const sets = thumbnailSets(output.settings);
  return delivered.map(({ setIndex, index, destination, url, width, height, sizeBytes }) => {
    const set = sets[setIndex] ?? {};
    return {
      id: firstId + sum(sets.slice(0, setIndex).map(maxImagesOf)) + index,
      url,
      createdAt: at,
      updatedAt: at,
      destination,
      setIndex,
      ...(set.label === undefined ? {} : { label: set.label }),
      format: formatOf(set),
      width,
      height,
      sizeBytes,
    };
  });
}

/**
 * The settings that decide the headers of the images of a set in a bucket: its own, or those of the output except for
 * `headers`.
 */
export function thumbnailObject(settings: OutputSettings, set: ThumbnailSettings): OutputSettings {
  const { headers, rrs = settings.rrs, public: isPublic = settings.public } = set;
  const { access_control: grants = settings.access_control } = set;
  return {
    ...(headers === undefined ? {} : { headers }),
    ...(rrs === undefined ? {} : { rrs }),
    ...(isPublic === undefined ? {} : { public: isPublic }),
    ...(grants === undefined ? {} : { access_control: grants }),
  };
}

/**
 * The URLs, `hosted://TOKEN/NAME`, of the outputs and thumbnails of a job that the daemon itself hosts. Some may no
 * longer exist.
 */
export function hostedFilesOf({ outputs }: Job): readonly string[] {
  return outputs
    .flatMap((output) => [output.destination, ...output.thumbnails.map(destinationOfRecord(output))])
    .filter((destination) => destination.startsWith('hosted:'));
}

/** Older versions stored no destination: their thumbnails were next to the video. */
function destinationOfRecord({ destination: video }: JobOutput) {
  return ({ destination }: JobThumbnail, index: number): string =>
    destination ?? replaceExtensionInUrl(video, `_${String(index).padStart(4, '0')}.png`);
}
