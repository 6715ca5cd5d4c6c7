import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessPoint } from '../../daemon/packaging/segments.js';
import { TransportStreamScanner } from '../../daemon/packaging/transport-stream.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** H.264 with B-frames and a keyframe each second, or at each forced time. */
const video = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-pix_fmt', 'yuv420p'],
  ...['-force_key_frames', 'expr:gte(t,n_forced)', '-sc_threshold', '0'],
];

/** Scans bytes that arrive in pieces of a size. */
function scan(bytes: Uint8Array, pieceBytes: number) {
  const points: AccessPoint[] = [];
  const scanner = new TransportStreamScanner((point) => points.push(point));
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.push(bytes.subarray(at, at + pieceBytes));
  return { points, end: scanner.end(0.04) };
}

/** The packets of a stream, as ffprobe reads them. */
async function packetsOf(path: string, stream: 'v' | 'a') {
  const { ffprobe } = await testFfmpeg();
  const entries = 'packet=pts_time,duration_time,flags,pos';
  const { stdout } = await promisify(execFile)(
    ffprobe.path,
    ['-v', 'error', '-select_streams', stream, '-show_entries', entries, '-of', 'json', path],
    { maxBuffer: 1 << 24 },
  );
  const { packets } = JSON.parse(stdout) as {
    packets: readonly { pts_time: string; duration_time: string; flags: string; pos: string }[];
  };
  return packets.map(({ pts_time, duration_time, flags, pos }) => ({
    seconds: Number(pts_time),
    endSeconds: Number(pts_time) + Number(duration_time),
    isKeyframe: flags.startsWith('K'),
    position: Number(pos),
  }));
}

for (const [name, args] of [
  ['video.ts', [...testVideo('160x120', 25, 5), ...testTone(5), ...video, '-c:a', 'aac']],
  ['wrapped.ts', [...testVideo('160x120', 30, 3), ...video, '-output_ts_offset', '95442']],
] as const) {
  test(`the access points of ${name} are its keyframes, whatever the size of the pieces`, async () => {
    const path = join(tempFolder(), name);
    await makeMedia(path, args);
    const bytes = await readFile(path);
    const packets = await packetsOf(path, 'v');
    const first = Math.min(...packets.map(({ seconds }) => seconds));
    const last = Math.max(...packets.map(({ endSeconds }) => endSeconds));
    const keyframes = packets.filter(({ isKeyframe }) => isKeyframe);
    for (const pieceBytes of [bytes.length, 1000, 187]) {
      const { points, end } = scan(bytes, pieceBytes);
      const start = points[0]?.seconds ?? 0;
      assert.equal(
        points.map(({ seconds }) => (seconds - start).toFixed(3)),
        keyframes.map(({ seconds }) => (seconds - first).toFixed(3)),
      );
      const duration = (end.endSeconds ?? 0) - start;
      assert.ok(Math.abs(duration - (last - first)) < 0.001, `${duration} is not ${last - first}`);
    }
  });
}

test.run();
