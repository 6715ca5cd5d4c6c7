import type { Orientation, Ratio, VideoFacts } from '../../jobs/media.js';
import {
  hasDisposition,
  numberAt,
  objectAt,
  objectsAt,
  type ProbeObject,
  ratioAt,
  tagAt,
  textAt,
} from './probe-fields.js';
import { readDolbyVision } from './read-hdr.js';
import { isCodecKnown, readStream } from './read-streams.js';
import { readLabels } from './read-tags.js';

/** Whether a stream is video, and not cover art or embedded thumbnails. */
export function isVideo(stream: ProbeObject): boolean {
  return (
    textAt(stream, 'codec_type') === 'video' &&
    !hasDisposition(stream, 'attached_pic') &&
    !hasDisposition(stream, 'timed_thumbnails')
  );
}

/** The number of stored pixels per frame; 0 if ffprobe rejected the frame size. */
export function pixelsOf(stream: ProbeObject): number {
  return (numberAt(stream, 'width') ?? 0) * (numberAt(stream, 'height') ?? 0);
}

/**
 * Both `tt` and `tb` mean that the top field is displayed first. ffmpeg's documentation says that the second letter is
 * the field displayed first, but ffmpeg itself writes `tb` and `bt` to Matroska and QuickTime for top-first and
 * bottom-first video.
 */
const fieldOrders: Readonly<Record<string, VideoFacts['fieldOrder']>> = {
  progressive: 'progressive',
  tt: 'top-first',
  tb: 'top-first',
  bb: 'bottom-first',
  bt: 'bottom-first',
};

/**
 * Sorts the better stream first: more than a single frame, then more pixels, then the default stream, then the higher
 * bitrate.
 */
function compareStreams(a: ProbeObject, b: ProbeObject, stills: ReadonlySet<number>): number {
  const isSingle = (stream: ProbeObject) =>
    Number(numberAt(stream, 'nb_frames') === 1 || stills.has(numberAt(stream, 'index') ?? -1));
  const isDefault = (stream: ProbeObject) => Number(hasDisposition(stream, 'default'));
  return (
    isSingle(a) - isSingle(b) ||
    pixelsOf(b) - pixelsOf(a) ||
    isDefault(b) - isDefault(a) ||
    (readStream(b).bitrateKbps ?? 0) - (readStream(a).bitrateKbps ?? 0)
  );
}

/** The video streams that can be decoded, of which ffprobe found a frame. */
export function usableVideos(streams: readonly ProbeObject[]): readonly ProbeObject[] {
  return streams.filter((stream) => isVideo(stream) && isCodecKnown(stream) && pixelsOf(stream) > 0);
}

/**
 * The best video stream (contract, section 11). `stills` has the indexes of those with a single frame, as far as that
 * was measured.
 */
export function bestVideo(
  streams: readonly ProbeObject[],
  stills: ReadonlySet<number>,
): ProbeObject | undefined {
  return usableVideos(streams).toSorted((a, b) => compareStreams(a, b, stills))[0];
}

/**
 * The facts of the best video stream; null if none is usable. `measuredFieldOrder` takes precedence over the declared
 * field order. In Ogg, the title of a track is that of the file, which is kept with the tags.
 */
export function readVideo(
  streams: readonly ProbeObject[],
  measuredFieldOrder: VideoFacts['fieldOrder'] | null = null,
  {
    stills = new Set(),
    isOgg = false,
  }: { readonly stills?: ReadonlySet<number>; readonly isOgg?: boolean } = {},
): VideoFacts | null {
  const chosen = bestVideo(streams, stills);
  if (chosen === undefined) return null;
  const fieldOrder = measuredFieldOrder ?? fieldOrders[textAt(chosen, 'field_order') ?? ''] ?? 'unknown';
  const frames = numberAt(chosen, 'nb_frames') ?? 0;
  const dolbyVision = readDolbyVision(chosen);
  const isInterlaced = fieldOrder === 'top-first' || fieldOrder === 'bottom-first';
  const { language, title } = readLabels(chosen);
  return {
    ...readStream(chosen),
    ...(language === undefined ? {} : { language }),
    ...(title === undefined || isOgg ? {} : { title }),
    width: numberAt(chosen, 'width') ?? 0,
    height: numberAt(chosen, 'height') ?? 0,
    sampleAspectRatio: ratioAt(chosen, 'sample_aspect_ratio') ?? { numerator: 1, denominator: 1 },
    ...readRotation(chosen),
    ...readFrameRate(chosen, isInterlaced),
    fieldOrder,
    pixelFormat: textAt(chosen, 'pix_fmt'),
    ...readProfile(chosen),
    ...(frames > 0 ? { frameCount: frames } : {}),
    ...readColours(chosen),
    ...readBorders(chosen),
    ...readViews(chosen),
    ...(dolbyVision === null ? {} : { dolbyVision }),
  };
}

/** The pixels that players cut off at each side, if there are any. */
function readBorders(stream: ProbeObject): Pick<VideoFacts, 'borders'> {
  const declared = objectAt(stream, 'borders');
  const side = (name: string) => numberAt(declared, name) ?? 0;
  const borders = { top: side('top'), bottom: side('bottom'), left: side('left'), right: side('right') };
  return Object.values(borders).some((pixels) => pixels > 0) ? { borders } : {};
}

/** What a stream declares about two views, and about views in all directions. A flat video may declare `2D`. */
function readViews(stream: ProbeObject): Pick<VideoFacts, 'stereo3d' | 'projection'> {
  const sideData = objectsAt(stream, 'side_data_list');
  const ofType = (name: string) => sideData.find((data) => textAt(data, 'side_data_type') === name) ?? {};
  const stereo = ofType('Stereo 3D');
  const type = textAt(stereo, 'type') ?? '2D';
  const projection = textAt(ofType('Spherical Mapping'), 'projection');
  return {
    ...(type === '2D' ? {} : { stereo3d: numberAt(stereo, 'inverted') === 1 ? `${type}, inverted` : type }),
    ...(projection === null ? {} : { projection }),
  };
}

function readProfile(stream: ProbeObject): Pick<VideoFacts, 'profile' | 'level'> {
  const profile = textAt(stream, 'profile');
  const level = numberAt(stream, 'level') ?? 0;
  return {
    ...(profile === null || profile === 'unknown' ? {} : { profile }),
    ...(level > 0 ? { level } : {}),
  };
}

/** Whether a pixel format has an alpha channel. */
function isAlphaFormat(pixelFormat: string): boolean {
  return /^(?:yuva|gbrap|ya\d|rgba|bgra|argb|abgr|ayuv|vuya|pal8)/.test(pixelFormat);
}

const colourRanges: Readonly<Record<string, VideoFacts['colourRange']>> = { pc: 'full', tv: 'limited' };

function readColours(
  stream: ProbeObject,
): Pick<VideoFacts, 'colourSpace' | 'colourTransfer' | 'colourPrimaries' | 'colourRange' | 'hasAlpha'> {
  const colourSpace = textAt(stream, 'color_space');
  const colourTransfer = textAt(stream, 'color_transfer');
  const colourPrimaries = textAt(stream, 'color_primaries');
  const range = colourRanges[textAt(stream, 'color_range') ?? ''];
  // WebM stores the alpha channel of VP8 and VP9 separately and marks it with a tag.
  const hasAlpha = isAlphaFormat(textAt(stream, 'pix_fmt') ?? '') || tagAt(stream, 'alpha_mode') === '1';
  return {
    ...(colourSpace === null ? {} : { colourSpace }),
    ...(colourTransfer === null ? {} : { colourTransfer }),
    ...(colourPrimaries === null ? {} : { colourPrimaries }),
    ...(range === undefined ? {} : { colourRange: range }),
    ...(hasAlpha ? { hasAlpha } : {}),
  };
}

/** Facts about a stream's frame rate. */
type FrameRateFacts = Pick<VideoFacts, 'frameRate' | 'isFrameRateVariable'>;

// A higher value is a time base that was reported as a rate: 1000/1 in ASF and FLV, 90000/1 in MPEG.
const maxFrameRate = 500;
// Timestamps rounded to milliseconds change the average by less than this; one dropped frame in a thousand changes it
// by more, and 23.976 is not 24.
const tolerance = 0.0009;

const perSecond = (rate: Ratio) => rate.numerator / rate.denominator;
const isNear = (value: number, other: number) => Math.abs(value - other) <= other * tolerance;

function plausibleRate(rate: Ratio | null): Ratio | null {
  return rate !== null && perSecond(rate) <= maxFrameRate ? rate : null;
}

/**
 * The frame rate from ffprobe's `avg_frame_rate`, the measured average, and `r_frame_rate`, the lowest rate that
 * represents all timestamps. If they agree, the second is exact (30000/1001); otherwise the rate is variable. For
 * interlaced video the second is twice the first. In doubt a rate counts as variable, because keeping timestamps does
 * not harm a constant rate.
 */
function readFrameRate(stream: ProbeObject, isInterlaced: boolean): FrameRateFacts {
  const average = plausibleRate(ratioAt(stream, 'avg_frame_rate'));
  const representable = ratioAt(stream, 'r_frame_rate');
  if (average === null) return { frameRate: plausibleRate(representable), isFrameRateVariable: false };
  if (representable === null) return { frameRate: average, isFrameRateVariable: false };
  if (isNear(perSecond(average), perSecond(representable)))
    return { frameRate: representable, isFrameRateVariable: false };
  const isHalf = isInterlaced && isNear(perSecond(average) * 2, perSecond(representable));
  return { frameRate: average, isFrameRateVariable: !isHalf };
}

/** Facts about the orientation of the stored video. */
type RotationFacts = Pick<VideoFacts, 'rotationDegrees' | 'isMirrored'>;

/**
 * The rotation that displays a stream correctly. The display matrix has all of it; ffprobe's `rotation`, which is
 * computed from the matrix, does not distinguish mirrored from rotated video. Builds before 5.0 also print the tag
 * `rotate`, which is clockwise, while `rotation` is counterclockwise. Angles are rounded to a multiple of 90 degrees.
 */
function readRotation(stream: ProbeObject): RotationFacts {
  const sideData = objectsAt(stream, 'side_data_list');
  const matrix = sideData.map((data) => matrixOf(textAt(data, 'displaymatrix'))).find((one) => one !== null);
  if (matrix) return rotationOf(matrix);
  const [counterclockwise] = sideData.flatMap((data) => numberAt(data, 'rotation') ?? []);
  const degrees = counterclockwise === undefined ? Number(tagAt(stream, 'rotate') ?? 0) : -counterclockwise;
  return { rotationDegrees: nearestQuarterTurn(degrees) };
}

/**
 * The part of a display matrix that rotates and mirrors: a stored point (x, y) is displayed at (a x + c y, b x + d y).
 */
interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** Parses the matrix that ffprobe prints: three rows of three numbers, each after the row's number and a colon. */
function matrixOf(text: string | null): Matrix | null {
  const rows = [...(text ?? '').matchAll(/^\d{8}:\s+(-?\d+)\s+(-?\d+)\s+-?\d+\s*$/gm)];
  const [[a, b] = [], [c, d] = []] = rows.map(([, first, second]) => [Number(first), Number(second)]);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return null;
  return a * d === b * c ? null : { a, b, c, d };
}

/** A mirroring matrix has a negative determinant; after swapping left and right it is a rotation. */
function rotationOf({ a, b, c, d }: Matrix): RotationFacts {
  const isMirrored = a * d < b * c;
  const degrees = (Math.atan2(isMirrored ? -b : b, isMirrored ? -a : a) * 180) / Math.PI;
  return { rotationDegrees: nearestQuarterTurn(degrees), ...(isMirrored ? { isMirrored } : {}) };
}

function nearestQuarterTurn(degrees: number): VideoFacts['rotationDegrees'] {
  const turns = ((Math.round(degrees / 90) % 4) + 4) % 4 || 0;
  return ([0, 90, 180, 270] as const)[turns] ?? 0;
}

const orientationTag = 0x0112;

/**
 * The EXIF orientation of a JPEG; 1, no rotation, by default. Not read from ffmpeg, because only some releases apply
 * the tag, and ffprobe reports the stored width and height.
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

/** The EXIF segment of a JPEG, which comes before the image data, possibly after other segments. */
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
