import type { VideoFacts } from '../jobs/media.js';
import { safeInputOptions } from '../plan/safe-input.js';
import type { Binary } from './ffmpeg-types.js';
import { numberAt, objectsAt, parseProbe } from './probe-fields.js';
import { readFfprobeOutput } from './run-ffprobe.js';

type FieldOrder = VideoFacts['fieldOrder'];

/** Frames looked at in a place of the file: the first ones, and as many in its middle. */
const sampleFrames = 8;
/** Codecs of which each frame is whole, although their streams do not say so. */
const progressiveCodecs: ReadonlySet<string> = new Set([
  ...['vp8', 'vp9', 'av1', 'theora', 'h263', 'flv1', 'mpeg1video', 'gif'],
]);

/** Whether the frames have to be asked for the order of their fields: not where the stream says that there are none. */
export function mayBeInterlaced({ codec, fieldOrder }: VideoFacts): boolean {
  return fieldOrder !== 'progressive' && !progressiveCodecs.has(codec);
}

/**
 * The order of a picture's fields by the flags of a few decoded frames. Null where these do not tell. Measured on PAL of 720x576: 0.17 s of
 * processor time for H.264, 0.14 s for DV.
 */
export async function detectFieldOrder(
  ffprobe: Binary,
  path: string,
  media: { readonly video: VideoFacts; readonly durationSeconds: number | null },
  options: { readonly parentDeathWrapper: readonly string[]; readonly signal: AbortSignal },
): Promise<FieldOrder | null> {
  const { video, durationSeconds } = media;
  const middle = durationSeconds === null ? '' : `,${Math.floor(durationSeconds / 2)}%+#${sampleFrames}`;
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-print_format', 'json'],
    ...['-select_streams', String(video.streamIndex), '-read_intervals', `%+#${sampleFrames}${middle}`],
    ...['-show_entries', 'frame=interlaced_frame,top_field_first'],
  ];
  return parseFieldOrder(await readFfprobeOutput(ffprobe, args, path, options), video.fieldOrder);
}

/**
 * The order that most frames tell by their flags; `declared`, which the stream tells, where the flags contradict each other, as those of
 * x265 do. Null where most frames have no such flag: many a stream that rightly says that it is interlaced does not flag its frames.
 */
export function parseFieldOrder(json: string, declared: FieldOrder): FieldOrder | null {
  const frames = objectsAt(parseProbe(json), 'frames');
  const flagged = frames.filter((frame) => numberAt(frame, 'interlaced_frame') === 1);
  if (flagged.length === 0 || flagged.length * 2 < frames.length) return null;
  const topFirst = flagged.filter((frame) => numberAt(frame, 'top_field_first') === 1).length;
  const isUnanimous = topFirst === 0 || topFirst === flagged.length;
  if (!isUnanimous && declared !== 'unknown') return declared;
  return topFirst * 2 >= flagged.length ? 'top-first' : 'bottom-first';
}
