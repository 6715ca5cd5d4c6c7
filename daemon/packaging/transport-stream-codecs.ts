import { avcString, hevcString } from './codec-strings.js';
import { elementaryStreams } from './transport-stream.js';

/** The codecs of a transport stream by their names in playlists (RFC 6381); null for none, or for one without a name. */
export interface StreamCodecs {
  readonly video: string | null;
  readonly audio: string | null;
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
export function codecsOfTransportStream(start: Buffer): StreamCodecs {
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
export function isAudioType(streamType: number): boolean {
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
