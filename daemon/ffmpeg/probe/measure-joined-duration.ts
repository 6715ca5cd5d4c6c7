import { createReadStream } from 'node:fs';

/** Bytes of a packet: plain, behind a time stamp (M2TS), and in front of a checksum. */
const packetSizes = [188, 192, 204] as const;
const syncByte = 0x47;
/** The program clock (PCR): ticks a second, and after how many it begins again at 0. */
const ticksPerSecond = 90_000;
const wrapTicks = 2 ** 33;
/** ffmpeg keeps a gap up to this long. What lies further apart, or goes back, it joins without one. */
const maxGapTicks = 10 * ticksPerSecond;

/**
 * How many seconds a transport stream lasts whose clock jumps, as in recordings that were joined with `cat`; null where it does not
 * jump, or where the file cannot be read as such a stream. For its length ffprobe takes the difference of its last and first times, which may be
 * hours for seconds. The whole file is read, and of each packet a few bytes.
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

/** Adds up how far the clock of a stream goes, without its jumps. */
class ProgramClock {
  hasJumped = false;
  #ticks = 0;
  #last: { readonly pid: number; readonly ticks: number } | null = null;

  get seconds(): number {
    return this.#ticks / ticksPerSecond;
  }

  /** Takes the next time, of the stream of packets that a number stands for. Other streams' clocks do not count while that one goes on. */
  add(pid: number, ticks: number): void {
    const last = this.#last;
    this.#last = { pid, ticks };
    if (last === null) return;
    const elapsedTicks = (ticks - last.ticks + wrapTicks) % wrapTicks;
    if (elapsedTicks <= maxGapTicks && pid === last.pid) this.#ticks += elapsedTicks;
    else this.hasJumped = true;
  }
}

/** Where the first packet begins and how long packets are; null where five of them do not follow one another. */
function layoutOf(bytes: Buffer): { readonly first: number; readonly packetSize: number } | null {
  for (const packetSize of packetSizes) {
    for (let first = 0; first < packetSize; first += 1) {
      const matches = [0, 1, 2, 3, 4].every((count) => bytes[first + count * packetSize] === syncByte);
      if (matches) return { first, packetSize };
    }
  }
  return null;
}

/** Reads the clock in whole packets and gives the place behind them. Where a packet is damaged, the next one is looked for. */
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
