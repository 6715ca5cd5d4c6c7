import type { AudioCodec, VideoCodec } from './formats.js';

/** A level of quality or speed. */
export type Level = 1 | 2 | 3 | 4 | 5;

/** One value for each of the levels 1 to 5. */
export type Levels<T> = readonly [T, T, T, T, T];
/** Arguments of ffmpeg. */
export type Args = readonly string[];

/**
 * How an encoder stays below a cap. Some encoders respect it as a player's buffer requires. Others exceed it for a while if
 * content becomes difficult suddenly, so they are given lower values.
 */
export interface UnderCap {
  /** The factor for the cap that the encoder is given. */
  readonly bitrateRatio: number;
  /** The factor for the buffer that the encoder is given. */
  readonly bufferRatio: number;
  /**
   * Which arguments a quality becomes under a cap: the quality only, the quality with a bitrate, or a bitrate instead of the
   * quality.
   */
  readonly quality: 'quality-only' | 'with-bitrate' | 'bitrate-only';
  /** Keyframes per buffer duration, for an encoder whose only buffer is the time between keyframes. */
  readonly keyframesPerBuffer?: number;
}

const defaultUnderCap = { bitrateRatio: 1, bufferRatio: 1, quality: 'quality-only' } as const;

/** How settings map to the arguments of one of the video encoders of ffmpeg. */
export interface VideoEncoder {
  readonly codec: VideoCodec;
  /** Arguments for `quality` 1-5. */
  readonly quality: Levels<Args>;
  /**
   * Bits per pixel for `quality` 1-5, if the encoder accepts a quality only with a maximum bitrate. They are multiplied by the
   * size and the frame rate.
   */
  readonly ceilingBitsPerPixel?: Levels<number>;
  /** Additional arguments with a quality, unless a cap applies. */
  readonly withQuality?: Args;
  /** How it stays below a cap. */
  readonly underCap: UnderCap;
  /** Additional arguments with a bitrate. */
  readonly withBitrate?: Args;
  /** Arguments for `speed` 1-5. */
  readonly speed: Levels<Args>;
  /** Arguments for every run. */
  readonly always?: Args;
  /** Where the first of two passes is logged: in the log of ffmpeg, in that of x265, or not supported (one pass only). */
  readonly passes: 'log' | 'x265' | 'none';
  /** Whether two passes improve a quality too. */
  readonly hasTwoPassQuality?: true;
  /** Parameters or arguments that split frames into tile columns, one thread for each; the argument is the power of two. */
  readonly tileColumns?: (log2: number) => Args;
  /**
   * Whether ffmpeg up to 5.1 passes one tick of the time base as the duration of every frame, and the rate control uses that
   * duration.
   */
  readonly needsFixedTimeBase?: true;
  /** Arguments for the frame rate, in frames per 1000 seconds, for an encoder that uses the rate instead of timestamps. */
  readonly frameRate?: (frames: number) => Args;
  /**
   * The option that takes encoder parameters, separated by colons. `frameRate` and `tileColumns` are passed there; `always` lists
   * parameters for every run.
   */
  readonly params?: { readonly option: string; readonly always: Args };
  /** The minimum side in pixels. */
  readonly minSidePixels?: number;
}

const ofLevels = <T>(option: string, values: Levels<T>): Levels<Args> => {
  const at = (index: 0 | 1 | 2 | 3 | 4) => [option, String(values[index])];
  return [at(0), at(1), at(2), at(3), at(4)];
};
const sameAtAllLevels = (args: Args): Levels<Args> => [args, args, args, args, args];

const tileColumns = (log2: number): Args => ['-tile-columns', String(log2)];

/**
 * The video encoders by their names in ffmpeg. For each codec the first available one is used. The levels were set by encoding
 * four seconds of video at 640x360: a level has about the same SSIM with all encoders (0.955, 0.972, 0.985, 0.9895, 0.9925), as
 * far as the codec can reach it, and each step takes between 1.5 and 2 times the bits.
 */
export const videoEncoders = {
  // 23 is the default of x264, 17 is visually lossless, and 32 is for previews.
  libx264: {
    codec: 'h264',
    quality: ofLevels('-crf', [32, 28, 23, 20, 17]),
    // "ultrafast" is not used: it takes twice the bits of "veryfast" and hardly less time.
    speed: ofLevels('-preset', ['slower', 'slow', 'medium', 'faster', 'veryfast']),
    underCap: defaultUnderCap,
    params: { option: '-x264-params', always: [] },
    passes: 'log',
  },
  // A preset is slower than that of x264 with the same name, so the list starts one preset faster.
  libx265: {
    codec: 'hevc',
    quality: ofLevels('-crf', [33, 29, 24, 20, 17]),
    speed: ofLevels('-preset', ['slow', 'medium', 'fast', 'faster', 'superfast']),
    underCap: defaultUnderCap,
    frameRate: (frames) => [`fps=${frames}/1000`],
    // Players and packagers that start at a keyframe cannot show the frames before it that an open GOP has.
    params: { option: '-x265-params', always: ['open-gop=0'] },
    passes: 'x265',
  },
  // Without a bitrate VP8 uses 256 kbps, so its quality is a crf with a bitrate that suits the size. `speed` is ignored for VP8
  // (section 4.1); below 2 the encoder gets slower without a visible gain.
  libvpx: {
    codec: 'vp8',
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [32, 24, 16, 10, 4]),
    ceilingBitsPerPixel: [0.035, 0.06, 0.16, 0.26, 0.45],
    // By default it never quantizes finer than 4, and falls a fifth short of a generous bitrate.
    withBitrate: ['-qmin', '0'],
    underCap: { bitrateRatio: 1, bufferRatio: 1, quality: 'with-bitrate' },
    speed: sameAtAllLevels(['-deadline', 'good', '-cpu-used', '2']),
    passes: 'log',
  },
  'libvpx-vp9': {
    codec: 'vp9',
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [44, 37, 27, 21, 13]),
    // Selects constant quality.
    withQuality: ['-b:v', '0'],
    // With the full values, it exceeds the buffer by a third at the start of noise.
    underCap: { bitrateRatio: 0.85, bufferRatio: 0.5, quality: 'with-bitrate' },
    speed: ofLevels('-cpu-used', [1, 2, 3, 4, 5]),
    // By default it exceeds the bitrate of two seconds of noise by a quarter, with these arguments by at most an eighth.
    withBitrate: ['-undershoot-pct', '5', '-overshoot-pct', '5'],
    // Without row-mt it uses one core at common sizes.
    always: ['-deadline', 'good', '-row-mt', '1'],
    passes: 'log',
    hasTwoPassQuality: true,
    tileColumns,
  },
  libsvtav1: {
    codec: 'av1',
    quality: ofLevels('-crf', [60, 52, 34, 23, 14]),
    underCap: { bitrateRatio: 0.75, bufferRatio: 0.5, quality: 'quality-only' },
    frameRate: (frames) => [`fps-num=${frames}:fps-denom=1000`],
    tileColumns: (log2) => [`tile-columns=${log2}`],
    params: { option: '-svtav1-params', always: [] },
    speed: ofLevels('-preset', [4, 6, 8, 10, 12]),
    passes: 'none',
    minSidePixels: 64,
  },
  'libaom-av1': {
    codec: 'av1',
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [60, 52, 34, 23, 14]),
    withQuality: ['-b:v', '0'],
    underCap: { bitrateRatio: 0.75, bufferRatio: 0.5, quality: 'with-bitrate' },
    speed: ofLevels('-cpu-used', [3, 4, 6, 7, 8]),
    // Builds of 2018 mark it as experimental, and use one core without row-mt.
    always: ['-strict', 'experimental', '-row-mt', '1'],
    passes: 'log',
    tileColumns,
  },
  // Theora has no speeds. It needs several times the bits of the other codecs for the same SSIM, so its levels stop below theirs.
  libtheora: {
    codec: 'theora',
    quality: ofLevels('-q:v', [5, 6, 7, 8, 10]),
    // Its buffer is 1.5 times the time between two keyframes, and a quality has no buffer.
    underCap: { bitrateRatio: 0.85, bufferRatio: 1, quality: 'bitrate-only', keyframesPerBuffer: 2 },
    speed: sameAtAllLevels([]),
    passes: 'log',
  },
} as const satisfies Record<string, VideoEncoder>;

/** How settings map to the arguments of one of the audio encoders of ffmpeg. */
export interface AudioEncoder {
  readonly codec: AudioCodec;
  /** The values for `audio_quality` 1-5: Kbps for each channel, or the encoder's scale (`-q:a`). */
  readonly quality:
    | { readonly by: 'kbps-per-channel'; readonly levels: Levels<number> }
    | { readonly by: 'scale'; readonly levels: Levels<number> };
  /** Bitrates in Kbps that it can keep constant; others are averages. Absent if it can keep all constant. */
  readonly constantKbps?: readonly number[];
  /** Whether it meets a bitrate only if that is also given as the minimum and the maximum. */
  readonly isManaged?: true;
  readonly always?: Args;
}

// The middle level gives "about 112 kbps" in stereo, as the default output has (section 1).
const aacLevels = { by: 'kbps-per-channel', levels: [32, 48, 56, 80, 112] } as const;

/** The audio encoders by their names in ffmpeg. For each codec the first available one is used. */
export const audioEncoders = {
  // Better than ffmpeg's encoder. Few builds have it, because its licence does not allow redistribution.
  libfdk_aac: { codec: 'aac', quality: aacLevels },
  // Builds of 2018 use the coder "fast" by default, which distorts steady tones: the amplitude of a 400 Hz tone at 128 kbps
  // varied between 58 and 100 percent, and within 1 percent with "twoloop", the default of newer builds.
  aac: { codec: 'aac', quality: aacLevels, always: ['-aac_coder', 'twoloop'] },
  // LAME's V scale: about 65, 100, 130, 175 and 245 kbps in stereo.
  libmp3lame: {
    codec: 'mp3',
    quality: { by: 'scale', levels: [9, 7, 5, 3, 0] },
    constantKbps: [16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256],
  },
  // About 64, 96, 112, 160 and 224 kbps in stereo.
  libvorbis: {
    codec: 'vorbis',
    quality: { by: 'scale', levels: [0, 2, 3, 5, 7] },
    // With an average bitrate it uses the quality that usually has about that bitrate: 96 kbps came out as 62 at 16,000 Hz and as
    // 83 in mono at 44,100 Hz, and a pure tone as 29. Managed, they are 97, 97 and 91.
    isManaged: true,
  },
  libopus: {
    codec: 'opus',
    quality: { by: 'kbps-per-channel', levels: [24, 32, 48, 64, 96] },
    // Builds of 2018 need this for Opus in MP4.
    always: ['-strict', 'experimental'],
  },
} as const satisfies Record<string, AudioEncoder>;

/** The name of a video encoder. */
export type VideoEncoderName = keyof typeof videoEncoders;
/** The name of an audio encoder. */
export type AudioEncoderName = keyof typeof audioEncoders;

/** The video encoders for a codec, best first. Empty for a codec that ffmpeg cannot encode. */
export function videoEncodersFor(codec: VideoCodec): readonly VideoEncoderName[] {
  return videoEncoderNames.filter((name) => videoEncoders[name].codec === codec);
}

/** The audio encoders for a codec, best first. */
export function audioEncodersFor(codec: AudioCodec): readonly AudioEncoderName[] {
  return audioEncoderNames.filter((name) => audioEncoders[name].codec === codec);
}

const videoEncoderNames = Object.keys(videoEncoders) as readonly VideoEncoderName[];
const audioEncoderNames = Object.keys(audioEncoders) as readonly AudioEncoderName[];

/** The default of `quality`, `speed` and `audio_quality` (contract). */
const middleLevel: Level = 3;

/** Converts a number to a level and clamps it to 1-5. Undefined becomes the default level. */
export function levelOf(value: number | undefined): Level {
  if (value === undefined) return middleLevel;
  if (value <= 1) return 1;
  if (value >= 5) return 5;
  return value < 3 ? 2 : value < 4 ? 3 : 4;
}

/** The value for a level. */
export function atLevel<T>(levels: Levels<T>, level: Level): T {
  const index = ({ 1: 0, 2: 1, 3: 2, 4: 3, 5: 4 } as const)[level];
  return levels[index];
}
