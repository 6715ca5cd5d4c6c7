import { limitSignal } from '../../../src/shared/util/freezer.js';
import type { FrameShape, FrameShapes, MediaFacts } from '../../jobs/media.js';
import type { Capabilities } from '../../plan/plan-types.js';
import { mediaStartSeconds } from '../../plan/thumbnails.js';
import { isOtherShape } from '../../plan/write/shapes.js';
import type { Binary } from '../ffmpeg-types.js';
import { entryArgs, type ProbeSettings, readFfprobeOutput } from './run-ffprobe.js';

/**
 * Whether an ffmpeg gives all frames the shape of pixels of the first: since 7.0, and perhaps one without a version
 * number.
 */
export function hidesShapes({ version, hasFpsMode }: Pick<Capabilities, 'version' | 'hasFpsMode'>): boolean {
  // Builds without `-fps_mode` are from before 5.1, and cannot choose a size by the time of a frame.
  return version === null ? hasFpsMode : version >= 7;
}

/**
 * Formats whose streams may change the shape of their pixels and have timestamps. In others, the container states one
 * shape.
 */
const changingFormats: ReadonlySet<string> = new Set(['mpeg-ts', 'mpeg-ps']);

/** Implements `Ffmpeg.listShapes`. */
export async function listShapes(
  ffprobe: Binary,
  path: string,
  media: MediaFacts,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<FrameShapes | null> {
  const { video, format, analysis } = media;
  if (video === null || !changingFormats.has(format)) return null;
  const limit = limitSignal(settings.seconds * 1000);
  const entries = 'frame=best_effort_timestamp_time,width,height,sample_aspect_ratio';
  const args = ['-skip_frame', 'nokey', ...entryArgs(entries, video.streamIndex, analysis)];
  const output = await readFfprobeOutput(ffprobe, args, path, {
    settings,
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  return limit.aborted ? null : changesOf(output, mediaStartSeconds(media));
}

/** The shapes of frames; null if the shape of the pixels does not change. */
export function changesOf(csv: string, startSeconds: number): FrameShapes | null {
  const frames: FrameShape[] = [];
  let [latest, isOrdered] = [Number.NEGATIVE_INFINITY, true];
  for (const line of csv.split('\n')) {
    const [, time, width, height, numerator, denominator] =
      /^([\d.]+),(\d+),(\d+),(\d+):(\d+)/.exec(line) ?? [];
    if (time === undefined) continue;
    const frame: FrameShape = {
      ...{ seconds: Number(time) - startSeconds, width: Number(width), height: Number(height) },
      ratio: { numerator: Number(numerator), denominator: Number(denominator) },
    };
    isOrdered &&= frame.seconds > latest;
    latest = frame.seconds;
    const last = frames.at(-1);
    if (last === undefined || isOtherShape(last, frame)) frames.push(frame);
  }
  const ratios = new Set(frames.map(({ ratio }) => ratio.numerator / ratio.denominator));
  return ratios.size < 2 ? null : { frames, isOrdered };
}
