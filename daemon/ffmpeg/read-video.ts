import type { VideoFacts } from '../jobs/media.js';
import { hasDisposition, numberAt, type ProbeObject, ratioAt, tagAt, textAt } from './probe-fields.js';
import { readFrameRate } from './read-frame-rate.js';
import { readRotation } from './read-rotation.js';
import { isCodecKnown, readStream } from './read-stream.js';

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
