import { resolve } from 'node:path';
import { fileArgument, safeInputOptions } from '../plan/safe-input.js';
import type { Binary, DisplayMoment } from './ffmpeg-types.js';
import { launch } from './launch.js';
import type { ProbeSettings } from './run-ffprobe.js';

/** So many frames after the moment are enough: no codec reorders more. */
const maxReorderedFrames = 17;

/** Finds a frame by its moment as promised by `Ffmpeg.frameOnScreen`. Reads from the keyframe before the moment to shortly behind it. */
export async function findDisplayedFrame(
  ffprobe: Binary,
  path: string,
  { streamIndex, seconds }: DisplayMoment,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const stopReading = new AbortController();
  const limit = AbortSignal.timeout(settings.seconds * 1000);
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', String(streamIndex)],
    ...['-read_intervals', `${seconds.toFixed(6)}%`, '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
    fileArgument(resolve(path)),
  ];
  let [rest, displayedFrame, laterFrame] = ['', Number.NEGATIVE_INFINITY, 0];
  await launch(ffprobe.path, args, {
    parentDeathWrapper: settings.parentDeathWrapper,
    signal: AbortSignal.any([stopReading.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const frameStarts of lines.map(Number.parseFloat).filter(Number.isFinite)) {
        if (frameStarts <= seconds) displayedFrame = Math.max(displayedFrame, frameStarts);
        else laterFrame += 1;
      }
      if (laterFrame >= maxReorderedFrames) stopReading.abort();
    },
  });
  return Number.isFinite(displayedFrame) ? displayedFrame : null;
}
