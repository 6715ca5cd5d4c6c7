import { createReadStream } from 'node:fs';

/** Packet sizes in bytes: plain, with a preceding timestamp (M2TS), and with a trailing checksum. */
const packetSizes = [188, 192, 204] as const;
const syncByte = 0x47;
/** The program clock reference (PCR): ticks per second, and the value at which it wraps to 0. */
const ticksPerSecond = 90_000;
const wrapTicks = 2 ** 33;
/** ffmpeg keeps gaps up to this long. It joins parts that are further apart, or whose clock goes back, without a gap. */
const maxGapTicks = 10 * ticksPerSecond;

/**
 * The duration in seconds of a transport stream whose clock jumps, as in recordings joined with `cat`; null if the clock does not jump, or
 * if the file is not readable as a transport stream. ffprobe reports the difference between the last and first timestamps, which may be
 * hours for a file of seconds. Reads the whole file, and parses a few bytes of each packet.
 */
export async function measureJoinedDuration(path: string, signal: AbortSignal): Promise<number | null> {
  const clock = new ProgramClock();
  let rest: Buffer = Buffer.alloc(0);
  let packetSize: number | null = null;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
      let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (packetSize === null) {
        const layout = layoutOf(bytes);
        if (layout === null) return null;
        packetSize = layout.packetSize;
        bytes = bytes.subarray(layout.first);
      }
      rest = bytes.subarray(readPackets(bytes, packetSize, clock));
    }
  } catch {
    return null;
  }
  return clock.hasJumped ? clock.seconds : null;
}

/** Adds up the time of a clock without its jumps. */
class ProgramClock {
  hasJumped = false;
  #ticks = 0;
  #last: { readonly pid: number; readonly ticks: number } | null = null;

  get seconds(): number {
    return this.#ticks / ticksPerSecond;
  }

  /** Adds the next clock value of a packet stream. A value of another stream counts as a jump. */
  add(pid: number, ticks: number): void {
    const last = this.#last;
    this.#last = { pid, ticks };
    if (last === null) return;
    const elapsedTicks = (ticks - last.ticks + wrapTicks) % wrapTicks;
    if (elapsedTicks <= maxGapTicks && pid === last.pid) this.#ticks += elapsedTicks;
    else this.hasJumped = true;
  }
}

/** The offset of the first packet and the packet size; null unless five packets follow one another. */
function layoutOf(bytes: Buffer): { readonly first: number; readonly packetSize: number } | null {
  for (const packetSize of packetSizes) {
    for (let first = 0; first < packetSize; first += 1) {
      const matches = [0, 1, 2, 3, 4].every((count) => bytes[first + count * packetSize] === syncByte);
      if (matches) return { first, packetSize };
    }
  }
  return null;
}

/** Reads the clocks of complete packets and returns the offset after them. Skips damaged packets. */
function readPackets(bytes: Buffer, packetSize: number, clock: ProgramClock): number {
  let at = 0;
  while (at + packetSize <= bytes.length) {
    if (bytes[at] !== syncByte) {
      at += 1;
      continue;
    }
    const hasClock =
      ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) >= 7 && ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    if (hasClock) {
      const pid = bytes.readUInt16BE(at + 1) & 0x1fff;
      clock.add(pid, bytes.readUInt32BE(at + 6) * 2 + ((bytes[at + 10] ?? 0) >> 7));
    }
    at += packetSize;
  }
  return at;
}
