import type { AudioCodec, VideoCodec } from './formats.js';

/** A level of quality or speed. */
export type Level = 1 | 2 | 3 | 4 | 5;

/** One value for each of the levels 1 to 5. */
export type Levels<T> = readonly [T, T, T, T, T];
/** Arguments of ffmpeg. */
export type Args = readonly string[];

/**
 * How an encoder is held below a cap. Some keep to it as a player's buffer would have it; others go beyond it for a while where a
 * film turns hard at once, and are told less than was asked, so that they end up where they should.
 */
export interface UnderCap {
  /** What it is told of the cap, as a share. */
  readonly bitrateRatio: number;
  /** What it is told of the buffer, as a share. */
  readonly bufferRatio: number;
  /** A quality counts below a cap by itself, beside a bitrate, or not at all: then a bitrate stands in its place. */
  readonly quality: 'alone' | 'beside-bitrate' | 'never';
  /** Keyframes in the time of a buffer, for an encoder that knows no other buffer than the time between keyframes. */
  readonly keyframesPerBuffer?: number;
}

const defaultUnderCap = { bitrateRatio: 1, bufferRatio: 1, quality: 'alone' } as const;

/** How one of ffmpeg's video encoders is told what is wanted. */
export interface VideoEncoder {
  readonly codec: VideoCodec;
  /** Arguments for `quality` 1-5. */
  readonly quality: Levels<Args>;
  /**
   * Bits per pixel for `quality` 1-5, where the encoder takes a quality only under a bitrate that it may reach: the bitrate is
   * made of them, the size and the frame rate.
   */
  readonly ceilingBitsPerPixel?: Levels<number>;
  /** Arguments beside the quality, where no cap takes their place. */
  readonly withQuality?: Args;
  /** How it is held below a cap. */
  readonly underCap: UnderCap;
  /** Arguments beside the bitrate, where that is given. */
  readonly withBitrate?: Args;
  /** Arguments for `speed` 1-5. */
  readonly speed: Levels<Args>;
  /** Arguments that always go with it. */
  readonly always?: Args;
  /** How it keeps what the first of two passes found: in ffmpeg's own log, in x265's, or not at all (one pass only). */
  readonly passes: 'log' | 'x265' | 'none';
  /** Whether a quality is met better in two passes, too. */
  readonly hasTwoPassQuality?: true;
  /** Parameters or arguments for a picture in so many columns, each of them for a thread of its own; by powers of two. */
  readonly tileColumns?: (log2: number) => Args;
  /** Whether ffmpeg up to 5.1 tells it that a frame lasts one step of the clock, which its bitrate is then kept by. */
  readonly needsFixedTimeBase?: true;
  /** What it is told of how many frames there are in a thousand seconds, where it goes by that and not by their times. */
  readonly frameRate?: (frames: number) => Args;
  /** The option that takes parameters of its own, parted by colons; `frameRate` and `tileColumns` go there, and what always does. */
  readonly params?: { readonly option: string; readonly always: Args };
  /** The shortest side in pixels that it takes. */
  readonly minSidePixels?: number;
}

const ofLevels = <T>(option: string, values: Levels<T>): Levels<Args> => {
  const at = (index: 0 | 1 | 2 | 3 | 4) => [option, String(values[index])];
  return [at(0), at(1), at(2), at(3), at(4)];
};
const sameAtAllLevels = (args: Args): Levels<Args> => [args, args, args, args, args];

const tileColumns = (log2: number): Args => ['-tile-columns', String(log2)];

/**
 * The video encoders by ffmpeg's names; of those for one codec the first that is at hand is taken. The levels were set by
 * encoding four seconds of film at 640x360 and comparing: a level has about the same SSIM with all of them (0.955, 0.972,
 * 0.985, 0.9895, 0.9925), as far as the codec can, and a step takes a half more to double the bits.
 */
export const videoEncoders = {
  // 23 is x264's own middle; 17 is as good as lossless to the eye, 32 is for previews.
  libx264: {
    codec: 'h264',
    quality: ofLevels('-crf', [32, 28, 23, 20, 17]),
    // "ultrafast" is left out: it takes twice the bits for hardly less time than "veryfast".
    speed: ofLevels('-preset', ['slower', 'slow', 'medium', 'faster', 'veryfast']),
    underCap: defaultUnderCap,
    passes: 'log',
  },
  // A preset costs more than x264's of that name, so its names begin one further on.
  libx265: {
    codec: 'hevc',
    quality: ofLevels('-crf', [33, 29, 24, 20, 17]),
    speed: ofLevels('-preset', ['slow', 'medium', 'fast', 'faster', 'superfast']),
    underCap: defaultUnderCap,
    frameRate: (frames) => [`fps=${frames}/1000`],
    // Players and packagers that begin at a keyframe cannot show the frames before it that an open group has.
    params: { option: '-x265-params', always: ['open-gop=0'] },
    passes: 'x265',
  },
  // VP8 falls back to 256 kbps without a bitrate, so its quality is a crf below a bitrate fit for the picture. Speed is
  // ignored by the document's word; 2 is where slower stops paying.
  libvpx: {
    codec: 'vp8',
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [32, 24, 16, 10, 4]),
    ceilingBitsPerPixel: [0.035, 0.06, 0.16, 0.26, 0.45],
    // By itself it never quantizes finer than 4, and falls a fifth short of a generous bitrate.
    withBitrate: ['-qmin', '0'],
    underCap: { bitrateRatio: 1, bufferRatio: 1, quality: 'beside-bitrate' },
    speed: sameAtAllLevels(['-deadline', 'good', '-cpu-used', '2']),
    passes: 'log',
  },
  'libvpx-vp9': {
    codec: 'vp9',
    needsFixedTimeBase: true,
    quality: ofLevels('-crf', [44, 37, 27, 21, 13]),
    // Makes it true constant quality.
    withQuality: ['-b:v', '0'],
    // Told all of it, it takes a third more than the buffer holds where noise sets in.
    underCap: { bitrateRatio: 0.85, bufferRatio: 0.5, quality: 'beside-bitrate' },
    speed: ofLevels('-cpu-used', [1, 2, 3, 4, 5]),
    // By itself it goes beyond a bitrate by a quarter where two seconds of noise have to be met, with these by an eighth at most.
    withBitrate: ['-undershoot-pct', '5', '-overshoot-pct', '5'],
    // Without row-mt it uses one core for pictures of this size.
    always: ['-deadline', 'good', '-row-mt', '1'],
    passes: 'log',
    hasTwoPassQuality: true,
    tileColumns,
  },
  libsvtav1: {
    codec: 'av1',
    quality: ofLevels('-crf', [60, 52, 34, 23, 14]),
    underCap: { bitrateRatio: 0.75, bufferRatio: 0.5, quality: 'alone' },
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
    underCap: { bitrateRatio: 0.75, bufferRatio: 0.5, quality: 'beside-bitrate' },
    speed: ofLevels('-cpu-used', [3, 4, 6, 7, 8]),
    // Builds of 2018 call it experimental, and use one core without row-mt.
    always: ['-strict', 'experimental', '-row-mt', '1'],
    passes: 'log',
    tileColumns,
  },
  // Theora has no speeds. For the same picture it needs several times the bits of the others, so its levels stop short of it.
  libtheora: {
    codec: 'theora',
    quality: ofLevels('-q:v', [5, 6, 7, 8, 10]),
    // Its buffer is one and a half times what lies between two keyframes, and a quality knows none.
    underCap: { bitrateRatio: 0.85, bufferRatio: 1, quality: 'never', keyframesPerBuffer: 2 },
    speed: sameAtAllLevels([]),
    passes: 'log',
  },
} as const satisfies Record<string, VideoEncoder>;

/** How one of ffmpeg's audio encoders is told what is wanted. */
export interface AudioEncoder {
  readonly codec: AudioCodec;
  /** What `audio_quality` 1-5 is: kilobits a second for each channel, or the encoder's own scale (`-q:a`). */
  readonly quality:
    | { readonly by: 'kbps-per-channel'; readonly levels: Levels<number> }
    | { readonly by: 'scale'; readonly levels: Levels<number> };
  /** Bitrates in Kbps it can hold throughout; others are kept on average. Absent where it can hold all. */
  readonly constantKbps?: readonly number[];
  /** Whether it keeps a bitrate only where that is its least and its greatest as well. */
  readonly isManaged?: true;
  readonly always?: Args;
}

// The middle is the "about 112 kbps" that the default output has in stereo (section 1).
const aacLevels = { by: 'kbps-per-channel', levels: [32, 48, 56, 80, 112] } as const;

/** The audio encoders by ffmpeg's names; of those for one codec the first that is at hand is taken. */
export const audioEncoders = {
  // Better than ffmpeg's own, and in few builds, since its licence keeps it out of those that are handed on.
  libfdk_aac: { codec: 'aac', quality: aacLevels },
  // Builds of 2018 take the coder "fast" by themselves, which breaks steady tones up: one of 400 Hz came out wavering between
  // 58 and 100 % of its strength at 128 kbps, and within 1 % with this one, which is what newer builds take.
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
    // Told an average alone, it takes a quality that music often has about that with: 96 kbps came out as 62 at 16,000 Hz and 83 in mono
    // at 44,100 Hz, those of a pure tone as 29. Managed they are 97, 97 and 91.
    isManaged: true,
  },
  libopus: {
    codec: 'opus',
    quality: { by: 'kbps-per-channel', levels: [24, 32, 48, 64, 96] },
    // Builds of 2018 put Opus into MP4 only so.
    always: ['-strict', 'experimental'],
  },
} as const satisfies Record<string, AudioEncoder>;

/** The name of a video encoder. */
export type VideoEncoderName = keyof typeof videoEncoders;
/** The name of an audio encoder. */
export type AudioEncoderName = keyof typeof audioEncoders;

/** The video encoders for a codec, best first. None for a codec that ffmpeg cannot make. */
export function videoEncodersFor(codec: VideoCodec): readonly VideoEncoderName[] {
  return videoEncoderNames.filter((name) => videoEncoders[name].codec === codec);
}

/** The audio encoders for a codec, best first. */
export function audioEncodersFor(codec: AudioCodec): readonly AudioEncoderName[] {
  return audioEncoderNames.filter((name) => audioEncoders[name].codec === codec);
}

const videoEncoderNames = Object.keys(videoEncoders) as readonly VideoEncoderName[];
const audioEncoderNames = Object.keys(audioEncoders) as readonly AudioEncoderName[];

/** What applies where neither `quality`, `speed` nor `audio_quality` is given (contract). */
const middleLevel: Level = 3;

/** A number from 1 to 5 as a level; the settings' own range keeps others away, which become the nearest one here. */
export function levelOf(value: number | undefined): Level {
  if (value === undefined) return middleLevel;
  if (value <= 1) return 1;
  if (value >= 5) return 5;
  return value < 3 ? 2 : value < 4 ? 3 : 4;
}

/** What stands for a level in a row of five. */
export function atLevel<T>(levels: Levels<T>, level: Level): T {
  const index = ({ 1: 0, 2: 1, 3: 2, 4: 3, 5: 4 } as const)[level];
  return levels[index];
}
