import type { Args, Levels } from './encoders.js';
import type { AudioCodec } from './formats.js';

/** How settings map to the arguments of one of the audio encoders of ffmpeg. */
export interface AudioEncoder {
  readonly codec: AudioCodec;
  /** The values for `audio_quality` 1-5: Kbps for each channel, or the encoder's scale (`-q:a`). */
  readonly quality:
    | { readonly by: 'kbps-per-channel'; readonly levels: Levels<number> }
    | { readonly by: 'scale'; readonly levels: Levels<number> }
    /** It has no rate: it keeps all samples as they are. */
    | { readonly by: 'nothing' };
  /**
   * The only bitrates in Kbps that it has, all channels together, and which of them replaces another one; absent if it
   * has all.
   */
  readonly onlyKbps?: {
    readonly rates: (sampleRate: number) => readonly number[];
    readonly pick: 'nearest' | 'next';
  };
  /** Whether it meets a bitrate only if that is also given as the minimum and the maximum. */
  readonly isManaged?: true;
  readonly always?: Args;
  /** The arguments for `audio_constant_bitrate`, if it needs any. */
  readonly constant?: Args;
}

const ac3Kbps = [
  32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
] as const;

/** Bitrates of MPEG-1 audio layer III, and of MPEG-2 with its lower sample rates, that are multiples of 16. */
const mpeg1Kbps = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const mpeg2Kbps = [16, 32, 48, 64, 80, 96, 112, 128, 144, 160] as const;

// The middle level gives "about 112 kbps" in stereo, as the default output has (section 1).
const aacLevels = { by: 'kbps-per-channel', levels: [32, 48, 56, 80, 112] } as const;

/** The audio encoders by their names in ffmpeg. For each codec the first available one is used. */
export const audioEncoders = {
  // Better than ffmpeg's encoder. Few builds have it, because its licence does not allow redistribution.
  libfdk_aac: { codec: 'aac', quality: aacLevels },
  // Builds of 2018 use the coder "fast" by default, which distorts steady tones: the amplitude of a 400 Hz tone at 128
  // kbps varied between 58 and 100 percent, and within 1 percent with "twoloop", the default of newer builds.
  aac: { codec: 'aac', quality: aacLevels, always: ['-aac_coder', 'twoloop'] },
  // LAME's V scale: about 65, 100, 130, 175 and 245 kbps in stereo.
  libmp3lame: {
    codec: 'mp3',
    quality: { by: 'scale', levels: [9, 7, 5, 3, 0] },
    // An average of another bitrate is missed: 144 kbps of noise came out as 117, and 208 as 169.
    onlyKbps: { rates: (sampleRate) => (sampleRate < 32_000 ? mpeg2Kbps : mpeg1Kbps), pick: 'nearest' },
  },
  // About 64, 96, 112, 160 and 224 kbps in stereo.
  libvorbis: {
    codec: 'vorbis',
    quality: { by: 'scale', levels: [0, 2, 3, 5, 7] },
    // With an average bitrate it uses the quality that usually has about that bitrate: 96 kbps came out as 62 at 16,000
    // Hz and as 83 in mono at 44,100 Hz, and a pure tone as 29. Managed, they are 97, 97 and 91.
    isManaged: true,
  },
  libopus: {
    codec: 'opus',
    quality: { by: 'kbps-per-channel', levels: [24, 32, 48, 64, 96] },
    // Builds of 2018 need this for Opus in MP4.
    always: ['-strict', 'experimental'],
    constant: ['-vbr', 'off'],
  },
  ac3: {
    codec: 'ac3',
    quality: { by: 'kbps-per-channel', levels: [48, 64, 96, 112, 160] },
    onlyKbps: { rates: () => ac3Kbps, pick: 'next' },
  },
  eac3: { codec: 'eac3', quality: { by: 'kbps-per-channel', levels: [32, 48, 64, 96, 128] } },
  wmav2: { codec: 'wma', quality: { by: 'kbps-per-channel', levels: [32, 48, 64, 80, 96] } },
  pcm_s16le: { codec: 'pcm', quality: { by: 'nothing' } },
  flac: { codec: 'flac', quality: { by: 'nothing' } },
  libopencore_amrnb: { codec: 'amr', quality: { by: 'kbps-per-channel', levels: [5, 6, 8, 10, 12] } },
} as const satisfies Record<string, AudioEncoder>;

/** The name of an audio encoder. */
export type AudioEncoderName = keyof typeof audioEncoders;

/** The audio encoders for a codec, best first. */
export function audioEncodersFor(codec: AudioCodec): readonly AudioEncoderName[] {
  return audioEncoderNames.filter((name) => audioEncoders[name].codec === codec);
}

const audioEncoderNames = Object.keys(audioEncoders) as readonly AudioEncoderName[];
