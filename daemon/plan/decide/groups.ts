import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { VideoEncoderName } from '../encoders.js';
import type { Decision, Picture, PictureSize } from './decisions.js';

/** An output with a picture, which can share the decoding of the input with others. */
export type Pictured = Decision & { readonly picture: Picture };

/** Beyond that many, what is left of the decoding for each is next to nothing, and all wait for the last. */
const mostTogether = 8;

/** Encoders of which none keeps the others waiting for long. What takes many times as long is left among its like. */
const quickEncoders: ReadonlySet<VideoEncoderName> = new Set(['libx264', 'libvpx', 'libtheora']);

/**
 * The outputs that are made in one run each, in the order of their first: those of one part of the input, with the same frames at the
 * same times, decoded and made upright once. Together their pictures are no larger than the largest that one may be, which
 * bounds the memory. `isInTwoPasses` tells pictures that take two runs. Measured once with three renditions of 1080p on two busy cores: 0.72
 * of the processor time of three runs.
 */
export function groupsOf(
  decisions: readonly Decision[],
  isInTwoPasses: (picture: Picture) => boolean,
): readonly (readonly Decision[])[] {
  const groups: { readonly key: string | null; readonly members: Decision[] }[] = [];
  for (const decision of decisions) {
    const key = isPictured(decision) ? keyOf(decision, isInTwoPasses(decision.picture)) : null;
    const open = groups.findLast((group) => group.key !== null && group.key === key);
    if (open !== undefined && hasRoom(open.members, decision)) open.members.push(decision);
    else groups.push({ key, members: [decision] });
  }
  return groups.map(({ members }) => members);
}

/** Whether an output has a picture. */
export function isPictured(decision: Decision): decision is Pictured {
  return decision.picture !== null;
}

/** Equal for outputs that can be made in one run; null for one that is made alone. */
function keyOf({ clip, picture, sound }: Pictured, isInTwoPasses: boolean): string | null {
  // Phones' small files: not worth a second way to bring the sound in.
  if (sound !== null && sound.repack !== null) return null;
  return JSON.stringify([
    [clip.startSeconds, clip.readFromSeconds, clip.startsInFrame, clip.lengthSeconds],
    // The times: with builds of 2018 their mode is one for the whole run.
    [picture.streamIndex, picture.deinterlace, picture.orientation, picture.timing],
    [isInTwoPasses, quickEncoders.has(picture.encoder) ? 'quick' : picture.encoder],
  ]);
}

function hasRoom(members: readonly Decision[], more: Decision): boolean {
  const pixels = [...members, more].reduce((sum, { picture }) => sum + pixelsOf(picture?.fit.canvas), 0);
  return members.length < mostTogether && pixels <= maxPixels;
}

/** The whole picture in one size, and what it is made from. */
export interface Rendition {
  /** Null where it is left in its own size. */
  readonly scaleTo: PictureSize | null;
  /** Place in the list of the rendition that it is scaled from; null for the picture itself. */
  readonly from: number | null;
  /** The pictures that need it, by their places. */
  readonly pictures: readonly number[];
}

/**
 * How much larger, on each side, a rendition must be for another to be made from it. From 1.3 on it costs 0.001 of SSIM in
 * film, 0.002 in noise; closer by it blurs (film, 1920x1080 to 640x360 over 650x366: 0.9967, straight 0.9993, against Lanczos).
 */
const leastRatio = 1.3;

/**
 * The sizes that pictures of a group are scaled to, each once, the largest first; smaller ones from the largest where that costs no
 * quality. `source` is the size of the upright picture as it is stored: nothing is made from what was enlarged.
 * Tried: each from the next larger one, which loses a little at every step. For 1280x720, 854x480 and 640x360 of 1920x1080 it took as much of the
 * processor (0.78 s for 30 frames with their decoding; all of them straight from the source 0.88 s, from the largest 0.78 s), and 640x360
 * lost twice the SSIM by it (0.0016 of noise once encoded, from the largest 0.0008).
 */
export function renditionsOf(pictures: readonly Picture[], source: PictureSize): readonly Rendition[] {
  const sizes = new Map<string, { readonly scaleTo: PictureSize | null; readonly pictures: number[] }>();
  for (const [index, { fit }] of pictures.entries()) {
    const key = JSON.stringify(fit.scaleTo);
    const known = sizes.get(key) ?? { scaleTo: fit.scaleTo, pictures: [] };
    known.pictures.push(index);
    sizes.set(key, known);
  }
  const sorted = [...sizes.values()].toSorted(
    (one, other) => pixelsOf(other.scaleTo ?? source) - pixelsOf(one.scaleTo ?? source),
  );
  return sorted.map(({ scaleTo, pictures: needing }, place) => {
    const from = sorted
      .slice(0, place)
      .findIndex((larger) => scaleTo !== null && servesFor(larger.scaleTo, scaleTo, source));
    return { scaleTo, from: from === -1 ? null : from, pictures: needing };
  });
}

function servesFor(larger: PictureSize | null, size: PictureSize, source: PictureSize): boolean {
  return (
    larger !== null &&
    larger.width <= source.width &&
    larger.height <= source.height &&
    larger.width >= size.width * leastRatio &&
    larger.height >= size.height * leastRatio
  );
}

function pixelsOf(size: PictureSize | undefined): number {
  return size === undefined ? 0 : size.width * size.height;
}
