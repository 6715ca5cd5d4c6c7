import type { ChannelCount } from '../../../src/shared/settings/channels.js';
import type { AudioCodec } from '../formats.js';

/** Minimum and maximum bitrate in Kbps, all channels together. */
export interface BitrateRange {
  readonly min: number;
  readonly max: number;
}

/** Minimum sample rate in Hz, with the ranges for one channel, for two and for six. Highest rate first. */
type RangesFrom = readonly (readonly [number, BitrateRange, BitrateRange, BitrateRange])[];

const range = (min: number, max: number): BitrateRange => ({ min, max });

// Found by testing every multiple of 16 with libvorbis 1.3: it does not open outside these ranges.
const vorbis: RangesFrom = [
  [40_000, range(32, 240), range(48, 304), range(96, 640)],
  [26_000, range(32, 176), range(48, 304), range(192, 640)],
  [19_000, range(16, 80), range(32, 176), range(96, 528)],
  [15_000, range(16, 96), range(32, 192), range(96, 592)],
  [9000, range(16, 48), range(16, 96), range(80, 288)],
  [0, range(16, 32), range(16, 80), range(48, 240)],
];

// The bitrate tables of MPEG-1, MPEG-2 and MPEG-2.5 layer III; LAME stops at 64 for the last.
const mp3: readonly (readonly [number, BitrateRange])[] = [
  [32_000, range(32, 320)],
  [16_000, range(16, 160)],
  [0, range(16, 64)],
];

/**
 * The most that ffmpeg's AAC encoder produces for each sample of a channel. Noise encoded with a target of 6 bits came
 * out with 4.2 to 4.7 at every rate from 8000 to 32,000 Hz, in mono and in stereo (stereo at 22,050 Hz: 256 kbps came
 * out as 201, 208 as 195, 192 as 191).
 */
const aacBitsPerSample = 4.5;
/** The limit of the standard: 6144 bits for each channel in 1024 samples. */
const aacBitsPerSampleAllowed = 6;

/** The maximum bitrate in Kbps that an encoder accepts, whether it reaches it or not. */
export function allowedKbps(codec: AudioCodec, sampleRate: number, channels: ChannelCount): number {
  if (codec !== 'aac') return bitrateRange(codec, sampleRate, channels).max;
  return Math.floor((aacBitsPerSampleAllowed * sampleRate * channels) / 1000);
}

/** The bitrates that a codec supports at a sample rate (in Hz) and a number of channels. */
export function bitrateRange(codec: AudioCodec, sampleRate: number, channels: ChannelCount): BitrateRange {
  // In 5.1, 16 Kbps of AAC left two channels silent, 64 of Opus mixed them, and AC-3 does not open with less than 56.
  const lowest = channels === 6 ? 64 : 16;
  switch (codec) {
    case 'aac':
      return range(lowest, Math.floor((aacBitsPerSample * sampleRate * channels) / 1000));
    case 'opus':
      return range(channels === 6 ? 96 : lowest, 256 * channels);
    case 'vorbis':
      return rangeFrom(vorbis, sampleRate, channels);
    case 'mp3':
      return mp3.find(([from]) => sampleRate >= from)?.[1] ?? range(16, 64);
    case 'ac3':
    case 'eac3':
      return range(Math.max(lowest, 32), 640);
    case 'wma':
      // The encoder does not open with 16, at any rate from 8000 to 48,000 Hz.
      return range(32, 320);
    case 'pcm':
    case 'flac':
      return range(0, Number.POSITIVE_INFINITY);
    case 'amr':
      return range(5, 12);
  }
}

function rangeFrom(ranges: RangesFrom, sampleRate: number, channels: ChannelCount): BitrateRange {
  const none = range(16, 16);
  const [, mono, stereo, surround] = ranges.find(([from]) => sampleRate >= from) ?? [0, none, none, none];
  return channels === 1 ? mono : channels === 2 ? stereo : surround;
}
