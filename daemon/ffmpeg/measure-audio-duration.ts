import { resolve } from 'node:path';
import { fileArgument, safeInputOptions } from '../plan/safe-input.js';
import type { Binary } from './ffmpeg-types.js';
import { launch } from './launch.js';

const args = [
  ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', 'a:0'],
  ...['-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0'],
] as const;

/**
 * How long the first sound of a file lasts, in seconds, from its first packet to the end of its last: all of them are read. Null where
 * that cannot be found out in the time there is.
 */
export async function measureAudioDuration(
  ffprobe: Binary,
  path: string,
  { parentDeathWrapper }: { readonly parentDeathWrapper: readonly string[] },
  signal: AbortSignal,
): Promise<number | null> {
  let [rest, first, last] = ['', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const exit = await launch(ffprobe.path, [...args, fileArgument(resolve(path))], {
    parentDeathWrapper,
    signal,
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [start = Number.NaN, length = Number.NaN] = line.split(',').map(Number.parseFloat);
        if (!Number.isFinite(start + length)) continue;
        first = Math.min(first, start);
        last = Math.max(last, start + length);
      }
    },
  });
  return exit.exitCode === 0 && last > first ? last - first : null;
}
