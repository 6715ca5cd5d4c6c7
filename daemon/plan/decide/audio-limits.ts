import type { AudioCodec } from '../formats.js';

/** Least and greatest bitrate in Kbps, all channels together. */
export interface BitrateRange {
  readonly min: number;
  readonly max: number;
}

/** From this sample rate on, in Hz, the range for one channel and for two. Highest first. */
type RangesFrom = readonly (readonly [number, BitrateRange, BitrateRange])[];

const range = (min: number, max: number): BitrateRange => ({ min, max });

// Found by trying every multiple of 16 at these rates with libvorbis 1.3: beyond, it does not open.
const vorbis: RangesFrom = [
  [40_000, range(32, 240), range(48, 304)],
  [26_000, range(32, 176), range(48, 304)],
  [19_000, range(16, 80), range(32, 176)],
  [15_000, range(16, 96), range(32, 192)],
  [9000, range(16, 48), range(16, 96)],
  [0, range(16, 32), range(16, 80)],
];

// The bitrate tables of MPEG-1, MPEG-2 and MPEG-2.5 layer III; LAME stops at 64 for the last.
const mp3: RangesFrom = [
  [32_000, range(32, 320), range(32, 320)],
  [16_000, range(16, 160), range(16, 160)],
  [0, range(16, 64), range(16, 64)],
];

/**
 * What ffmpeg's encoder fills at most, for each channel: noise that was to have 6 bits came out with 4.2 to 4.7 in every rate from
 * 8000 to 32,000 Hz, in mono and in stereo (256 kbps of it in stereo at 22,050 Hz with 201, 208 with 195, 192 with 191).
 */
const aacBitsPerSample = 4.5;
/** The standard's own limit: 6144 bits for each channel in each 1024 samples. */
const aacBitsPerSampleAllowed = 6;

/**
 * The bitrate in Kbps that sound gets where the input alone shows its sample rate: one that the standard has for AAC, and its encoder
 * never fills, becomes the greatest that it does. A request that names both is rejected instead.
 */
export function fillableKbps(codec: AudioCodec, kbps: number, sampleRate: number, channels: 1 | 2): number {
  if (kbps > allowedKbps(codec, sampleRate, channels)) return kbps;
  return Math.min(kbps, bitrateRange(codec, sampleRate, channels).max);
}

/** The greatest bitrate in Kbps that an encoder may be told, whether it fills it or not. */
export function allowedKbps(codec: AudioCodec, sampleRate: number, channels: 1 | 2): number {
  if (codec !== 'aac') return bitrateRange(codec, sampleRate, channels).max;
  return Math.floor((aacBitsPerSampleAllowed * sampleRate * channels) / 1000);
}

/** The bitrates that a codec can have at a sample rate (in Hz) and a number of channels. */
export function bitrateRange(codec: AudioCodec, sampleRate: number, channels: 1 | 2): BitrateRange {
  switch (codec) {
    case 'aac':
      return range(16, Math.floor((aacBitsPerSample * sampleRate * channels) / 1000));
    case 'opus':
      return range(16, 256 * channels);
    case 'vorbis':
      return rangeFrom(vorbis, sampleRate, channels);
    case 'mp3':
      return rangeFrom(mp3, sampleRate, channels);
  }
}

function rangeFrom(ranges: RangesFrom, sampleRate: number, channels: 1 | 2): BitrateRange {
  const [, mono, stereo] = ranges.find(([from]) => sampleRate >= from) ?? [0, range(16, 16), range(16, 16)];
  return channels === 1 ? mono : stereo;
}
