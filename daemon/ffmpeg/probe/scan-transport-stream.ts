import { scanFile } from './scan-file.js';

/** Packet sizes in bytes: plain, with a preceding timestamp (M2TS), and with a trailing checksum. */
const packetSizes = [188, 192, 204] as const;
const syncByte = 0x47;
/** The program clock reference (PCR): ticks per second, and the value at which it wraps to 0. */
const ticksPerSecond = 90_000;
const wrapTicks = 2 ** 33;
/**
 * ffmpeg keeps gaps up to this long. It joins parts that are further apart, or whose clock goes back, without a gap.
 */
const maxGapTicks = 10 * ticksPerSecond;

/** What the headers of all packets of a transport stream show. */
interface TransportStreamFacts {
  /**
   * The duration without the jumps of the clock, as in recordings joined with `cat`; null if the clock does not jump.
   */
  readonly joinedSeconds: number | null;
  /** Where packets are missing for the first time, in seconds from the start; null if none are. */
  readonly lossSeconds: number | null;
}

/**
 * Reads all packet headers of a transport stream; null if the file is not readable as one. For a stream whose clock
 * jumps, ffprobe reports the difference between the last and first timestamps, which may be hours for a file of
 * seconds. Missing packets are only mentioned by some versions of ffmpeg.
 */
export async function scanTransportStream(
  path: string,
  signal: AbortSignal,
): Promise<TransportStreamFacts | null> {
  const clock = new ProgramClock();
  const counters = new ContinuityCounters();
  let packetSize: number | null = null;
  const isRead = await scanFile(path, signal, (bytes) => {
    if (packetSize !== null) return readPackets(bytes, packetSize, clock, counters);
    const layout = layoutOf(bytes);
    if (layout === null) return null;
    packetSize = layout.packetSize;
    return layout.first + readPackets(bytes.subarray(layout.first), packetSize, clock, counters);
  });
  if (!isRead) return null;
  return { joinedSeconds: clock.hasJumped ? clock.seconds : null, lossSeconds: clock.lossSeconds };
}

/** Adds up the time of a clock of 33 bits and 90 kHz without its jumps. */
export class ProgramClock {
  hasJumped = false;
  lossSeconds: number | null = null;
  #ticks = 0;
  #last: { readonly pid: number; readonly ticks: number } | null = null;
  #hasLoss = false;

  get seconds(): number {
    return this.#ticks / ticksPerSecond;
  }

  /**
   * Packets are missing. They are not if the next value of the clock is a jump: that is where recordings were joined.
   */
  lose(): void {
    this.#hasLoss = true;
  }

  /** Adds the next clock value of a packet stream. A value of another stream counts as a jump. */
  add(pid: number, ticks: number): void {
    const last = this.#last;
    this.#last = { pid, ticks };
    if (last === null) return;
    const elapsedTicks = (ticks - last.ticks + wrapTicks) % wrapTicks;
    const isJump = elapsedTicks > maxGapTicks || pid !== last.pid;
    if (this.#hasLoss && !isJump) this.lossSeconds ??= this.seconds;
    this.#hasLoss = false;
    if (isJump) this.hasJumped = true;
    else this.#ticks += elapsedTicks;
  }
}

/**
 * The PIDs of the tables that begin a recording or a segment: the programme association table and the service
 * description table.
 */
const firstPids: ReadonlySet<number> = new Set([0, 0x11]);
const pidCount = 8192;

/**
 * Follows the counters of the packets, which show whether some are missing. Only streams of video, audio and the like
 * count.
 */
class ContinuityCounters {
  /** The last counter of each PID; -1 for one that is not followed. */
  readonly #last = new Int8Array(pidCount).fill(-1);

  /** Adds a packet, which begins at `at`, and returns whether packets are missing before it. */
  add(bytes: Buffer, at: number, pid: number): boolean {
    const flags = bytes[at + 3] ?? 0;
    if ((flags & 0x10) === 0) return false;
    const counter = flags & 0x0f;
    const last = this.#last[pid] ?? -1;
    const isFollowed = last >= 0 || firstPids.has(pid) || beginsElementaryPacket(bytes, at, flags);
    if (isFollowed) this.#last[pid] = counter;
    // A packet may be sent twice, and a stream may announce that its counter begins again.
    if (last < 0 || counter === last || counter === ((last + 1) & 0x0f) || isAnnounced(bytes, at, flags))
      return false;
    if (!firstPids.has(pid)) return true;
    // Segments and recordings that were joined begin with a table, and all counters begin again.
    this.#last.fill(-1);
    this.#last[pid] = counter;
    return false;
  }
}

/** Whether the payload of a packet begins with the start code of a packet of a stream. */
function beginsElementaryPacket(bytes: Buffer, at: number, flags: number): boolean {
  if (((bytes[at + 1] ?? 0) & 0x40) === 0) return false;
  const payload = at + 4 + ((flags & 0x20) === 0 ? 0 : 1 + (bytes[at + 4] ?? 0));
  return payload + 3 <= bytes.length && bytes.readUIntBE(payload, 3) === 1;
}

/** Whether the adaptation field of a packet says that the stream does not continue the packets before it. */
function isAnnounced(bytes: Buffer, at: number, flags: number): boolean {
  return (flags & 0x20) !== 0 && (bytes[at + 4] ?? 0) > 0 && ((bytes[at + 5] ?? 0) & 0x80) !== 0;
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

/** Reads the headers of complete packets and returns the offset after them. Skips damaged packets. */
function readPackets(
  bytes: Buffer,
  packetSize: number,
  clock: ProgramClock,
  counters: ContinuityCounters,
): number {
  let at = 0;
  while (at + packetSize <= bytes.length) {
    // Within damaged bytes, any may look like the beginning of a packet.
    const next = bytes[at + packetSize] ?? syncByte;
    if (bytes[at] !== syncByte || next !== syncByte) {
      at += 1;
      continue;
    }
    const pid = bytes.readUInt16BE(at + 1) & 0x1fff;
    if (counters.add(bytes, at, pid)) clock.lose();
    const hasClock =
      ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) >= 7 && ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    if (hasClock) clock.add(pid, bytes.readUInt32BE(at + 6) * 2 + ((bytes[at + 10] ?? 0) >> 7));
    at += packetSize;
  }
  return at;
}
