import { resolve } from 'node:path';
import { fileArgument, safeInputOptions } from '../plan/safe-input.js';
import type { Binary, MeasuredVideo } from './ffmpeg-types.js';
import { launch } from './launch.js';
import type { ProbeSettings } from './run-ffprobe.js';

const args = [
  ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', 'v:0'],
  ...['-show_entries', 'packet=pts_time,size', '-of', 'csv=p=0'],
] as const;

/** Measures the picture of a file as promised by `Ffmpeg.measureVideo`. */
export async function measureVideo(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<MeasuredVideo | null> {
  let [rest, bytes, packets, first, last] = ['', 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const exit = await launch(ffprobe.path, [...args, fileArgument(resolve(path))], {
    parentDeathWrapper: settings.parentDeathWrapper,
    signal: AbortSignal.any([signal, AbortSignal.timeout(settings.seconds * 1000)]),
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [seconds, size] = line.split(',').map(Number.parseFloat);
        if (seconds === undefined || size === undefined || !Number.isFinite(seconds + size)) continue;
        bytes += size;
        packets += 1;
        first = Math.min(first, seconds);
        last = Math.max(last, seconds);
      }
    },
  });
  if (exit.exitCode !== 0 || packets < 2 || last <= first) return null;
  // The last frame is taken to be shown as long as the others are on average.
  const seconds = ((last - first) * packets) / (packets - 1);
  return { seconds, kbps: (bytes * 8) / 1000 / seconds };
}
