import type { OutputSettings } from '../../src/shared/settings/index.js';

/** A codec of the picture, as `video_codec` names it. */
export type VideoCodec = NonNullable<OutputSettings['video_codec']>;
/** A codec of the sound, as `audio_codec` names it. */
export type AudioCodec = NonNullable<OutputSettings['audio_codec']>;

/** What is to be known of a video codec before any encoder is chosen. */
export interface VideoCodecFacts {
  /** Extension for a name that has to be made up: the container that most players take the codec in. */
  readonly extension: '.mp4' | '.webm' | '.ogv' | '.flv';
  /** What to say where no encoder is at hand, when that is more than a matter of the build. */
  readonly missingReason?: string;
  /** Whether watermarks keep their own size beside it, by the document's word (section 4.1, watermark object). */
  readonly hasFixedWatermarks?: boolean;
}

/** The video codecs (section 4.1 General, and the additions of the contract). */
export const videoCodecs = {
  h264: { extension: '.mp4' },
  hevc: { extension: '.mp4' },
  av1: { extension: '.mp4' },
  vp8: { extension: '.webm' },
  vp9: { extension: '.webm' },
  theora: { extension: '.ogv' },
  vp6: {
    extension: '.flv',
    missingReason: 'no ffmpeg has an encoder for VP6; use h264, which .flv takes as well',
    hasFixedWatermarks: true,
  },
} as const satisfies Record<VideoCodec, VideoCodecFacts>;

/** What is to be known of an audio codec before any encoder is chosen. */
export interface AudioCodecFacts {
  /** Extension for the random name of an output of sound alone. */
  readonly extension: '.m4a' | '.mp3' | '.oga' | '.webm';
  /** The sample rates in Hz that the codec knows, highest first; null where it takes all between 8000 and 48000. */
  readonly sampleRates: readonly number[] | null;
}

const mpegSampleRates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000] as const;

/** The audio codecs (section 4.1 Audio, and the additions of the contract). */
export const audioCodecs = {
  aac: { extension: '.m4a', sampleRates: mpegSampleRates },
  mp3: { extension: '.mp3', sampleRates: mpegSampleRates },
  vorbis: { extension: '.oga', sampleRates: null },
  opus: { extension: '.webm', sampleRates: [48_000, 24_000, 16_000, 12_000, 8000] },
} as const satisfies Record<AudioCodec, AudioCodecFacts>;
