import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { VideoEncoderName } from '../encoders.js';
import type { Decision, PixelSize, VideoDecision } from './decisions.js';

/** An output with a picture, which can share the decoding of the input with others. */
export type DecisionWithVideo = Decision & { readonly video: VideoDecision };

/** Beyond that many, what is left of the decoding for each is next to nothing, and all wait for the last. */
const maxGroupSize = 8;

/** Encoders of which none keeps the others waiting for long. What takes many times as long is left among its like. */
const quickEncoders: ReadonlySet<VideoEncoderName> = new Set(['libx264', 'libvpx', 'libtheora']);

/**
 * The outputs that are made in one run each, in the order of their first: those of one part of the input, with the same frames at the
 * same times, decoded and made upright once. Together their pictures are no larger than the largest that one may be, which
 * bounds the memory. `isInTwoPasses` tells pictures that take two runs. Measured once with three renditions of 1080p on two busy cores: 0.72
 * of the processor time of three runs.
 */
export function groupDecisions(
  decisions: readonly Decision[],
  isInTwoPasses: (video: VideoDecision) => boolean,
): readonly (readonly Decision[])[] {
  const groups: { readonly key: string | null; readonly members: Decision[] }[] = [];
  for (const decision of decisions) {
    const key = hasVideo(decision) ? keyOf(decision, isInTwoPasses(decision.video)) : null;
    const openGroup = groups.findLast((group) => group.key !== null && group.key === key);
    if (openGroup !== undefined && fitsInGroup(openGroup.members, decision)) openGroup.members.push(decision);
    else groups.push({ key, members: [decision] });
  }
  return groups.map(({ members }) => members);
}

/** Whether an output has a picture. */
export function hasVideo(decision: Decision): decision is DecisionWithVideo {
  return decision.video !== null;
}

/** Equal for outputs that can be made in one run; null for one that is made alone. */
function keyOf({ clip, video, audio }: DecisionWithVideo, isInTwoPasses: boolean): string | null {
  // Phones' small files: not worth a second way to bring the sound in.
  if (audio !== null && audio.repack !== null) return null;
  return JSON.stringify([
    [clip.startSeconds, clip.readFromSeconds, clip.startsInFrame, clip.lengthSeconds],
    // The times: with builds of 2018 their mode is one for the whole run.
    [video.streamIndex, video.deinterlace, video.orientation, video.timing],
    [isInTwoPasses, quickEncoders.has(video.encoder) ? 'quick' : video.encoder],
  ]);
}

function fitsInGroup(members: readonly Decision[], added: Decision): boolean {
  const pixels = [...members, added].reduce((sum, { video }) => sum + pixelsOf(video?.fit.canvas), 0);
  return members.length < maxGroupSize && pixels <= maxPixels;
}

/** The whole picture in one size, and what it is made from. */
export interface Rendition {
  /** Null where it is left in its own size. */
  readonly scaleTo: PixelSize | null;
  /** Place in the list of the rendition that it is scaled from; null for the picture itself. */
  readonly from: number | null;
  /** The pictures that need it, by their places. */
  readonly videos: readonly number[];
}

/**
 * How much larger, on each side, a rendition must be for another to be made from it. From 1.3 on it costs 0.001 of SSIM in
 * film, 0.002 in noise; closer by it blurs (film, 1920x1080 to 640x360 over 650x366: 0.9967, straight 0.9993, against Lanczos).
 */
const minDownscaleRatio = 1.3;

/**
 * The sizes that pictures of a group are scaled to, each once, the largest first; smaller ones from the largest where that costs no
 * quality. `source` is the size of the upright picture as it is stored: nothing is made from what was enlarged.
 * Tried: each from the next larger one, which loses a little at every step. For 1280x720, 854x480 and 640x360 of 1920x1080 it took as much of the
 * processor (0.78 s for 30 frames with their decoding; all of them straight from the source 0.88 s, from the largest 0.78 s), and 640x360
 * lost twice the SSIM by it (0.0016 of noise once encoded, from the largest 0.0008).
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
