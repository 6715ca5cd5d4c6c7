import type { Orientation } from '../jobs/media.js';

const orientationTag = 0x0112;

/**
 * How a JPEG says that it is to be turned and mirrored, as the tag of EXIF counts it: 1 is upright, and so is all that does not say. ffmpeg
 * is not asked because it depends on the release whether it applies the tag, and ffprobe tells the sides as they are stored.
 */
export function readOrientation(head: Buffer): Orientation {
  const exif = findExif(head);
  if (exif === null || exif.length < 8) return 1;
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const list = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  if (list + 2 > exif.length) return 1;
  const entries = Array.from({ length: short(list) }, (_, index) => list + 2 + index * 12);
  const entry = entries.find((at) => at + 12 <= exif.length && short(at) === orientationTag);
  const orientation = entry === undefined ? 1 : short(entry + 8);
  return ([1, 2, 3, 4, 5, 6, 7, 8] as const).find((value) => value === orientation) ?? 1;
}

/** The part of a JPEG's head that holds EXIF: it stands in front of the picture, behind other remarks at most. */
function findExif(head: Buffer): Buffer | null {
  let at = 2;
  while (at + 10 <= head.length && head[at] === 0xff) {
    const kind = head[at + 1];
    const end = at + 2 + head.readUInt16BE(at + 2);
    if (kind === 0xe1 && head.toString('latin1', at + 4, at + 10) === 'Exif\0\0') {
      return head.subarray(at + 10, Math.min(end, head.length));
    }
    at = end;
  }
  return null;
}
