/*
 * Measures the frames of elementary streams of audio: ISO 13818-7, section 6.2 (ADTS), ISO 11172-3, section 2.4 (MPEG
 * audio), and ETSI TS 102 366, sections 4.4.1 and E.1.2 (AC-3 and E-AC-3).
 */

/** A frame of audio: its size and duration. */
interface AudioFrame {
  readonly bytes: number;
  readonly seconds: number;
  /** The name of its codec (RFC 6381). */
  readonly codec: string;
  /** The duration of what encoders put in front of the audio to start their filters. */
  readonly primingSeconds: number;
}

/**
 * The duration of the complete frames at the start of a stream; null if it does not begin with a frame of AAC, MP3,
 * AC-3 or E-AC-3.
 */
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

/** The frame of ADTS, MP3, AC-3 or E-AC-3 at a position; null if none begins there. */
export function frameAt(stream: Buffer, at: number): AudioFrame | null {
  if (at + headerBytes > stream.length) return null;
  const sync = stream.readUInt16BE(at);
  if (sync === dolbySync) return dolbyFrame(stream, at);
  if (sync < mpegSync) return null;
  // The layer is 0 in ADTS.
  const layer = (stream.readUInt8(at + 1) >> 1) & 3;
  return layer === 0 ? adtsFrame(stream, at) : layer === mp3Layer ? mp3Frame(stream, at) : null;
}

/** The bytes that are read of a header. */
const headerBytes = 7;
const mpegSync = 0xffe0;
const dolbySync = 0x0b77;
const mp3Layer = 1;
/** What ffmpeg's encoders, and most others, put in front of the audio, in samples. */
const primingSamples = { aac: 1024, mp3: 1105, dolby: 256 } as const;
const adtsRates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

function adtsFrame(stream: Buffer, at: number): AudioFrame | null {
  const rate = adtsRates[(stream.readUInt8(at + 2) >> 2) & 0xf];
  const bytes = (stream.readUInt32BE(at + 2) >> 5) & 0x1fff;
  const blocks = (stream.readUInt8(at + 6) & 3) + 1;
  if (rate === undefined || bytes < headerBytes) return null;
  const objectType = (stream.readUInt8(at + 2) >> 6) + 1;
  return {
    bytes,
    seconds: (1024 * blocks) / rate,
    codec: `mp4a.40.${objectType}`,
    primingSeconds: primingSamples.aac / rate,
  };
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
  return {
    bytes,
    seconds: samples / rate,
    codec: 'mp4a.40.34',
    primingSeconds: primingSamples.mp3 / rate,
  };
}

const dolbyRates = [48_000, 44_100, 32_000] as const;
/** Bitrates of AC-3 in Kbps, each for two values of the frame size code. */
const ac3Kbps = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
/** The highest bitstream identification of AC-3, and of E-AC-3. */
const [lastAc3, lastEac3] = [10, 16] as const;

function dolbyFrame(stream: Buffer, at: number): AudioFrame | null {
  const identification = stream.readUInt8(at + 5) >> 3;
  if (identification > lastEac3) return null;
  return identification <= lastAc3 ? ac3Frame(stream, at) : eac3Frame(stream, at);
}

function ac3Frame(stream: Buffer, at: number): AudioFrame | null {
  const codes = stream.readUInt8(at + 4);
  const rate = dolbyRates[codes >> 6];
  const kbps = ac3Kbps[(codes & 0x3f) >> 1];
  if (rate === undefined || kbps === undefined) return null;
  // At 44.1 kHz, a frame has no whole number of words of 16 bits: odd codes are one word longer.
  const padding = rate === 44_100 ? codes & 1 : 0;
  const bytes = (Math.floor((kbps * 1000 * 1536) / rate / 16) + padding) * 2;
  return { bytes, seconds: 1536 / rate, codec: 'ac-3', primingSeconds: primingSamples.dolby / rate };
}

/** Frames of E-AC-3 have one to six blocks of 256 samples. */
const eac3Blocks = [1, 2, 3, 6] as const;

function eac3Frame(stream: Buffer, at: number): AudioFrame | null {
  const bytes = ((stream.readUInt16BE(at + 2) & 0x7ff) + 1) * 2;
  const codes = stream.readUInt8(at + 4);
  const isReduced = codes >> 6 === 3;
  const fullRate = dolbyRates[isReduced ? (codes >> 4) & 3 : codes >> 6];
  if (fullRate === undefined) return null;
  const rate = isReduced ? fullRate / 2 : fullRate;
  const blocks = isReduced ? 6 : (eac3Blocks[(codes >> 4) & 3] ?? 6);
  // A dependent substream has more channels of the frame before it.
  const isDependent = stream.readUInt8(at + 2) >> 6 === 1;
  return {
    bytes,
    seconds: isDependent ? 0 : (256 * blocks) / rate,
    codec: 'ec-3',
    primingSeconds: primingSamples.dolby / rate,
  };
}
