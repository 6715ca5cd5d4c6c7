import type { Orientation, Ratio, VideoFacts } from '../../jobs/media.js';
import {
  hasDisposition,
  numberAt,
  objectsAt,
  type ProbeObject,
  ratioAt,
  tagAt,
  textAt,
} from './probe-fields.js';
import { isCodecKnown, readStream } from './read-streams.js';

/** Whether a stream is moving pictures: cover art and the thumbnails in some files are none. */
export function isVideo(stream: ProbeObject): boolean {
  return (
    textAt(stream, 'codec_type') === 'video' &&
    !hasDisposition(stream, 'attached_pic') &&
    !hasDisposition(stream, 'timed_thumbnails')
  );
}

/** Pixels of a picture as stored; 0 where ffprobe refused to look at it. */
export function pixelsOf(stream: ProbeObject): number {
  return (numberAt(stream, 'width') ?? 0) * (numberAt(stream, 'height') ?? 0);
}

/**
 * Both of `tt` and `tb` show the top field first. By ffmpeg's documentation the second letter is the field that is shown first; but
 * ffmpeg writes `tb` and `bt` into Matroska and QuickTime for pictures that show the top, or the bottom, field first.
 */
const fieldOrders: Readonly<Record<string, VideoFacts['fieldOrder']>> = {
  progressive: 'progressive',
  tt: 'top-first',
  tb: 'top-first',
  bb: 'bottom-first',
  bt: 'bottom-first',
};

const frameCount = (stream: ProbeObject) => numberAt(stream, 'nb_frames') ?? Number.POSITIVE_INFINITY;

/** Better one first: more than a single picture, then more pixels, then the default, then more bits. */
function compareStreams(a: ProbeObject, b: ProbeObject): number {
  const isSingle = (stream: ProbeObject) => Number(frameCount(stream) === 1);
  const isDefault = (stream: ProbeObject) => Number(hasDisposition(stream, 'default'));
  return (
    isSingle(a) - isSingle(b) ||
    pixelsOf(b) - pixelsOf(a) ||
    isDefault(b) - isDefault(a) ||
    (readStream(b).bitrateKbps ?? 0) - (readStream(a).bitrateKbps ?? 0)
  );
}

/**
 * The best video stream (contract, section 11); null where there is none that can be used. `shownOrder` is the order of its fields where
 * frames tell it.
 */
export function readVideo(
  streams: readonly ProbeObject[],
  measuredFieldOrder: VideoFacts['fieldOrder'] | null = null,
): VideoFacts | null {
  const usable = streams.filter((stream) => isVideo(stream) && isCodecKnown(stream) && pixelsOf(stream) > 0);
  const [chosen] = usable.toSorted(compareStreams);
  if (chosen === undefined) return null;
  const fieldOrder = measuredFieldOrder ?? fieldOrders[textAt(chosen, 'field_order') ?? ''] ?? 'unknown';
  const frames = numberAt(chosen, 'nb_frames') ?? 0;
  const isInterlaced = fieldOrder === 'top-first' || fieldOrder === 'bottom-first';
  return {
    ...readStream(chosen),
    width: numberAt(chosen, 'width') ?? 0,
    height: numberAt(chosen, 'height') ?? 0,
    sampleAspectRatio: ratioAt(chosen, 'sample_aspect_ratio') ?? { numerator: 1, denominator: 1 },
    ...readRotation(chosen),
    ...readFrameRate(chosen, isInterlaced),
    fieldOrder,
    pixelFormat: textAt(chosen, 'pix_fmt'),
    ...(frames > 0 ? { frameCount: frames } : {}),
    ...readColours(chosen),
  };
}

/** Whether a pixel format says how much of each pixel is seen. */
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
  // WebM keeps the transparency of VP8 and VP9 beside the picture, and says so in a tag.
  const hasAlpha = isAlphaFormat(textAt(stream, 'pix_fmt') ?? '') || tagAt(stream, 'alpha_mode') === '1';
  return {
    ...(colourSpace === null ? {} : { colourSpace }),
    ...(colourTransfer === null ? {} : { colourTransfer }),
    ...(colourPrimaries === null ? {} : { colourPrimaries }),
    ...(range === undefined ? {} : { colourRange: range }),
    ...(hasAlpha ? { hasAlpha } : {}),
  };
}

/** What is known of a stream's frame rate. */
type FrameRateFacts = Pick<VideoFacts, 'frameRate' | 'isFrameRateVariable'>;

// Beyond this it is a time base that was taken for a rate: 1000/1 in ASF and FLV, 90000/1 in MPEG.
const maxFrameRate = 500;
// Times rounded to milliseconds move the average by less than this; a dropped frame in a thousand moves it by more.
const tolerance = 0.001;

const perSecond = (rate: Ratio) => rate.numerator / rate.denominator;
const isNear = (value: number, other: number) => Math.abs(value - other) <= other * tolerance;

function plausibleRate(rate: Ratio | null): Ratio | null {
  return rate !== null && perSecond(rate) <= maxFrameRate ? rate : null;
}

/**
 * Frame rate out of ffprobe's two: `avg_frame_rate`, which counts, and `r_frame_rate`, the least rate that all times fit
 * into. Where they agree the second is the exact one (30000/1001); where they do not, times are uneven. A stream of fields has
 * the second at double the first. In doubt a rate counts as variable, since keeping times does no harm to even ones.
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

/** How a picture stands in its file. */
type RotationFacts = Pick<VideoFacts, 'rotationDegrees' | 'isMirrored'>;

/**
 * How a stream's picture is made upright. The display matrix says it all; ffprobe's `rotation`, which is computed from it, does not tell a
 * mirrored picture from a turned one. Builds before 5.0 print the tag `rotate` too, which turns clockwise, while `rotation` turns
 * counterclockwise. What is between two right angles counts as the nearer one.
 */
function readRotation(stream: ProbeObject): RotationFacts {
  const sideData = objectsAt(stream, 'side_data_list');
  const matrix = sideData.map((data) => matrixOf(textAt(data, 'displaymatrix'))).find((one) => one !== null);
  if (matrix) return rotationOf(matrix);
  const [counterclockwise] = sideData.flatMap((data) => numberAt(data, 'rotation') ?? []);
  const degrees = counterclockwise === undefined ? Number(tagAt(stream, 'rotate') ?? 0) : -counterclockwise;
  return { rotationDegrees: nearestQuarterTurn(degrees) };
}

/** The part of a display matrix that turns and mirrors: a stored point (x, y) is shown at (a x + c y, b x + d y). */
interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** Reads the three rows of three numbers that ffprobe prints, each row after its number and a colon. */
function matrixOf(text: string | null): Matrix | null {
  const rows = [...(text ?? '').matchAll(/^\d{8}:\s+(-?\d+)\s+(-?\d+)\s+-?\d+\s*$/gm)];
  const [[a, b] = [], [c, d] = []] = rows.map(([, first, second]) => [Number(first), Number(second)]);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return null;
  return a * d === b * c ? null : { a, b, c, d };
}

/** A matrix that mirrors has a determinant below zero. What is left of it once left and right are exchanged only turns. */
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
