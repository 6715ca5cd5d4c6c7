/*
 * Measures the frames of elementary streams of audio: ISO 13818-7, section 6.2 (ADTS), and ISO 11172-3, section 2.4 (MPEG audio).
 */

/** The length of a frame in bytes and its duration. */
interface AudioFrame {
  readonly bytes: number;
  readonly seconds: number;
}

/** The duration of the complete frames at the start of a stream; null if it does not begin with a frame of AAC or of MP3. */
export function durationOfAudio(stream: Buffer): number | null {
  let seconds = 0;
  let at = 0;
  for (let frame = frameAt(stream, at); frame !== null && at + frame.bytes <= stream.length; ) {
    seconds += frame.seconds;
    at += frame.bytes;
    frame = frameAt(stream, at);
  }
  return at === 0 ? null : seconds;
}

/** The frame of ADTS or MP3 at a position; null if none begins there. */
export function frameAt(stream: Buffer, at: number): AudioFrame | null {
  if (at + adtsHeaderBytes > stream.length || stream.readUInt16BE(at) < 0xffe0) return null;
  // The layer is 0 in ADTS.
  const layer = (stream.readUInt8(at + 1) >> 1) & 3;
  return layer === 0 ? adtsFrame(stream, at) : layer === mp3Layer ? mp3Frame(stream, at) : null;
}

const adtsHeaderBytes = 7;
const mp3Layer = 1;
const adtsRates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

function adtsFrame(stream: Buffer, at: number): AudioFrame | null {
  const rate = adtsRates[(stream.readUInt8(at + 2) >> 2) & 0xf];
  const bytes = (stream.readUInt32BE(at + 2) >> 5) & 0x1fff;
  const blocks = (stream.readUInt8(at + 6) & 3) + 1;
  return rate === undefined || bytes < adtsHeaderBytes ? null : { bytes, seconds: (1024 * blocks) / rate };
}

/** Bitrates of layer III in Kbps by their index: of MPEG 1, and of its extension to lower rates. */
const mp3Kbps = {
  full: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  low: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const mp3Rates = [44100, 48000, 32000] as const;

function mp3Frame(stream: Buffer, at: number): AudioFrame | null {
  const version = (stream.readUInt8(at + 1) >> 3) & 3;
  const third = stream.readUInt8(at + 2);
  const isFull = version === 3;
  const kbps = mp3Kbps[isFull ? 'full' : 'low'][third >> 4];
  const fullRate = mp3Rates[(third >> 2) & 3];
  // Version 2 has half of the rates, and version 2.5 (0) a quarter.
  const divisor = { 3: 1, 2: 2, 0: 4 }[version];
  if (kbps === undefined || kbps === 0 || fullRate === undefined || divisor === undefined) return null;
  const rate = fullRate / divisor;
  const samples = isFull ? 1152 : 576;
  const bytes = Math.floor((samples / 8) * ((kbps * 1000) / rate)) + ((third >> 1) & 1);
  return { bytes, seconds: samples / rate };
}
