import { resolve } from 'node:path';
import { limitSignal } from '../../../src/shared/util/freezer.js';
import { LineReader } from '../../../src/shared/util/line-reader.js';
import type { Analysis } from '../../jobs/media.js';
import type { CopiedClip, CopyStart } from '../../plan/plan-types.js';
import { safeInputArgs } from '../../plan/safe-input.js';
import { secondsArgument } from '../../plan/write/input.js';
import { probeLimits } from '../containment/program-limits.js';
import type { Binary } from '../ffmpeg-types.js';
import { launch } from '../launch.js';
import type { ProbeSettings } from './run-ffprobe.js';

/**
 * Implements `Ffmpeg.findCopyStart`: copies to a list of packets until the first one of the video. ffprobe seeks
 * differently: for 4 seconds in a Matroska file, ffmpeg copied from 2.02 and ffprobe read from 4.02.
 */
export async function findCopyStart(
  ffmpeg: Binary,
  path: string,
  { streams, seconds }: CopiedClip,
  analysis: Analysis | undefined,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<CopyStart | null> {
  const file = resolve(path);
  const args = [
    ...['-v', 'error', '-hide_banner', '-nostdin', '-ss', secondsArgument(seconds)],
    ...safeInputArgs(file, analysis),
    ...streams.flatMap((index) => ['-map', `0:${index}`]),
    ...['-c', 'copy', '-avoid_negative_ts', 'disabled', '-flush_packets', '1', '-f', 'framecrc', '-'],
  ];
  const stopReading = new AbortController();
  const limit = limitSignal(settings.seconds * 1000);
  const timeBases = new Map<string, number>();
  let [first, video] = [Number.POSITIVE_INFINITY, Number.NaN];
  const reader = new LineReader((line) => {
    const [, stream, numerator, denominator] = /^#tb (\d+): (\d+)\/(\d+)/.exec(line) ?? [];
    if (stream !== undefined) timeBases.set(stream, Number(numerator) / Number(denominator));
    const [, index, decoded, shown] = /^(\d+), *(-?\d+), *(-?\d+),/.exec(line) ?? [];
    if (index === undefined || !Number.isNaN(video)) return;
    const timeBase = timeBases.get(index) ?? Number.NaN;
    first = Math.min(first, Number(decoded) * timeBase);
    if (index !== '0') return;
    video = Number(shown) * timeBase;
    stopReading.abort();
  });
  await launch(ffmpeg.path, args, {
    ...{ containment: settings.containment, meter: settings.meter, program: 'ffmpeg' },
    limits: probeLimits(settings.memoryBytes),
    access: { folder: null, inputs: [file] },
    signal: AbortSignal.any([stopReading.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => reader.add(text),
  });
  return Number.isFinite(first + video)
    ? { videoSeconds: seconds + video, firstSeconds: seconds + first }
    : null;
}
