import type { Ratio } from '../jobs/media.js';
import type { VideoCodec } from './formats.js';

/** A level of quality or speed. */
export type Level = 1 | 2 | 3 | 4 | 5;

/** One value for each of the levels 1 to 5. */
export type Levels<T> = readonly [T, T, T, T, T];
/** Arguments of ffmpeg. */
export type Args = readonly string[];

/**
 * How an encoder stays below a cap. Some encoders respect it as a player's buffer requires. Others exceed it for a
 * while if content becomes difficult suddenly, so they are given lower values.
 */
interface UnderCap {
  /** The factor for the cap that the encoder is given. */
  readonly bitrateRatio: number;
  /** The factor for the buffer that the encoder is given. */
  readonly bufferRatio: number;
  /**
   * Which arguments a quality becomes under a cap: the quality only, the quality with a bitrate, or a bitrate instead
   * of the quality.
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
   * Bits per pixel for `quality` 1-5, if the encoder accepts a quality only with a maximum bitrate. They are multiplied
   * by the size and the frame rate.
   */
  readonly ceilingBitsPerPixel?: Levels<number>;
  /** Additional arguments with a quality, unless a cap applies. */
  readonly withQuality?: Args;
  /** How it stays below a cap. */
  readonly underCap: UnderCap;
  /**
   * The scale of its constant rate factor (`crf`): that of x264, 1 to 51, or 1 to 63, and its least value, 1 if absent.
   * Absent if it has none.
   */
  readonly crf?: {
    readonly min?: number;
    readonly max: 51 | 63;
    /** The smallest difference that it knows; 1 if absent. */
    readonly step?: 0.1;
    /**
     * The factor that usually has a VMAF score of 94, and how much ln(100 - score) usually grows with each unit of the
     * factor: medians of films, animation, grain and graphics at 854x480 and 1920x1080.
     */
    readonly at94: number;
    readonly slope: number;
  };
  /** Whether it can keep a bitrate constant (`constant_bitrate`). */
  readonly canBeConstant?: true;
  /** Additional arguments with a bitrate. */
  readonly withBitrate?: Args;
  /** Arguments for `speed` 1-5. */
  readonly speed: Levels<Args>;
  /** Arguments for every run. */
  readonly always?: Args;
  /**
   * What the first of two passes writes: the log of ffmpeg, that of x265, or an image with the colours that the second
   * one uses. `none`: it has one pass only.
   */
  readonly passes: 'log' | 'x265' | 'palette' | 'none';
  /** How many colours its palette has at `quality` 1-5; absent if it has none. */
  readonly paletteColours?: Levels<number>;
  /** Whether it makes an animated image, which has neither a bitrate nor keyframes. */
  readonly isAnimation?: true;
  /** Whether two passes improve a quality too. */
  readonly hasTwoPassQuality?: true;
  /**
   * Parameters or arguments that split frames into tile columns, one thread for each; the argument is the power of two.
   */
  readonly tileColumns?: (log2: number) => Args;
  /**
   * Whether ffmpeg up to 5.1 passes one tick of the time base as the duration of every frame, and the rate control uses
   * that duration.
   */
  readonly needsFixedTimeBase?: true;
  /** Arguments for the frame rate, for an encoder that uses the rate instead of timestamps. */
  readonly frameRate?: (rate: Ratio) => Args;
  /** Arguments for the rate of evenly spaced frames, for an encoder that uses and declares the time base instead. */
  readonly evenFrameRate?: (rate: Ratio) => Args;
  /**
   * The option that takes encoder parameters, separated by colons. `frameRate`, `evenFrameRate` and `tileColumns` are
   * passed there; `always` lists parameters for every run.
   */
  readonly params?: { readonly option: string; readonly always: Args };
  /** Maximum denominator of the time base, which needs a constant rate; absent if any is supported. */
  readonly maxTimeBase?: number;
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
 * The video encoders by their names in ffmpeg. For each codec the first available one is used. The levels were set by
 * encoding four seconds of video at 640x360: a level has about the same SSIM with all encoders (0.955, 0.972, 0.985,
 * 0.9895, 0.9925), as far as the codec can reach it, and each step takes between 1.5 and 2 times the bits.
 */
export const videoEncoders = {
  // 23 is the default of x264, 17 is visually lossless, and 32 is for previews.
  libx264: {
    codec: 'h264',
    crf: { max: 51, step: 0.1, at94: 20, slope: 0.14 },
    canBeConstant: true,
    quality: ofLevels('-crf', [32, 28, 23, 20, 17]),
    // "ultrafast" is not used: it takes twice the bits of "veryfast" and hardly less time.
    speed: ofLevels('-preset', ['slower', 'slow', 'medium', 'faster', 'veryfast']),
    underCap: defaultUnderCap,
    evenFrameRate: ({ numerator, denominator }) => ['force-cfr=1', `fps=${numerator}/${denominator}`],
    params: { option: '-x264-params', always: [] },
    passes: 'log',
  },
  // A preset is slower than that of x264 with the same name, so the list starts one preset faster.
  libx265: {
    codec: 'hevc',
    crf: { max: 51, step: 0.1, at94: 20, slope: 0.13 },
    canBeConstant: true,
    quality: ofLevels('-crf', [33, 29, 24, 20, 17]),
    speed: ofLevels('-preset', ['slow', 'medium', 'fast', 'faster', 'superfast']),
    underCap: defaultUnderCap,
    frameRate: ({ numerator, denominator }) => [`fps=${numerator}/${denominator}`],
    // Players and packagers that start at a keyframe cannot show the frames before it that an open GOP has.
    params: { option: '-x265-params', always: ['open-gop=0'] },
    passes: 'x265',
    minSidePixels: 16,
  },
  // Without a bitrate VP8 uses 256 kbps, so its quality is a crf with a bitrate that suits the size. `speed` is ignored
  // for VP8 (section 4.1); below 2 the encoder gets slower without a visible gain.
  libvpx: {
    codec: 'vp8',
    crf: { min: 4, max: 63, at94: 12, slope: 0.05 },
    canBeConstant: true,
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
    crf: { max: 63, at94: 22, slope: 0.065 },
    canBeConstant: true,
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [44, 37, 27, 21, 13]),
    // Selects constant quality.
    withQuality: ['-b:v', '0'],
    // With the full values, it exceeds the buffer by a third at the start of noise.
    underCap: { bitrateRatio: 0.85, bufferRatio: 0.5, quality: 'with-bitrate' },
    speed: ofLevels('-cpu-used', [1, 2, 3, 4, 5]),
    // By default it exceeds the bitrate of two seconds of noise by a quarter, with these arguments by at most an
    // eighth.
    withBitrate: ['-undershoot-pct', '5', '-overshoot-pct', '5'],
    // Without row-mt it uses one core at common sizes.
    always: ['-deadline', 'good', '-row-mt', '1'],
    passes: 'log',
    hasTwoPassQuality: true,
    tileColumns,
  },
  libsvtav1: {
    codec: 'av1',
    crf: { max: 63, at94: 18, slope: 0.04 },
    quality: ofLevels('-crf', [60, 52, 34, 23, 14]),
    underCap: { bitrateRatio: 0.75, bufferRatio: 0.5, quality: 'quality-only' },
    frameRate: ({ numerator, denominator }) => [`fps-num=${numerator}:fps-denom=${denominator}`],
    tileColumns: (log2) => [`tile-columns=${log2}`],
    params: { option: '-svtav1-params', always: [] },
    speed: ofLevels('-preset', [4, 6, 8, 10, 12]),
    passes: 'none',
    minSidePixels: 64,
  },
  'libaom-av1': {
    codec: 'av1',
    crf: { max: 63, at94: 18, slope: 0.05 },
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
  // MPEG-4 part 2 and Windows Media Video 8. At 640x360 the levels have an SSIM of 0.945, 0.962, 0.978, 0.985 and 0.99,
  // like those of x264, for two to three times the bits. The finest one needs a lower `qmin` than the default.
  mpeg4: {
    codec: 'mpeg4',
    quality: ofLevels('-q:v', [7, 5, 3, 2, 1]),
    underCap: { bitrateRatio: 0.9, bufferRatio: 1, quality: 'bitrate-only' },
    speed: sameAtAllLevels([]),
    always: ['-qmin', '1'],
    passes: 'log',
    maxTimeBase: 65_535,
  },
  wmv2: {
    codec: 'wmv',
    quality: ofLevels('-q:v', [7, 5, 3, 2, 1]),
    underCap: { bitrateRatio: 0.9, bufferRatio: 1, quality: 'bitrate-only' },
    speed: sameAtAllLevels([]),
    always: ['-qmin', '1'],
    passes: 'log',
    maxTimeBase: 65_535,
  },
  // Theora has no speeds. It needs several times the bits of the other codecs for the same SSIM, so its levels stop
  // below theirs.
  libtheora: {
    codec: 'theora',
    quality: ofLevels('-q:v', [5, 6, 7, 8, 10]),
    // Its buffer is 1.5 times the time between two keyframes, and a quality has no buffer.
    underCap: { bitrateRatio: 0.85, bufferRatio: 1, quality: 'bitrate-only', keyframesPerBuffer: 2 },
    speed: sameAtAllLevels([]),
    passes: 'log',
    // The decoder of ffmpeg reads no frame that is narrower.
    minSidePixels: 18,
  },
  // 256 colours of the whole clip, which a first pass chooses. By default ffmpeg takes the same colours for every film.
  gif: {
    codec: 'gif',
    isAnimation: true,
    quality: sameAtAllLevels([]),
    paletteColours: [64, 128, 256, 256, 256],
    underCap: defaultUnderCap,
    speed: sameAtAllLevels([]),
    passes: 'palette',
    hasTwoPassQuality: true,
  },
  // It repeats blocks that differ little, and the more the lower the quality: at 70 skies are blocky. Five seconds of
  // film at 320x180 have a PSNR of 30.8 dB at 50, 32.6 at 70, 36.0 at 85, 37.5 at 92 and 40 at 98.
  libwebp_anim: {
    codec: 'webp',
    isAnimation: true,
    quality: ofLevels('-quality', [50, 70, 85, 92, 98]),
    underCap: defaultUnderCap,
    speed: ofLevels('-compression_level', [6, 5, 4, 2, 0]),
    passes: 'none',
  },
} as const satisfies Record<string, VideoEncoder>;

/** The name of a video encoder. */
export type VideoEncoderName = keyof typeof videoEncoders;

/** The video encoders for a codec, best first. Empty for a codec that ffmpeg cannot encode. */
export function videoEncodersFor(codec: VideoCodec): readonly VideoEncoderName[] {
  return videoEncoderNames.filter((name) => videoEncoders[name].codec === codec);
}

/**
 * Whether an encoder keeps captions within the video (CEA-608 and CEA-708) by default. ffmpeg does so for x265 since
 * 6.1.
 */
export function keepsClosedCaptions(
  encoder: VideoEncoderName,
  { version }: { readonly version: number | null },
): boolean {
  return encoder === 'libx264' || (encoder === 'libx265' && version !== null && version >= 6.1);
}

const videoEncoderNames = Object.keys(videoEncoders) as readonly VideoEncoderName[];

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

/**
 * Part of the time of two passes that the first one takes, at speeds 1 to 5. The first pass of x264 takes the same time
 * at all speeds, that of x265 is never fast, and those of libvpx and libaom take very little. Measured with video at
 * 640x360 on two cores; x264 also at 1280x720 and with noise, where the values were up to a tenth higher.
 */
const firstPassWeights = {
  libx264: [0.22, 0.28, 0.34, 0.41, 0.49],
  libx265: [0.49, 0.5, 0.52, 0.5, 0.49],
  libvpx: [0.08, 0.08, 0.08, 0.08, 0.08],
  'libvpx-vp9': [0.06, 0.1, 0.14, 0.14, 0.14],
  'libaom-av1': [0.05, 0.05, 0.05, 0.05, 0.05],
  libtheora: [0.43, 0.43, 0.43, 0.43, 0.43],
  // It supports one pass only.
  libsvtav1: [0.5, 0.5, 0.5, 0.5, 0.5],
  mpeg4: [0.5, 0.5, 0.5, 0.5, 0.5],
  wmv2: [0.5, 0.5, 0.5, 0.5, 0.5],
  gif: [0.4, 0.4, 0.4, 0.4, 0.4],
  libwebp_anim: [0.5, 0.5, 0.5, 0.5, 0.5],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/** The part of the time of two passes that the first one takes, 0-1. */
export function firstPassWeight(encoder: VideoEncoderName, speed: Level): number {
  return firstPassWeights[encoder][speed - 1] ?? 0.4;
}

/**
 * Frames that an encoder buffers before the first one is output, at speeds 1 to 5: the lookahead of its presets, and a
 * few frames for its threads. According to ffmpeg's progress of videos without audio, x264 holds about seven more, but
 * frames that it has analysed are encoded faster. Theora and VP8 hold almost none.
 */
const encoderDelays = {
  libx264: [65, 54, 42, 23, 13],
  libx265: [33, 28, 23, 23, 18],
  libvpx: [0, 0, 0, 0, 0],
  'libvpx-vp9': [25, 25, 25, 25, 25],
  'libaom-av1': [35, 35, 35, 35, 35],
  libtheora: [0, 0, 0, 0, 0],
  mpeg4: [0, 0, 0, 0, 0],
  wmv2: [0, 0, 0, 0, 0],
  libsvtav1: [40, 40, 40, 40, 40],
  gif: [0, 0, 0, 0, 0],
  libwebp_anim: [0, 0, 0, 0, 0],
} as const satisfies Record<VideoEncoderName, Levels<number>>;

/**
 * How many frames an encoder buffers. With audio, ffmpeg's progress follows the audio, which is not buffered: with x264
 * the progress reaches the end about two seconds of encoding before the last frames are written.
 */
export function encoderDelayFrames(encoder: VideoEncoderName, speed: Level): number {
  return encoderDelays[encoder][speed - 1] ?? 0;
}
