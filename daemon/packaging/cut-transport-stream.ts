import { type FileHandle, open } from 'node:fs/promises';
import { segmentNames } from '../plan/decide/packaging.js';
import { readChunks } from '../transfer/read-file.js';
import { durationOfAudio } from './audio-frames.js';
import { avcString, hevcString } from './codec-strings.js';
import { type CutRendition, type PackageOptions, type WrittenPart, writeParts } from './rendition-files.js';
import { endOfStreams, type Segment, SegmentCutter } from './segments.js';
import { elementaryStreams, TransportStreamScanner } from './transport-stream.js';
import { readPart } from './write-segments.js';

/** Cuts a transport stream at its keyframes, or at frames of audio without video. */
export async function cutTransportStream(path: string, options: PackageOptions): Promise<CutRendition> {
  const { cut, tables, ...facts } = await scan(path, options);
  const { encryption, ...written } = await writeParts(path, cut, options, {
    extension: '.ts',
    prefixOf: ({ lacksTables }) => (lacksTables === true ? tables : null),
  });
  const range = { offset: 0, sizeBytes: tables.length };
  return {
    parts: [{ kind: 'both', header: null, ...written, ...facts }],
    encryption,
    keyframeHeader: { file: segmentNames(options.packaging, null).segment(0), range },
  };
}

/** A transport stream, cut into segments. */
interface ScannedRendition extends Pick<WrittenPart, 'codecs' | 'frames' | 'isClosed'> {
  readonly cut: readonly Segment[];
  /** The tables at its start, which precede segments that lack them. */
  readonly tables: Buffer;
}

/** The frame rate of a video that has only one frame, and declares no rate. */
const assumedFrameRate = { numerator: 25, denominator: 1 };

/** The codecs are at the start of the first segment. Audio may begin up to a second after the video. */
const maxHeadBytes = 8 << 20;

async function scan(
  path: string,
  { packaging: { segmentSeconds }, media, signal }: PackageOptions,
): Promise<ScannedRendition> {
  const { numerator, denominator } = media.video?.frameRate ?? assumedFrameRate;
  const cutter = new SegmentCutter(segmentSeconds);
  const scanner = new TransportStreamScanner((point) => cutter.add(point));
  const handle = await open(path, 'r');
  try {
    await readChunks(handle, (chunk) => scanner.push(chunk), signal);
    const { endSeconds, frameSeconds, lastAudio, sizeBytes, tableBytes, frames, hasLeadingFrames } =
      scanner.end(denominator / numerator);
    const tables = await readPart(handle, { offset: 0, sizeBytes: tableBytes });
    const audioEnd =
      lastAudio === null ? null : await endOfAudio(handle, tables, { ...lastAudio, sizeBytes });
    const ends = { video: frames === 0 ? null : endSeconds, audio: audioEnd ?? endSeconds, frameSeconds };
    const cut = endSeconds === null ? [] : cutter.end(endOfStreams(ends) ?? endSeconds, sizeBytes);
    const [first] = cut;
    if (first === undefined) throw new RangeError('the file has no frames');
    const head = { offset: first.offset, sizeBytes: Math.min(first.sizeBytes, maxHeadBytes) };
    const codecs = codecsOfTransportStream(await readPart(handle, head));
    return { cut, tables, frames, codecs, isClosed: !hasLeadingFrames };
  } finally {
    await handle.close();
  }
}

/** The end of the audio at the end of a file; null if its frames cannot be read. */
async function endOfAudio(
  handle: FileHandle,
  tables: Buffer,
  last: { readonly offset: number; readonly seconds: number; readonly sizeBytes: number },
): Promise<number | null> {
  const tail = { offset: last.offset, sizeBytes: last.sizeBytes - last.offset };
  const streams = elementaryStreams(Buffer.concat([tables, await readPart(handle, tail)]));
  const audio = streams.find(({ streamType }) => isAudioType(streamType));
  const seconds = audio === undefined ? null : durationOfAudio(audio.payload);
  return seconds === null ? null : last.seconds + seconds;
}

/** Types of streams in a programme map (ISO 13818-1, table 2-34; ATSC A/53 for AC-3). */
const streamTypes = {
  mpegAudio: [0x03, 0x04],
  adts: 0x0f,
  h264: 0x1b,
  hevc: 0x24,
  ac3: 0x81,
  eac3: 0x87,
} as const;

/** Types of NAL units with a sequence parameter set. */
const spsType = { h264: 7, hevc: 33 } as const;

/**
 * Reads the codecs from the start of a transport stream, which must contain the first keyframe and a frame of audio.
 */
export function codecsOfTransportStream(start: Buffer): WrittenPart['codecs'] {
  let video: string | null = null;
  let audio: string | null = null;
  for (const { streamType, payload } of elementaryStreams(start)) {
    if (streamType === streamTypes.h264) video ??= h264CodecOf(payload);
    else if (streamType === streamTypes.hevc) video ??= hevcCodecOf(payload);
    else audio ??= audioCodecOf(streamType, payload);
  }
  return { video, audio };
}

function h264CodecOf(payload: Buffer): string | null {
  const sps = nalUnits(payload).find((unit) => (unit.readUInt8(0) & 0x1f) === spsType.h264);
  return sps === undefined || sps.length < 4 ? null : avcString(sps);
}

function hevcCodecOf(payload: Buffer): string | null {
  const sps = nalUnits(payload).find((unit) => ((unit.readUInt8(0) >> 1) & 0x3f) === spsType.hevc);
  if (sps === undefined) return null;
  // Two bytes of header, then one with the number of layers.
  const profile = withoutEmulationPrevention(sps.subarray(0, 32)).subarray(3, 15);
  return profile.length < 12 ? null : hevcString(profile);
}

/** Whether a type of streams in a programme map is audio that venc writes. */
function isAudioType(streamType: number): boolean {
  const { mpegAudio, adts, ac3, eac3 } = streamTypes;
  return [...mpegAudio, adts, ac3, eac3].some((type) => type === streamType);
}

function audioCodecOf(streamType: number, payload: Buffer): string | null {
  if (streamTypes.mpegAudio.some((type) => type === streamType)) return 'mp4a.40.34';
  if (streamType === streamTypes.ac3) return 'ac-3';
  if (streamType === streamTypes.eac3) return 'ec-3';
  if (streamType !== streamTypes.adts || payload.length < 3) return null;
  // The profile of the ADTS header is the object type of MPEG-4 audio minus 1.
  return `mp4a.40.${(payload.readUInt8(2) >> 6) + 1}`;
}

/** The NAL units of a byte stream (ISO 14496-10, annex B), without their start codes. */
function nalUnits(bytes: Buffer): readonly Buffer[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(startCode); at >= 0; at = bytes.indexOf(startCode, at + 3)) starts.push(at);
  return starts
    .map((at, index) => bytes.subarray(at + 3, starts[index + 1]))
    .filter((unit) => unit.length > 0);
}

const startCode = Buffer.from([0, 0, 1]);

/** Removes the bytes 3 that keep two zero bytes from beginning a start code. */
function withoutEmulationPrevention(unit: Buffer): Buffer {
  const kept = [...unit].filter(
    (byte, index) => !(byte === 3 && index >= 2 && unit[index - 1] === 0 && unit[index - 2] === 0),
  );
  return Buffer.from(kept);
}
