import type { AudioCodec } from '../codecs.js';

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

/** The bitrates that a codec can have at a sample rate (in Hz) and a number of channels. */
export function bitrateRange(codec: AudioCodec, sampleRate: number, channels: 1 | 2): BitrateRange {
  switch (codec) {
    case 'aac':
      // The standard's own limit: 6144 bits for each channel in each 1024 samples.
      return range(16, Math.floor((6 * sampleRate * channels) / 1000));
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
