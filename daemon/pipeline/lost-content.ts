import { isObject } from '../../src/shared/util/is-object.js';
import {
  audioStreams,
  genericTitle,
  type MediaFacts,
  orientationOf,
  type TrackLabels,
  type VideoFacts,
} from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';

/** What an output should have besides its frames and samples and has not, one sentence each. */
export function lostContentWarnings(product: Product, media: MediaFacts): readonly string[] {
  return [
    ...emptyTrackWarnings(product, media),
    ...lostLabelWarnings(product, media),
    ...lostAttachedWarnings(product, media),
    ...lostHdrWarnings(product, media),
    ...lostViewWarnings(product, media),
    ...lostDisplayWarnings(product, media),
    // ffmpeg 7 writes none if it does not know the frame rate, as of frames with corrected times.
    ...(product.hasTimecode === true && media.timecode === undefined
      ? ['The timecode was lost: this ffmpeg does not store it for this video.']
      : []),
  ];
}

/** A track that the input has may have nothing in the part that an output has. */
function emptyTrackWarnings({ audio }: Product, media: MediaFacts): readonly string[] {
  const { length } = audioStreams(media);
  return length >= audio.length
    ? []
    : [`The output has only ${length} of ${audio.length} audio tracks: the others are empty in this part.`];
}

/** The HDR metadata that was not written, or with other values. */
function lostHdrWarnings({ video: expected }: Product, { video }: MediaFacts): readonly string[] {
  const { mastering = null, lightLevels = null } = expected?.hdr ?? {};
  const isLost = (values: object | null, written: object | undefined) =>
    values !== null && !(written !== undefined && areNear(values, written));
  return [
    ...(isLost(mastering, video?.hdr?.mastering) ? ['mastering display'] : []),
    ...(isLost(lightLevels, video?.hdr?.lightLevels) ? ['light levels'] : []),
  ].map((what) => `The output lacks the ${what} of HDR: its encoder or its container does not store it.`);
}

/** Below this difference, the ratio is only rounded, as in Matroska, which stores the displayed size. */
const shapeTolerance = 0.02;

/** What a video should declare about its views and does not. */
function lostViewWarnings({ video: expected }: Product, { video }: MediaFacts): readonly string[] {
  const { stereo3d, projection } = expected?.labels ?? {};
  if (video === null) return [];
  return [
    ...(stereo3d === video.stereo3d || stereo3d === undefined ? [] : [`stereo 3D (${stereo3d})`]),
    ...(projection === video.projection || projection === undefined ? [] : [`projection (${projection})`]),
  ].map(
    (what) =>
      `The video lost its ${what}, which this ffmpeg does not write here: a copy in MP4 or Matroska keeps it.`,
  );
}

/** What only the container of a copied video said about its display, and the one of the output does not. */
function lostDisplayWarnings({ video: expected }: Product, { video }: MediaFacts): readonly string[] {
  const source = expected?.copied;
  if (source === undefined || video === null) return [];
  const shapeOf = ({ sampleAspectRatio: { numerator, denominator } }: VideoFacts) => numerator / denominator;
  const { numerator, denominator } = source.sampleAspectRatio;
  const { rotationDegrees, isMirrored = false } = source;
  const turned = [
    ...(rotationDegrees === 0 ? [] : [`${rotationDegrees} degrees`]),
    ...(isMirrored ? ['mirrored'] : []),
  ];
  const colours = (['colourPrimaries', 'colourTransfer', 'colourSpace'] as const).flatMap((name) =>
    video[name] === undefined ? (source[name] ?? []) : [],
  );
  const isOpaque = source.hasAlpha === true && video.hasAlpha !== true;
  const lost = [
    ...(orientationOf(source) === orientationOf(video) ? [] : [`rotation (${turned.join(', ')})`]),
    ...(Math.abs(shapeOf(source) / shapeOf(video) - 1) < shapeTolerance
      ? []
      : [`sample aspect ratio (${numerator}:${denominator})`]),
    ...(colours.length === 0 ? [] : [`colours (${colours.join(', ')})`]),
  ];
  return [
    ...lost.map(
      (what) =>
        `The copied video lost its ${what}, which the container does not store: encode the video to keep it.`,
    ),
    ...(isOpaque ? ['The copied video lost its transparency, which the container does not store.'] : []),
  ];
}

/** The coarsest step in which a stream stores these values: the highest luminance of AV1. */
const hdrStep = 1 / 256;

/** Whether all numbers in two objects of one shape are the same, rounded to the steps of a stream. */
function areNear(expected: object, found: object): boolean {
  return Object.entries(expected).every(([name, value]: readonly [string, unknown]) => {
    const other: unknown = Object.entries(found).find(([its]) => its === name)?.[1];
    if (typeof value === 'number') return typeof other === 'number' && Math.abs(value - other) <= hdrStep;
    return isObject(value) && isObject(other) && areNear(value, other);
  });
}

/** The cover images and files that an output should have and has not. */
function lostAttachedWarnings(
  { covers = 0, attachments = 0 }: Product,
  { covers: foundCovers = [], attachments: foundFiles = [] }: MediaFacts,
): readonly string[] {
  const sentence = (found: number, expected: number, what: string) =>
    found >= expected ? [] : [`The output has only ${found} of ${expected} ${what}: the others were lost.`];
  return [
    ...sentence(foundCovers.length, covers, 'cover images'),
    ...sentence(foundFiles.length, attachments, 'attached files'),
  ];
}

/**
 * The languages and titles of tracks of video and audio, and the purposes of all tracks, that a container did not store.
 */
function lostLabelWarnings(
  { video, audio, captionTracks = [], packaging }: Product,
  media: MediaFacts,
): readonly string[] {
  // Playlists and manifests have those of tracks with segments of their own.
  if (packaging?.hasSeparateTracks === true) return [];
  const labels = audio.map(({ language, labels = {} }) => ({
    ...labels,
    ...(language === undefined ? {} : { language }),
  }));
  return [
    ...lostLabels(
      'video',
      video === null ? [] : [video.labels ?? {}],
      media.video === null ? [] : [media.video],
    ),
    ...lostLabels('audio', labels, audioStreams(media)),
    ...lostLabels('subtitle', captionTracks, media.subtitles ?? []),
  ];
}

function lostLabels(
  kind: 'video' | 'audio' | 'subtitle',
  expected: readonly TrackLabels[],
  tracks: readonly TrackLabels[],
): readonly string[] {
  if (tracks.length !== expected.length) return [];
  const titles = expected.flatMap(({ title }, at) =>
    title === undefined || genericTitle.test(title) || tracks[at]?.title === title
      ? []
      : [`${at + 1} (${title})`],
  );
  const languages = expected.flatMap(({ language }, at) =>
    language === undefined || tracks[at]?.language !== undefined ? [] : [`${at + 1} (${language})`],
  );
  const purposes = expected.flatMap(({ dispositions = [] }, at) => {
    const lost = dispositions.filter((name) => tracks[at]?.dispositions?.includes(name) !== true);
    return lost.length === 0 ? [] : [`${at + 1} (${lost.join(', ')})`];
  });
  const sentence = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          `The ${what} of ${kind} track${names.length === 1 ? '' : 's'} ${names.join(', ')} of the output was lost: the container does not store it.`,
        ];
  return [...sentence('language', languages), ...sentence('title', titles), ...sentence('purpose', purposes)];
}
