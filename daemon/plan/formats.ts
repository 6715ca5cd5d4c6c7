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

/** A kind of file that can be written. */
export interface Container {
  /** Name of ffmpeg's muxer. */
  readonly muxer: string;
  /** The video codecs it may hold, each with the audio codecs that go beside it, the default one first. */
  readonly codecPairs: Readonly<Partial<Record<VideoCodec, readonly AudioCodec[]>>>;
  /** The audio codecs it may hold without a picture, the default one first. */
  readonly audioOnlyCodecs: readonly AudioCodec[];
  /** Sample rates in Hz, highest first, where the container takes fewer than the codec. */
  readonly sampleRates?: Readonly<Partial<Record<AudioCodec, readonly number[]>>>;
  /** Whether it has an index that can stand in front, so that playing can begin before all of it is there. */
  readonly hasIndex?: boolean;
  /** Whether HEVC needs the tag `hvc1` in it: Apple's players take no other. */
  readonly needsHvc1Tag?: boolean;
}

// Below 16 kHz ffmpeg writes MP3 into MP4 only against the standard.
const mp3InMp4 = { mp3: [48_000, 44_100, 32_000, 24_000, 22_050, 16_000] } as const;

/** The containers by the extension of the file name, in small letters: the valid combinations of the contract. */
export const containers = {
  '.mp4': {
    muxer: 'mp4',
    codecPairs: { h264: ['aac', 'mp3'], hevc: ['aac'], vp9: ['aac', 'opus'], av1: ['aac', 'opus'] },
    audioOnlyCodecs: ['aac', 'mp3', 'opus'],
    sampleRates: mp3InMp4,
    hasIndex: true,
    needsHvc1Tag: true,
  },
  '.m4v': {
    muxer: 'mp4',
    codecPairs: { h264: ['aac'], hevc: ['aac'] },
    audioOnlyCodecs: ['aac'],
    hasIndex: true,
    needsHvc1Tag: true,
  },
  '.mov': {
    muxer: 'mov',
    codecPairs: { h264: ['aac', 'mp3'], hevc: ['aac'] },
    audioOnlyCodecs: ['aac', 'mp3'],
    hasIndex: true,
    needsHvc1Tag: true,
  },
  '.mkv': {
    muxer: 'matroska',
    codecPairs: {
      h264: ['aac', 'mp3'],
      hevc: ['aac'],
      vp8: ['vorbis'],
      theora: ['vorbis'],
      vp9: ['opus', 'aac'],
      av1: ['opus', 'aac'],
    },
    audioOnlyCodecs: ['aac', 'mp3', 'vorbis', 'opus'],
  },
  '.webm': {
    muxer: 'webm',
    codecPairs: { vp8: ['vorbis'], vp9: ['opus'], av1: ['opus'] },
    audioOnlyCodecs: ['vorbis', 'opus'],
  },
  '.flv': {
    muxer: 'flv',
    codecPairs: { h264: ['aac', 'mp3'], vp6: ['aac', 'mp3'] },
    audioOnlyCodecs: ['aac', 'mp3'],
    sampleRates: { mp3: [44_100, 22_050, 11_025] },
  },
  '.ts': {
    muxer: 'mpegts',
    codecPairs: { h264: ['aac', 'mp3'], hevc: ['aac'] },
    audioOnlyCodecs: ['aac', 'mp3'],
  },
  '.3gp': { muxer: '3gp', codecPairs: { h264: ['aac'] }, audioOnlyCodecs: ['aac'] },
  '.ogv': { muxer: 'ogg', codecPairs: { theora: ['vorbis'] }, audioOnlyCodecs: ['vorbis'] },
  '.ogg': { muxer: 'ogg', codecPairs: { theora: ['vorbis'] }, audioOnlyCodecs: ['vorbis'] },
  '.oga': { muxer: 'ogg', codecPairs: {}, audioOnlyCodecs: ['vorbis'] },
  '.mp3': { muxer: 'mp3', codecPairs: {}, audioOnlyCodecs: ['mp3'] },
  '.m4a': { muxer: 'ipod', codecPairs: {}, audioOnlyCodecs: ['aac'], hasIndex: true },
  '.aac': { muxer: 'adts', codecPairs: {}, audioOnlyCodecs: ['aac'] },
} as const satisfies Record<string, Container>;

/** An extension that a container stands for, e.g. `.mp4`. */
export type Extension = keyof typeof containers;

/** The container that an extension stands for. */
export function containerOf(extension: Extension): Container {
  return containers[extension];
}

/** The extension that a file name ends in, in small letters with its dot; empty where it has none. */
export function extensionOf(filename: string): string {
  return /[^/](\.[^./]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** Whether an extension stands for one of the containers. */
export function isExtension(text: string): text is Extension {
  return Object.hasOwn(containers, text);
}
