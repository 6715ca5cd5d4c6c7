import type { OutputSettings } from '../../src/shared/settings/index.js';

/** A video codec, as `video_codec` names it. */
export type VideoCodec = NonNullable<OutputSettings['video_codec']>;
/** An audio codec, as `audio_codec` names it. */
export type AudioCodec = NonNullable<OutputSettings['audio_codec']>;

/** Facts of a video codec that do not depend on the encoder. */
export interface VideoCodecFacts {
  /** Why no encoder is available, if the codec is missing in every build, or which encoder it needs. */
  readonly missingReason?: string;
  /** Whether watermarks are not scaled with this codec (section 4.1, watermark object). */
  readonly hasFixedWatermarks?: boolean;
}

/** The video codecs (section 4.1 General, and the additions of the contract). */
export const videoCodecs = {
  h264: {},
  hevc: {},
  av1: {},
  vp8: {},
  vp9: {},
  theora: {},
  mpeg4: {},
  wmv: {},
  gif: {},
  webp: { missingReason: 'it needs libwebp_anim' },
  jp2: { missingReason: 'JPEG 2000 is not supported' },
  vp6: {
    missingReason: 'ffmpeg has no VP6 encoder; use h264, which .flv also supports',
    hasFixedWatermarks: true,
  },
} as const satisfies Record<VideoCodec, VideoCodecFacts>;

/** Facts of an audio codec that do not depend on the encoder. */
export interface AudioCodecFacts {
  /** Supported sample rates in Hz, highest first; null if all from 8000 to 48000 are supported. */
  readonly sampleRates: readonly number[] | null;
  /** Whether it is encoded in 5.1. */
  readonly hasSurround?: true;
}

const mpegSampleRates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000] as const;

const ac3SampleRates = [48_000, 44_100, 32_000] as const;

/** The audio codecs (section 4.1 Audio, and the additions of the contract). */
export const audioCodecs = {
  aac: { sampleRates: mpegSampleRates, hasSurround: true },
  mp3: { sampleRates: mpegSampleRates },
  vorbis: { sampleRates: null, hasSurround: true },
  opus: { sampleRates: [48_000, 24_000, 16_000, 12_000, 8000], hasSurround: true },
  ac3: { sampleRates: ac3SampleRates, hasSurround: true },
  eac3: { sampleRates: ac3SampleRates, hasSurround: true },
  pcm: { sampleRates: null, hasSurround: true },
  flac: { sampleRates: null, hasSurround: true },
  wma: { sampleRates: [48_000, 44_100, 32_000, 22_050, 16_000, 11_025, 8000] },
  amr: { sampleRates: [8000] },
} as const satisfies Record<AudioCodec, AudioCodecFacts>;

/** A container format that can be written. */
export interface Container {
  /** Name of the muxer in ffmpeg. */
  readonly muxer: string;
  /** The supported video codecs, each with the audio codecs it can be combined with, the default first. */
  readonly codecPairs: Readonly<Partial<Record<VideoCodec, readonly AudioCodec[]>>>;
  /** The audio codecs supported without video, the default first. */
  readonly audioOnlyCodecs: readonly AudioCodec[];
  /** Further codecs that it holds if they are copied, as ffprobe names them. */
  readonly copies?: { readonly video?: readonly string[]; readonly audio?: readonly string[] };
  /** Supported sample rates in Hz, highest first, if the container supports fewer than the codec. */
  readonly sampleRates?: Readonly<Partial<Record<AudioCodec, readonly number[]>>>;
  /**
   * Whether it has an index that can be at the start of the file, so that playback can start before the download ends.
   */
  readonly hasIndex?: boolean;
  /** False if tracks of captions are lost, although files of this muxer have them. */
  readonly hasCaptionTracks?: false;
  /** The tags that it stores, so that ffmpeg reads them again under the same names; absent if it stores none. */
  readonly tags?: { readonly only: readonly string[] } | { readonly except: readonly string[] };
  readonly hasChapters?: true;
  /** What it holds besides tracks: cover images, or files of all kinds, images too. Absent if nothing. */
  readonly attached?: 'covers' | 'files';
  /** Its limits if it is an animated image: no audio, few seconds, and few frames per second. */
  readonly animation?: {
    readonly maxSeconds: number;
    readonly defaultRate: number;
    readonly maxRate: number;
  };
  /** Whether HEVC needs the tag `hvc1`: Apple's players accept no other. */
  readonly needsHvc1Tag?: boolean;
}

// MP3 below 16 kHz in MP4 violates the standard.
const mp3InMp4 = { mp3: [48_000, 44_100, 32_000, 24_000, 22_050, 16_000] } as const;

const mpeg4Tags = {
  only: [
    ...['title', 'artist', 'album_artist', 'album', 'date', 'genre', 'comment', 'description', 'synopsis'],
    ...['show', 'season_number', 'episode_sort', 'episode_id', 'network', 'track', 'disc', 'composer'],
    ...['lyrics', 'copyright', 'grouping', 'keywords', 'location', 'creation_time', 'timecode'],
    ...['media_type', 'compilation', 'gapless_playback', 'hd_video'],
  ],
} as const;
const quickTimeTags = {
  only: [
    ...['title', 'artist', 'album', 'date', 'genre', 'comment', 'copyright', 'make', 'model', 'location'],
    ...['creation_time', 'timecode'],
  ],
} as const;
const wavTags = {
  only: [
    ...['title', 'artist', 'album', 'date', 'genre', 'comment', 'copyright', 'track', 'language'],
    ...['IARL', 'ICMS', 'ICRP', 'IDIM', 'IDPI', 'IENG', 'IKEY'],
    ...['ILGT', 'IMED', 'IPLT', 'ISBJ', 'ISHP', 'ISRC', 'ISRF'],
  ],
} as const;
// The names of the others become those of tags that exist already.
const oggTags = { except: ['description'] } as const;
const flacTags = { except: ['description'] } as const;
const asfTags = { except: ['description', 'author', 'creation_time'] } as const;
const anyTags = { except: [] } as const;

const pcm = [
  ...['pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_f32le', 'pcm_u8'],
] as const;
const mpeg4Copies = { video: ['mpeg2video', 'mpeg1video'], audio: ['opus', 'alac', 'dts', 'mp2'] } as const;
const matroskaCopies = {
  video: [
    ...[
      'mpeg1video',
      'mpeg2video',
      'mpeg4',
      'msmpeg4v2',
      'msmpeg4v3',
      'wmv1',
      'wmv2',
      'wmv3',
      'vc1',
      'mjpeg',
    ],
    ...[
      'h263',
      'prores',
      'dnxhd',
      'ffv1',
      'huffyuv',
      'utvideo',
      'cinepak',
      'rv30',
      'rv40',
      'theora',
      'dvvideo',
    ],
  ],
  audio: [
    ...['mp2', 'dts', 'truehd', 'mlp', 'flac', 'alac', 'wmav1', 'wmav2', 'wmapro', 'wavpack', 'tta', 'cook'],
    ...pcm,
  ],
} as const;

const mpeg4Family = {
  hasIndex: true,
  needsHvc1Tag: true,
  tags: mpeg4Tags,
  hasChapters: true,
  attached: 'covers',
} as const;
const mp4 = {
  ...mpeg4Family,
  muxer: 'mp4',
  codecPairs: {
    h264: ['aac', 'mp3', 'ac3', 'eac3'],
    hevc: ['aac', 'ac3', 'eac3'],
    mpeg4: ['aac', 'mp3'],
    vp9: ['aac', 'opus'],
    av1: ['aac', 'opus'],
  },
  audioOnlyCodecs: ['aac', 'mp3', 'ac3', 'eac3', 'opus'],
  copies: mpeg4Copies,
  sampleRates: mp3InMp4,
} as const satisfies Container;
const m4a = {
  muxer: 'ipod',
  codecPairs: {},
  audioOnlyCodecs: ['aac'],
  copies: { audio: ['alac', 'ac3'] },
  hasIndex: true,
  tags: mpeg4Tags,
  hasChapters: true,
  attached: 'covers',
} as const;
const f4a = { ...m4a, muxer: 'mp4' } as const;
const threeGp = {
  muxer: '3gp',
  tags: { only: ['creation_time', 'location'] },
  hasChapters: true,
  codecPairs: { h264: ['aac'], mpeg4: ['aac', 'amr'] },
  audioOnlyCodecs: ['aac', 'amr'],
} as const satisfies Container;
const threeG2 = { ...threeGp, muxer: '3g2' } as const;
const mkv = {
  muxer: 'matroska',
  tags: anyTags,
  hasChapters: true,
  attached: 'files',
  codecPairs: {
    h264: ['aac', 'mp3', 'ac3', 'eac3', 'flac'],
    hevc: ['aac', 'flac'],
    vp8: ['vorbis'],
    theora: ['vorbis'],
    vp9: ['opus', 'aac', 'flac'],
    av1: ['opus', 'aac', 'flac'],
  },
  audioOnlyCodecs: ['aac', 'mp3', 'vorbis', 'opus', 'ac3', 'eac3', 'pcm', 'flac'],
  copies: matroskaCopies,
} as const satisfies Container;
const ogg = {
  muxer: 'ogg',
  codecPairs: { theora: ['vorbis'] },
  audioOnlyCodecs: ['vorbis', 'flac'],
  copies: { audio: ['opus', 'flac'] },
  tags: oggTags,
} as const;

/** Players delay frames of a GIF that are shorter than 0.02 s. */
const animation = { maxSeconds: 60, defaultRate: 15, maxRate: 50 } as const;

/** The containers by lower-case file extension: the valid combinations of the contract. */
export const containers = {
  '.mp4': mp4,
  '.m4v': {
    ...mpeg4Family,
    muxer: 'mp4',
    codecPairs: { h264: ['aac', 'ac3', 'eac3'], hevc: ['aac', 'ac3', 'eac3'], mpeg4: ['aac', 'mp3'] },
    audioOnlyCodecs: ['aac', 'ac3', 'eac3'],
    sampleRates: mp3InMp4,
  },
  '.f4v': mp4,
  '.mov': {
    hasIndex: true,
    needsHvc1Tag: true,
    tags: quickTimeTags,
    hasChapters: true,
    muxer: 'mov',
    codecPairs: { h264: ['aac', 'mp3'], hevc: ['aac'] },
    audioOnlyCodecs: ['aac', 'mp3', 'pcm'],
    copies: {
      video: ['mpeg4', 'mpeg2video', 'prores', 'dnxhd', 'mjpeg', 'dvvideo', 'h263'],
      audio: ['ac3', 'eac3', 'alac', 'mp2', ...pcm],
    },
  },
  '.mkv': mkv,
  '.webm': {
    muxer: 'webm',
    tags: anyTags,
    hasChapters: true,
    codecPairs: { vp8: ['vorbis'], vp9: ['opus', 'vorbis'], av1: ['opus'] },
    audioOnlyCodecs: ['vorbis', 'opus'],
  },
  '.flv': {
    muxer: 'flv',
    tags: anyTags,
    codecPairs: { h264: ['aac', 'mp3'], vp6: ['aac', 'mp3'] },
    audioOnlyCodecs: ['aac', 'mp3'],
    sampleRates: { mp3: [44_100, 22_050, 11_025] },
  },
  '.ts': {
    muxer: 'mpegts',
    codecPairs: { h264: ['aac', 'mp3', 'ac3'], hevc: ['aac'] },
    audioOnlyCodecs: ['aac', 'mp3', 'ac3'],
    copies: { video: ['mpeg1video', 'mpeg2video'], audio: ['mp2', 'eac3', 'dts'] },
  },
  // Fragmented MP4 and its segments are made from an MP4, of which only video and audio are used.
  '.m4f': {
    hasCaptionTracks: false,
    muxer: 'mp4',
    needsHvc1Tag: true,
    codecPairs: {
      h264: ['aac', 'ac3', 'eac3'],
      hevc: ['aac', 'ac3', 'eac3'],
      vp9: ['aac', 'opus'],
      av1: ['aac', 'opus'],
    },
    audioOnlyCodecs: ['aac', 'ac3', 'eac3', 'opus'],
  },
  '.3gp': threeGp,
  '.3gpp': threeGp,
  '.3g2': threeG2,
  '.3gp2': threeG2,
  '.3gpp2': threeG2,
  '.wmv': {
    muxer: 'asf',
    tags: asfTags,
    hasChapters: true,
    codecPairs: { wmv: ['wma', 'mp3'] },
    audioOnlyCodecs: ['wma'],
    copies: { video: ['wmv1', 'wmv2', 'wmv3', 'vc1'], audio: ['wmav1', 'wmav2', 'wmapro'] },
  },
  '.ogv': ogg,
  '.ogg': ogg,
  '.ogx': ogg,
  '.oga': { ...ogg, codecPairs: {} },
  '.opus': { muxer: 'ogg', tags: oggTags, codecPairs: {}, audioOnlyCodecs: ['opus'] },
  '.mka': { ...mkv, codecPairs: {}, copies: { audio: matroskaCopies.audio } },
  '.mp3': {
    muxer: 'mp3',
    tags: anyTags,
    hasChapters: true,
    attached: 'covers',
    codecPairs: {},
    audioOnlyCodecs: ['mp3'],
  },
  '.m4a': m4a,
  '.m4b': m4a,
  '.m4r': m4a,
  '.f4a': f4a,
  '.f4b': f4a,
  '.flac': {
    muxer: 'flac',
    tags: flacTags,
    attached: 'covers',
    codecPairs: {},
    audioOnlyCodecs: ['flac'],
  },
  '.aac': { muxer: 'adts', codecPairs: {}, audioOnlyCodecs: ['aac'] },
  '.wma': { muxer: 'asf', tags: asfTags, hasChapters: true, codecPairs: {}, audioOnlyCodecs: ['wma'] },
  '.ac3': { muxer: 'ac3', codecPairs: {}, audioOnlyCodecs: ['ac3'] },
  '.ec3': { muxer: 'eac3', codecPairs: {}, audioOnlyCodecs: ['eac3'] },
  '.eac3': { muxer: 'eac3', codecPairs: {}, audioOnlyCodecs: ['eac3'] },
  '.wav': {
    muxer: 'wav',
    tags: wavTags,
    codecPairs: {},
    audioOnlyCodecs: ['pcm'],
    copies: { audio: ['pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_u8'] },
  },
  '.gif': { muxer: 'gif', animation, codecPairs: { gif: [] }, audioOnlyCodecs: [] },
  '.webp': { muxer: 'webp', animation, codecPairs: { webp: [] }, audioOnlyCodecs: [] },
} as const satisfies Record<string, Container>;

/** The extension of a supported container, e.g. `.mp4`. */
export type Extension = keyof typeof containers;

/** The container of an extension. */
export function containerOf(extension: Extension): Container {
  return containers[extension];
}

/** Whether a container is Matroska or WebM, which is a part of it. */
export function isMatroska({ muxer }: Container): boolean {
  return muxer === 'matroska' || muxer === 'webm';
}

/** Whether a container holds a stream that is copied, by the name of its codec in ffprobe. */
export function canCopy(
  { codecPairs, audioOnlyCodecs, copies = {} }: Container,
  kind: 'video' | 'audio',
  codec: string,
): boolean {
  const encoded =
    kind === 'video' ? Object.keys(codecPairs) : [...Object.values(codecPairs), audioOnlyCodecs].flat();
  return [...encoded, ...(copies[kind] ?? [])].includes(codec);
}

/** The lower-case extension of a file name, with its dot; empty if there is none. */
export function extensionOf(filename: string): string {
  return /[^/](\.[^./]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

const otherMediaExtensions: ReadonlySet<string> = new Set([
  ...['.avi', '.divx', '.mpg', '.mpeg', '.m2v', '.vob', '.m2ts', '.mts', '.mxf', '.rm', '.rmvb', '.asf'],
  ...['.aif', '.aiff', '.weba', '.m3u8', '.mpd', '.m4s', '.jpg', '.jpeg', '.png'],
]);

/** Whether an extension is that of another kind of media file. */
export function isOtherMediaExtension(extension: string): boolean {
  return otherMediaExtensions.has(extension);
}

/** Whether an extension is that of a supported container. */
export function isExtension(text: string): text is Extension {
  return Object.hasOwn(containers, text);
}
