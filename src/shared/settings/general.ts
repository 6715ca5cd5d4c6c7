import { accessControlSetting } from './delivery.js';
import { maxLabelLength, maxRequiredLabels } from './limits.js';
import { notificationsSetting } from './notifications.js';
import type { SettingsTable } from './setting.js';

/** The setting `strict` of the job and of an output. */
export const strictSetting = {
  kind: 'boolean',
  spellings: ['strict_mode'],
  section: '4.1 General',
  help: 'reject unknown names, contradictions and values that would be corrected, instead of warning about them',
} as const;

/** The setting `preset` of the job and of an output. */
export const presetSetting = {
  kind: 'text',
  maxLength: 64,
  section: 'addition',
  example: 'web',
} as const;

/**
 * The setting `requires` of the job and of an output: the labels that a machine must have to work on it. Labels are
 * case-insensitive and kept in lower case.
 */
export const requiresSetting = {
  kind: 'list',
  of: {
    kind: 'text',
    maxLength: maxLabelLength,
    form: {
      pattern: `[A-Za-z0-9._-]{1,${maxLabelLength}}`,
      rule: 'must have only letters, digits, ".", "_" and "-"',
      example: 'gpu',
    },
    isLowerCased: true,
    argument: 'label',
    section: 'addition',
    help: 'one label, in any letter case',
  },
  max: maxRequiredLabels,
  section: 'addition',
} as const;

/** Values of `format` that are files of media: names of containers, which are also extensions without the dot. */
const containers = [
  ...(['mp4', 'm4v', 'f4v', 'm4a', 'f4a', 'm4b', 'm4r', 'f4b', 'mov'] as const),
  ...(['3gp', '3gpp', '3g2', '3gp2', '3gpp2', 'flv', 'ts', 'mkv', 'webm'] as const),
  'm4f',
  ...(['ogg', 'ogv', 'oga', 'ogx', 'wmv', 'wma', 'aac', 'mp3', 'ac3', 'ec3', 'eac3', 'wav', 'flac'] as const),
  ...(['opus', 'mka', 'gif', 'webp'] as const),
] as const;

/** The extensions of media files without the dot, in lower case: those that are written, and others that are read. */
export const mediaExtensions: ReadonlySet<string> = new Set([
  ...containers,
  ...['avi', 'divx', 'mpg', 'mpeg', 'mpe', 'm1v', 'm2v', 'mpv', 'mp2', 'vob', 'vro', 'mod', 'tod'],
  ...['m2ts', 'mts', 'm2t', 'mxf', 'gxf', 'dv', 'dif', 'qt', 'mj2', 'asf', 'wtv', 'dvr-ms', 'rm', 'rmvb'],
  ...['ogm', 'nut', 'ivf', 'y4m', 'amv', 'nsv', 'roq', 'bik', 'smk', 'fli', 'flc', 'mjpg', 'mjpeg'],
  ...['h264', '264', 'h265', '265', 'hevc', 'av1', 'obu', 'trp', 'tp'],
  ...[
    'aif',
    'aiff',
    'aifc',
    'caf',
    'w64',
    'rf64',
    'au',
    'snd',
    'amr',
    'awb',
    'ape',
    'wv',
    'tta',
    'mpc',
    'tak',
  ],
  ...['spx', 'dts', 'dtshd', 'thd', 'mlp', 'ra', 'mpa', 'mp1', 'alac', 'dsf', 'dff'],
]);

/** Values of `format` that are known but cannot be written: playlists. */
export const playlistFormats = ['dash', 'mpd', 'hls', 'm3u', 'm3u8', 'highwinds'] as const;
/** Captions. */
export const captionFormats = ['scc', 'webvtt', 'vtt', 'dfxp', 'srt'] as const;
/** Formats of broadcast and streaming. */
export const otherRejectedFormats = ['mj2', 'mjp2', 'mxf', 'ism', 'mss'] as const;

/** All values of `format` that cannot be written. */
const rejectedFormats = [...playlistFormats, ...captionFormats, ...otherRejectedFormats] as const;

/** The values of `format`. */
const formatNames = [...containers, ...rejectedFormats] as const;

/** The extension of a generated name, by `video_codec`: the container that most players support. */
export const videoExtensions = {
  ...({ h264: '.mp4', hevc: '.mp4', av1: '.mp4', mpeg4: '.mp4', jp2: '.mp4' } as const),
  ...({ vp8: '.webm', vp9: '.webm', theora: '.ogv', wmv: '.wmv', vp6: '.flv' } as const),
  ...({ gif: '.gif', webp: '.webp' } as const),
} as const;

/** The same of an output without video, by `audio_codec`. */
export const audioExtensions = {
  ...({ aac: '.m4a', mp3: '.mp3', vorbis: '.oga', opus: '.webm', ac3: '.ac3', eac3: '.ec3' } as const),
  ...({ pcm: '.wav', flac: '.flac', wma: '.wma', amr: '.3gp' } as const),
} as const;

const section = '4.1 General';

/** Names, destination and codec of an output. */
export const generalTable = {
  label: {
    seenIn: 'job',
    kind: 'text',
    maxLength: 255,
    emptyMeansOmitted: true,
    section,
    help: 'a name to distinguish the outputs; unique within a job',
  },
  url: {
    seenIn: 'job',
    kind: 'url',
    example: 's3://films/trailer.mp4',
    emptyMeansOmitted: true,
    section,
    help: 'destination of the file; overrides base_url and filename',
  },
  base_url: {
    seenIn: 'job',
    kind: 'url',
    example: 's3://films/2026',
    emptyMeansOmitted: true,
    section,
    help: 'destination folder; the file is named filename, or gets a random name',
  },
  filename: {
    seenIn: 'job',
    kind: 'text',
    maxLength: 2048,
    isPath: true,
    emptyMeansOmitted: true,
    section,
    help: 'name of the file; its extension selects the container',
    defaultText: 'a random name',
  },
  device_profile: {
    kind: 'choice',
    choices: [
      ...(['mobile/advanced', 'mobile/baseline', 'mobile/legacy'] as const),
      ...(['v1/mobile/advanced', 'v1/mobile/baseline', 'v1/mobile/legacy'] as const),
      ...(['v2/mobile/advanced', 'v2/mobile/baseline', 'v2/mobile/legacy'] as const),
    ],
    section: 'Formats',
    help: 'settings for a kind of device, which other settings override',
  },
  format: {
    kind: 'choice',
    choices: formatNames,
    rejectedChoices: rejectedFormats,
    section: 'Formats',
    help: 'container of the file, whatever its name says',
    defaultText: 'the one that the file name implies, else that of the codecs',
  },
  hint: {
    kind: 'boolean',
    default: false,
    section: 'Formats',
    help: 'write hint tracks for streaming servers into MP4, QuickTime and 3GPP files',
  },
  video_codec: {
    kind: 'choice',
    choices: ['h264', 'theora', 'vp6', 'vp8', 'hevc', 'vp9', 'av1', 'mpeg4', 'wmv', 'gif', 'webp', 'jp2'],
    rejectedChoices: ['vp6', 'jp2'],
    aliases: { wmv2: 'wmv' },
    synonyms: {
      avc: 'h264',
      x264: 'h264',
      libx264: 'h264',
      'h.264': 'h264',
      h265: 'hevc',
      x265: 'hevc',
      libx265: 'hevc',
      'h.265': 'hevc',
    },
    section,
    help: 'video codec',
    defaultText: 'the one that the file name implies, else h264',
  },
  speed: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'encoding speed; slower gives better compression; vp8, theora, mpeg4 and wmv ignore it',
  },
  public: {
    seenIn: 'delivery',
    kind: 'boolean',
    isSentAsInteger: true,
    default: false,
    section,
    help: 'let everyone read the delivered file, if the destination supports access control',
  },
  access_control: {
    seenIn: 'delivery',
    ...accessControlSetting,
    help: 'grants on the delivered file, if the destination supports access control',
  },
  preset: {
    seenIn: 'job',
    ...presetSetting,
    help: 'the name of a preset with one output, whose settings those of the output override',
  },
  notifications: {
    seenIn: 'notification',
    ...notificationsSetting,
    help: 'a URL that is notified when the output has ended',
  },
  requires: {
    seenIn: 'job',
    ...requiresSetting,
    help: 'a label that a machine must have to make the output',
  },
  strict: { seenIn: 'job', ...strictSetting, defaultText: 'the setting of the job' },
} as const satisfies SettingsTable;
