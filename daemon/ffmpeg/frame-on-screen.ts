import { resolve } from 'node:path';
import { fileArgument, safeInputOptions } from '../plan/safe-input.js';
import type { Binary, ScreenMoment } from './ffmpeg-types.js';
import { launch } from './launch.js';
import type { ProbeSettings } from './look-at.js';

/** So many frames after the moment are enough: no codec reorders more. */
const mostReordered = 17;

/** Finds a frame by its moment as promised by `Ffmpeg.frameOnScreen`. Reads from the keyframe before the moment to shortly behind it. */
export async function frameOnScreen(
  ffprobe: Binary,
  path: string,
  { streamIndex, seconds }: ScreenMoment,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const enough = new AbortController();
  const limit = AbortSignal.timeout(settings.seconds * 1000);
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', String(streamIndex)],
    ...['-read_intervals', `${seconds.toFixed(6)}%`, '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
    fileArgument(resolve(path)),
  ];
  let [rest, found, later] = ['', Number.NEGATIVE_INFINITY, 0];
  await launch(ffprobe.path, args, {
    guardian: settings.guardian,
    signal: AbortSignal.any([enough.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const begins of lines.map(Number.parseFloat).filter(Number.isFinite)) {
        if (begins <= seconds) found = Math.max(found, begins);
        else later += 1;
      }
      if (later >= mostReordered) enough.abort();
    },
  });
  return Number.isFinite(found) ? found : null;
}
