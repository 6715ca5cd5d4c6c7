import type { AccessPoint } from './segments.js';

/*
 * Finds the positions in an MPEG transport stream at which segments can begin. Only the headers of packets are read:
 * ISO 13818-1, sections 2.4.3 (packets) and 2.4.4 (tables).
 */

const packetBytes = 188;
const syncByte = 0x47;
const patPid = 0;
/** The service description, which ffmpeg writes in front of the tables. */
const sdtPid = 17;
/** Timestamps have 33 bits at 90 kHz: they start again after 26.5 hours. */
const ptsPeriod = 2 ** 33;
const ptsPerSecond = 90_000;

/** The streams of a programme by their packet identifiers. */
interface Programme {
  readonly pmtPid: number;
  readonly videoPid: number | null;
  readonly audioPid: number | null;
}

/** What is known at the end of a transport stream. */
interface ScannedStream {
  /**
   * End of the last frame of video, in seconds; null if the stream has no frames. If there is no video, it is that of
   * the audio, and estimated, because packets of audio have several frames.
   */
  readonly endSeconds: number | null;
  /** The duration of that frame. */
  readonly frameSeconds: number;
  /** The number of frames of video. */
  readonly frames: number;
  /** Whether frames that are shown before a keyframe follow it, because they need the frames before it (open GOP). */
  readonly hasLeadingFrames: boolean;
  /** The last packet of audio; null if there is no audio. */
  readonly lastAudio: { readonly offset: number; readonly seconds: number } | null;
  readonly sizeBytes: number;
  /** Size of the tables at the start of the stream, which a decoder needs before any frame. */
  readonly tableBytes: number;
}

/** Types of streams in a programme map: video is MPEG-2, H.264 or HEVC. */
const videoTypes: ReadonlySet<number> = new Set([0x02, 0x1b, 0x24]);

/**
 * Scans a transport stream that ffmpeg wrote. `push` takes its bytes in pieces of any size and `end` its end. Each
 * keyframe is an access point, or each packet of audio if there is no video. The position of an access point is that of
 * the tables in front of it. ffmpeg writes them in front of each keyframe, and builds of 2018 seldom in front of audio.
 * The first access point is at the start of the stream, because audio may precede it.
 */
export class TransportStreamScanner {
  readonly #onAccessPoint: (point: AccessPoint) => void;
  #rest: Buffer = Buffer.alloc(0);
  #offset = 0;
  #pmtPid: number | null = null;
  #programme: Programme | null = null;
  /** The position of the tables since which only tables came; null after any other packet. */
  #tablesFrom: number | null = null;
  #tableBytes = 0;
  /** The access point whose keyframe has not ended. */
  #open: Omit<AccessPoint, 'keyframeBytes'> | null = null;
  #hasAccessPoint = false;
  /** The last timestamps in order of display, without the wrap at 33 bits. */
  #latest: number | null = null;
  #previous: number | null = null;
  #lastPts: number | null = null;
  #frames = 0;
  /** When the last keyframe but the first is shown. */
  #keyframeTime: number | null = null;
  #hasLeadingFrames = false;
  #lastAudio: ScannedStream['lastAudio'] = null;

  constructor(onAccessPoint: (point: AccessPoint) => void) {
    this.#onAccessPoint = onAccessPoint;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Only a packet that two pieces share is copied.
    let at = this.#rest.length === 0 ? 0 : packetBytes - this.#rest.length;
    if (at > bytes.length) {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      return;
    }
    if (at > 0) this.#next(Buffer.concat([this.#rest, bytes.subarray(0, at)]), 0);
    for (; at + packetBytes <= bytes.length; at += packetBytes) this.#next(bytes, at);
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  #next(bytes: Buffer, at: number): void {
    this.#packet(bytes, at);
    this.#offset += packetBytes;
  }

  /** What was found. The last frame has the duration of the one before it, the only frame `frameSeconds`. */
  end(frameSeconds: number): ScannedStream {
    this.#closeKeyframe(this.#offset);
    const frame =
      this.#latest === null || this.#previous === null
        ? frameSeconds * ptsPerSecond
        : this.#latest - this.#previous;
    return {
      endSeconds: this.#latest === null ? null : (this.#latest + frame) / ptsPerSecond,
      frameSeconds: frame / ptsPerSecond,
      frames: this.#programme?.videoPid == null ? 0 : this.#frames,
      hasLeadingFrames: this.#hasLeadingFrames,
      lastAudio: this.#lastAudio,
      sizeBytes: this.#offset,
      tableBytes: this.#tableBytes,
    };
  }

  #packet(bytes: Buffer, at: number): void {
    if (bytes[at] !== syncByte) throw new RangeError(`no packet begins at byte ${this.#offset}`);
    const pid = pidAt(bytes, at);
    const isTable = pid === patPid || pid === sdtPid || pid === this.#pmtPid;
    if (isTable) this.#tablesFrom ??= this.#offset;
    else if (this.#tableBytes === 0 && this.#tablesFrom === 0) this.#tableBytes = this.#offset;
    // Only the first packet of a table or frame matters, so that the others cost nothing.
    if (isStartAt(bytes, at)) this.#start(pid, bytes, at);
    if (!isTable) this.#tablesFrom = null;
  }

  #start(pid: number, bytes: Buffer, at: number): void {
    const payload = payloadAt(bytes, at);
    if (pid === patPid) this.#pmtPid = pmtPidOf(payload);
    else if (pid === this.#pmtPid) this.#programme ??= programmeOf(pid, payload);
    else if (this.#programme !== null) {
      const { videoPid, audioPid } = this.#programme;
      if (pid === audioPid) this.#startOfAudio(payload);
      if (pid === (videoPid ?? audioPid))
        this.#startOfFrame(payload, videoPid === null || isRandomAccessAt(bytes, at));
    }
  }

  #startOfAudio(payload: Buffer): void {
    const pts = ptsOf(payload);
    if (pts === null) return;
    const seconds = unwrapped(pts, this.#lastPts ?? pts) / ptsPerSecond;
    this.#lastAudio = { offset: this.#offset, seconds };
  }

  #startOfFrame(payload: Buffer, isAccessPoint: boolean): void {
    const offset = this.#hasAccessPoint ? (this.#tablesFrom ?? this.#offset) : 0;
    this.#closeKeyframe(offset);
    const pts = ptsOf(payload);
    if (pts === null) return;
    const time = unwrapped(pts, this.#lastPts ?? pts);
    this.#lastPts = time;
    this.#frames += 1;
    if (this.#keyframeTime !== null && time < this.#keyframeTime) this.#hasLeadingFrames = true;
    if (this.#latest === null || time > this.#latest) {
      this.#previous = this.#latest;
      this.#latest = time;
    } else if (this.#previous === null || time > this.#previous) this.#previous = time;
    if (!isAccessPoint) return;
    if (this.#hasAccessPoint) this.#keyframeTime = time;
    const lacksTables = this.#hasAccessPoint && this.#tablesFrom === null;
    this.#hasAccessPoint = true;
    this.#open = { offset, seconds: time / ptsPerSecond, ...(lacksTables ? { lacksTables } : {}) };
  }

  #closeKeyframe(end: number): void {
    if (this.#open === null) return;
    this.#onAccessPoint({ ...this.#open, keyframeBytes: end - this.#open.offset });
    this.#open = null;
  }
}

/** A timestamp without the wrap at 33 bits, near another one. */
function unwrapped(pts: number, near: number): number {
  return pts + Math.round((near - pts) / ptsPeriod) * ptsPeriod;
}

/** The packet identifier of the first programme map in a programme association table. */
function pmtPidOf(payload: Buffer): number | null {
  const section = payload.subarray(1 + payload.readUInt8(0));
  for (let at = 8; at + 4 <= sectionEnd(section); at += 4) {
    if (section.readUInt16BE(at) !== 0) return section.readUInt16BE(at + 2) & 0x1fff;
  }
  return null;
}

function programmeOf(pmtPid: number, payload: Buffer): Programme {
  const streams = streamsOf(payload);
  const isVideo = ({ streamType }: { readonly streamType: number }) => videoTypes.has(streamType);
  return {
    pmtPid,
    videoPid: streams.find(isVideo)?.pid ?? null,
    audioPid: streams.find((stream) => !isVideo(stream))?.pid ?? null,
  };
}

/** The streams in a programme map table. */
function streamsOf(payload: Buffer): readonly { readonly pid: number; readonly streamType: number }[] {
  const section = payload.subarray(1 + payload.readUInt8(0));
  const streams = [];
  let at = 12 + (section.readUInt16BE(10) & 0xfff);
  while (at + 5 <= sectionEnd(section)) {
    streams.push({ streamType: section.readUInt8(at), pid: section.readUInt16BE(at + 1) & 0x1fff });
    at += 5 + (section.readUInt16BE(at + 3) & 0xfff);
  }
  return streams;
}

function pidAt(bytes: Buffer, at: number): number {
  return (((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0);
}

/** Whether a table or a PES packet begins in a packet. */
function isStartAt(bytes: Buffer, at: number): boolean {
  return ((bytes[at + 1] ?? 0) & 0x40) !== 0;
}

function isRandomAccessAt(bytes: Buffer, at: number): boolean {
  return adaptationBytes(bytes, at) > 1 && (bytes.readUInt8(at + 5) & 0x40) !== 0;
}

function payloadAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + 4 + adaptationBytes(bytes, at), at + packetBytes);
}

/** The size of the adaptation field of a packet; 0 if it has none. */
function adaptationBytes(bytes: Buffer, at: number): number {
  return (bytes.readUInt8(at + 3) & 0x20) === 0 ? 0 : bytes.readUInt8(at + 4) + 1;
}

/** The end of the entries of a section, in front of its checksum. */
function sectionEnd(section: Buffer): number {
  return Math.min(section.length, 3 + (section.readUInt16BE(1) & 0xfff) - 4);
}

/** The presentation timestamp at the start of a PES packet; null if it has none. */
function ptsOf(payload: Buffer): number | null {
  if (payload.length < 14 || (payload.readUInt8(7) & 0x80) === 0) return null;
  const high = (payload.readUInt8(9) >> 1) & 7;
  const middle = payload.readUInt16BE(10) >> 1;
  const low = payload.readUInt16BE(12) >> 1;
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}

/** The bytes of one elementary stream. */
interface ElementaryStream {
  /** Its type in the programme map. */
  readonly streamType: number;
  readonly payload: Buffer;
}

/**
 * The elementary streams of a part of a transport stream that begins with its tables, without the headers of PES
 * packets.
 */
export function elementaryStreams(bytes: Buffer): readonly ElementaryStream[] {
  let pmtPid: number | null = null;
  const types = new Map<number, number>();
  const payloads = new Map<number, Buffer[]>();
  for (let at = 0; at + packetBytes <= bytes.length; at += packetBytes) {
    const pid = pidAt(bytes, at);
    const isStart = isStartAt(bytes, at);
    const payload = payloadAt(bytes, at);
    if (isStart && pid === patPid) pmtPid = pmtPidOf(payload);
    else if (isStart && pid === pmtPid) {
      for (const stream of streamsOf(payload)) types.set(stream.pid, stream.streamType);
    } else if (types.has(pid)) {
      const part = isStart ? withoutPesHeader(payload) : payload;
      const parts = payloads.get(pid) ?? [];
      parts.push(part);
      payloads.set(pid, parts);
    }
  }
  return [...payloads].map(([pid, parts]) => ({
    streamType: types.get(pid) ?? 0,
    payload: Buffer.concat(parts),
  }));
}

function withoutPesHeader(payload: Buffer): Buffer {
  return payload.length < 9 ? payload : payload.subarray(9 + payload.readUInt8(8));
}
