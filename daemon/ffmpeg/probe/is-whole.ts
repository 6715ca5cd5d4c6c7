import { limitSignal } from '../../../src/shared/util/freezer.js';
import { LineReader } from '../../../src/shared/util/line-reader.js';
import type { Binary } from '../ffmpeg-types.js';
import { declaredBytes } from './file-end.js';
import { isMp4 } from './formats.js';
import { explainBoxes } from './mp4-boxes.js';
import { entryArgs, launchFfprobe, type ProbeSettings, readHead } from './run-ffprobe.js';
import { withFile } from './scan-file.js';

/** The last packet may end so much before the declared end: subtitles, for example, are not all read. */
const maxGapSeconds = 1;

/**
 * Implements `Ffmpeg.isWhole`. Reads the header, and the packets from the last keyframe on. ffprobe reports an error if
 * the file ends within a packet, or lacks packets of its index.
 */
export async function isWhole(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const { head, sizeBytes } = await readHead(path);
  const isStream = head[0] === 0x47 && head[packetBytes] === 0x47;
  if (sizeBytes === 0 || (declaredBytes(head) ?? 0) > sizeBytes) return false;
  if (isStream && sizeBytes % packetBytes !== 0) return false;
  if (isMp4(head) && (await explainBoxes(path, sizeBytes)) !== null) return false;
  if (isOgg(head) && !(await hasLastPage(path, sizeBytes))) return false;
  const found = { start: 0, duration: 0, end: Number.NEGATIVE_INFINITY };
  const reader = new LineReader((line) => {
    const [section, ...texts] = line.split(',');
    const [first = Number.NaN, second = Number.NaN, length = 0] = texts.map(Number.parseFloat);
    if (section === 'format') {
      found.start = first || 0;
      found.duration = second || 0;
    } else found.end = Math.max(found.end, ((Number.isFinite(first) ? first : second) || 0) + (length || 0));
  });
  const entries = 'packet=pts_time,dts_time,duration_time:format=start_time,duration';
  // For a time after the end, ffprobe reads from the last keyframe.
  const args = [...entryArgs(entries), '-of', 'csv', '-read_intervals', '999999999%'];
  const exit = await launchFfprobe(ffprobe, args, path, {
    settings,
    signal: AbortSignal.any([signal, limitSignal(settings.seconds * 1000)]),
    onStdout: (text) => reader.add(text),
  });
  if (exit.exitCode !== 0 || exit.stderr.trim() !== '') return false;
  // Some versions of ffprobe find no packet of a transport stream that way. It declares no length.
  return isStream || found.end - found.start >= found.duration - maxGapSeconds;
}

/** Those of a transport stream. */
const packetBytes = 188;

function isOgg(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'OggS';
}

/** A page has at most this size. */
const maxPageBytes = 65_307;

/** Whether the last page of an Ogg file is marked as the last one of its track. */
function hasLastPage(path: string, sizeBytes: number): Promise<boolean> {
  return withFile(path, async (file) => {
    const length = Math.min(sizeBytes, maxPageBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, sizeBytes - length);
    const page = buffer.lastIndexOf('OggS');
    return page >= 0 && ((buffer[page + 5] ?? 0) & 4) !== 0;
  });
}
