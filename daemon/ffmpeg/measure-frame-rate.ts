import type { Ratio, VideoFacts } from '../jobs/media.js';
import { safeInputOptions } from '../plan/safe-input.js';
import type { Binary } from './ffmpeg-types.js';
import { readFfprobeOutput } from './run-ffprobe.js';

const microsecondsPerSecond = 1_000_000;

/**
 * The frame rate of a video whose frames are not evenly spaced: the intervals between its first and its last frame, by the time between
 * them. ffprobe's average includes the duration of the last frame, and a frame that is held at the end lowers it (6.4 for 7.2). Only the
 * first packet and those after the last keyframe are read. Null where the file does not tell how many frames it has, or the times do not
 * tell a rate.
 */
export async function measureFrameRate(
  ffprobe: Binary,
  path: string,
  { streamIndex, frameCount = 0 }: VideoFacts,
  options: { readonly parentDeathWrapper: readonly string[]; readonly signal: AbortSignal },
): Promise<Ratio | null> {
  if (frameCount < 2) return null;
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', String(streamIndex)],
    // A time after the end: ffprobe reads from the last keyframe.
    ...['-read_intervals', '%+#1,999999999%', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
  ];
  const json = await readFfprobeOutput(ffprobe, args, path, options);
  const times = json.split('\n').map(Number.parseFloat).filter(Number.isFinite);
  const microseconds = Math.round((Math.max(...times) - Math.min(...times)) * microsecondsPerSecond);
  return times.length < 2 || microseconds <= 0
    ? null
    : { numerator: (frameCount - 1) * microsecondsPerSecond, denominator: microseconds };
}
