import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testFfmpeg } from '../helpers/media.js';

/** An encoded frame of a file, in decoding order. */
export interface Packet {
  readonly seconds: number;
  readonly bits: number;
  readonly isKey: boolean;
}

interface Listed {
  readonly packets: readonly { readonly pts_time?: string; readonly size: string; readonly flags: string }[];
}

/** The packets of a stream of a file, by default of its video, as reported by ffprobe. */
export async function packets(path: string, stream: 'v:0' | 'a:0' = 'v:0'): Promise<readonly Packet[]> {
  const { ffprobe } = await testFfmpeg();
  const fields = ['-show_entries', 'packet=pts_time,size,flags', '-of', 'json'];
  const { stdout } = await promisify(execFile)(
    ffprobe.path,
    ['-v', 'error', '-select_streams', stream, ...fields, path],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  // The format is known, and a wrong assumption fails the test.
  const { packets } = JSON.parse(stdout) as Listed;
  return packets.map(({ pts_time, size, flags }) => ({
    seconds: Number(pts_time),
    bits: Number(size) * 8,
    isKey: flags.includes('K'),
  }));
}

/** The frame times in display order. */
export function moments(all: readonly Packet[]): readonly number[] {
  return all.map(({ seconds }) => seconds).toSorted((one, other) => one - other);
}

/** The maximum number of frames from one keyframe to the next, or to the end. */
export function keyframeDistance(all: readonly Packet[]): number {
  const shown = all.toSorted((one, other) => one.seconds - other.seconds);
  const keys = shown.flatMap(({ isKey }, at) => (isKey ? [at] : []));
  return Math.max(...keys.map((at, index) => (keys[index + 1] ?? shown.length) - at));
}

/** The size in kilobits of a buffer that is filled at a constant `kbps` and delivers every frame in time. */
export function bufferNeeded(all: readonly Packet[], kbps: number, framesPerSecond: number): number {
  let filled = 0;
  let max = 0;
  for (const { bits } of all) {
    filled += bits / 1000;
    max = Math.max(max, filled);
    filled = Math.max(0, filled - kbps / framesPerSecond);
  }
  return max;
}
