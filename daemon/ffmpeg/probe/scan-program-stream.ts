import { scanFile } from './scan-file.js';
import { ProgramClock } from './scan-transport-stream.js';

const startCode = Buffer.from([0, 0, 1]);
/**
 * The first values of the byte after the start code of a pack, of other headers, and of a stream of audio and of video.
 */
const codes = { pack: 0xba, header: 0xbb, audio: 0xc0, lastVideo: 0xef, private: 0xbd } as const;
/** As much of a packet as has its timestamps. */
const headBytes = 19;
/**
 * Times that are earlier than the one before by less are of frames that are decoded in another order, in ticks of 90
 * kHz.
 */
const maxReorderTicks = 90_000;

/**
 * The duration in seconds of an MPEG-2 programme stream whose timestamps jump, as in DVD files joined with `cat`; null
 * if they do not, or the file cannot be read. ffprobe reports the difference between the first and the last one. The
 * decoding times of one stream are added up: the clock of the packs begins earlier in each part.
 */
export async function measureJoinedProgramStream(path: string, signal: AbortSignal): Promise<number | null> {
  const clock = new ProgramClock();
  let stream: number | null = null;
  let last = 0;
  const isRead = await scanFile(path, signal, (bytes) => {
    let at = 0;
    while (at + headBytes <= bytes.length) {
      if (bytes.compare(startCode, 0, startCode.length, at, at + startCode.length) !== 0) {
        const next = bytes.indexOf(startCode, at);
        at = next === -1 ? bytes.length - startCode.length + 1 : next;
        continue;
      }
      const code = bytes[at + 3] ?? 0;
      const isStream = code === codes.private || (code >= codes.audio && code <= codes.lastVideo);
      const ticks = isStream && (stream ?? code) === code ? decodingTime(bytes, at) : null;
      if (ticks !== null && (ticks >= last || ticks < last - maxReorderTicks)) {
        stream = code;
        last = ticks;
        clock.add(code, ticks);
      }
      // A pack ends with stuffing, which has no start code.
      at += code >= codes.header ? 6 + bytes.readUInt16BE(at + 4) : 4;
    }
    return at;
  });
  return isRead && clock.hasJumped ? clock.seconds : null;
}

/** The decoding time of a packet, or its presentation time if it has only that, in ticks; null if it has none. */
function decodingTime(bytes: Buffer, at: number): number | null {
  const flags = bytes[at + 7] ?? 0;
  if (((bytes[at + 6] ?? 0) & 0xc0) !== 0x80 || (flags & 0x80) === 0) return null;
  const from = at + ((flags & 0x40) === 0 ? 9 : 14);
  const high = ((bytes[from] ?? 0) >> 1) & 7;
  return high * 2 ** 30 + (bytes.readUInt16BE(from + 1) >> 1) * 2 ** 15 + (bytes.readUInt16BE(from + 3) >> 1);
}
