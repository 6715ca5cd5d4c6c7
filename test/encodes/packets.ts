import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testFfmpeg } from '../helpers/media.js';

/** One picture of a file, still packed, in the order of decoding. */
export interface Packet {
  readonly seconds: number;
  readonly bits: number;
  readonly isKey: boolean;
}

interface Listed {
  readonly packets: readonly { readonly pts_time?: string; readonly size: string; readonly flags: string }[];
}

/** The packets of a file's picture, as ffprobe tells them. */
export async function packets(path: string): Promise<readonly Packet[]> {
  const { ffprobe } = await testFfmpeg();
  const fields = ['-show_entries', 'packet=pts_time,size,flags', '-of', 'json'];
  const { stdout } = await promisify(execFile)(
    ffprobe.path,
    ['-v', 'error', '-select_streams', 'v:0', ...fields, path],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  // What ffprobe writes is known, and a wrong guess fails the test.
  const { packets } = JSON.parse(stdout) as Listed;
  return packets.map(({ pts_time, size, flags }) => ({
    seconds: Number(pts_time),
    bits: Number(size) * 8,
    isKey: flags.includes('K'),
  }));
}

/** The moments of the pictures in the order of showing. */
export function moments(all: readonly Packet[]): readonly number[] {
  return all.map(({ seconds }) => seconds).toSorted((one, other) => one - other);
}

/** The most frames from one keyframe to the next, or to the end. */
export function keyframeDistance(all: readonly Packet[]): number {
  const shown = all.toSorted((one, other) => one.seconds - other.seconds);
  const keys = shown.flatMap(({ isKey }, at) => (isKey ? [at] : []));
  return Math.max(...keys.map((at, index) => (keys[index + 1] ?? shown.length) - at));
}

/** How many kilobits a buffer must hold that is filled at `kbps` all the time, so that no picture comes late. */
export function bufferNeeded(all: readonly Packet[], kbps: number, framesPerSecond: number): number {
  let filled = 0;
  let most = 0;
  for (const { bits } of all) {
    filled += bits / 1000;
    most = Math.max(most, filled);
    filled = Math.max(0, filled - kbps / framesPerSecond);
  }
  return most;
}
