import { maxPixels } from '../../../src/shared/settings/limits.js';
import { type VideoEncoderName, videoEncoders } from '../encoders.js';
import {
  type AudioDecision,
  copiesStreams,
  type Decision,
  encodedAudio,
  type PixelSize,
  type VideoDecision,
} from './decisions.js';

/** An output with video, which can share the decoding of the input with others. */
export type DecisionWithVideo = Decision & { readonly video: VideoDecision };

/** With more outputs, each saves almost no more decoding time, and all wait for the last. */
const maxGroupSize = 8;

/**
 * Encoders that are fast enough to share a run. A slower encoder shares a run only with outputs of the same encoder.
 */
const quickEncoders: ReadonlySet<VideoEncoderName> = new Set([
  ...(['libx264', 'libvpx', 'libtheora', 'mpeg4', 'wmv2'] as const),
]);

/**
 * Groups outputs that are encoded in one run, in the order of the first output of each group: outputs of the same clip,
 * with the same frames at the same times, decoded and rotated once. An output with only audio follows the videos of the
 * same clip. To bound the memory, the videos of a group together have at most as many pixels as the maximum for one.
 * `isInTwoPasses` returns whether a video needs two passes. Measured with three renditions of 1080p on two busy cores:
 * 0.72 of the processor time of three runs.
 */
export function groupDecisions(
  decisions: readonly Decision[],
  isInTwoPasses: (video: VideoDecision) => boolean,
): readonly (readonly Decision[])[] {
  const groups: { readonly key: string | null; readonly members: Decision[] }[] = [];
  for (const decision of decisions) {
    const key =
      hasVideo(decision) && !copiesStreams(decision) && !hasPalette(decision.video)
        ? keyOf(decision, isInTwoPasses(decision.video))
        : null;
    const openGroup = isPlainAudio(decision)
      ? groups.findLast(({ members }) => sharesDecoding(members, decision))
      : groups.findLast((group) => group.key !== null && group.key === key);
    if (openGroup !== undefined && fitsInGroup(openGroup.members, decision)) openGroup.members.push(decision);
    else groups.push({ key, members: [decision] });
  }
  return groups.map(({ members }) => members);
}

/** Whether the colours of a video are chosen in a run of its own. */
function hasPalette({ encoder }: VideoDecision): boolean {
  return videoEncoders[encoder].passes === 'palette';
}

/** Whether an output has only audio, which is encoded from the stream of the input. */
function isPlainAudio(decision: Decision): boolean {
  const { video, copiedVideo, captions = [] } = decision;
  if (video !== null || copiedVideo !== undefined || captions.length > 0) return false;
  return !copiesStreams(decision) && encodedAudio(decision).every(isOneStream);
}

function isOneStream({ repack, joined }: AudioDecision): boolean {
  return repack === null && joined === undefined;
}

/** Whether an output with only audio can be encoded in the run of a group of videos: it is read once then. */
function sharesDecoding(members: readonly Decision[], { clip }: Decision): boolean {
  const [first, second] = members;
  // A single video is encoded in a run of its own.
  if (first === undefined || second === undefined || !hasVideo(second)) return false;
  return clipKey(first.clip) === clipKey(clip);
}

function clipKey({ startSeconds, readFromSeconds, startsInFrame, lengthSeconds }: Decision['clip']): string {
  return JSON.stringify([startSeconds, readFromSeconds, startsInFrame, lengthSeconds]);
}

/** Whether an output has video. */
export function hasVideo(decision: Decision): decision is DecisionWithVideo {
  return decision.video !== null;
}

/** The same key for outputs that can be encoded in one run; null for an output that needs its own run. */
function keyOf(decision: DecisionWithVideo, isInTwoPasses: boolean): string | null {
  const { clip, video } = decision;
  // Such files are rare, or small, so grouping them is not worth a second way to read the audio.
  if (!encodedAudio(decision).every(isOneStream)) return null;
  // Their filters at the end are not shared either.
  if (
    video.signalling.isFullRange ||
    ((video.watermarks.length > 0 || video.burned?.from === 'input') &&
      video.codecOptions.pixelFormat !== 'yuv420p')
  )
    return null;
  return JSON.stringify([
    clipKey(clip),
    // Timing is included because builds of 2018 have one sync mode for the whole run.
    [video.streamIndex, video.deinterlace, video.isFramePerField, video.orientation, video.timing],
    // Sharpening follows the split, so it may differ.
    { ...video.effects, sharpens: null },
    [video.codecOptions.pixelFormat, video.hdr !== undefined],
    [isInTwoPasses, quickEncoders.has(video.encoder) ? 'quick' : video.encoder],
  ]);
}

function fitsInGroup(members: readonly Decision[], added: Decision): boolean {
  const pixels = [...members, added].reduce((sum, { video }) => sum + pixelsOf(video?.fit.canvas), 0);
  return members.length < maxGroupSize && pixels <= maxPixels;
}

/** The whole video in one size, and its source. */
export interface Rendition {
  /** Null if it is not scaled. */
  readonly scaleTo: PixelSize | null;
  /** Index of the rendition that it is scaled from; null for the input. */
  readonly from: number | null;
  /** Indexes of the videos that use it. */
  readonly videos: readonly number[];
}

/**
 * The minimum ratio of both sides for one rendition to be scaled from another. From 1.3 on it costs 0.001 of SSIM for
 * film and 0.002 for noise. Closer sizes blur (film, 1920x1080 to 640x360 via 650x366: SSIM 0.9967, directly 0.9993,
 * compared with Lanczos).
 */
const minDownscaleRatio = 1.3;

/**
 * The sizes that the videos of a group are scaled to, each once, the largest first. A smaller size is scaled from the
 * largest if that costs no quality. `source` is the stored size of the input after rotation: nothing is scaled from an
 * enlarged rendition.
 *
 * Rejected: scaling each size from the next larger one, which loses a little at every step. For 1280x720, 854x480 and
 * 640x360 from 1920x1080 it took as much processor time as scaling from the largest (0.78 s for 30 frames including
 * decoding; 0.88 s for scaling all from the source), and 640x360 lost twice the SSIM (0.0016 for encoded noise; 0.0008
 * from the largest).
 */
export function planRenditions(videos: readonly VideoDecision[], source: PixelSize): readonly Rendition[] {
  const sizes = new Map<string, { readonly scaleTo: PixelSize | null; readonly videos: number[] }>();
  for (const [index, { fit }] of videos.entries()) {
    const key = JSON.stringify(fit.scaleTo);
    const existing = sizes.get(key) ?? { scaleTo: fit.scaleTo, videos: [] };
    existing.videos.push(index);
    sizes.set(key, existing);
  }
  const sorted = [...sizes.values()].toSorted(
    (a, b) => pixelsOf(b.scaleTo ?? source) - pixelsOf(a.scaleTo ?? source),
  );
  return sorted.map(({ scaleTo, videos }, position) => {
    const from = sorted
      .slice(0, position)
      .findIndex((larger) => scaleTo !== null && canScaleFrom(larger.scaleTo, scaleTo, source));
    return { scaleTo, from: from === -1 ? null : from, videos };
  });
}

function canScaleFrom(larger: PixelSize | null, size: PixelSize, source: PixelSize): boolean {
  return (
    larger !== null &&
    larger.width <= source.width &&
    larger.height <= source.height &&
    larger.width >= size.width * minDownscaleRatio &&
    larger.height >= size.height * minDownscaleRatio
  );
}

function pixelsOf(size: PixelSize | undefined): number {
  return size === undefined ? 0 : size.width * size.height;
}
