import { maxPixels } from '../../src/shared/settings/limits.js';

/**
 * The demuxers that an input may be read with, by their first names. All of them keep to the one file they are given.
 * What is not here is refused: playlists (`hls`, `dash`, `concat`, `sdp`, `vobsub`, ...) lead to other files and hosts,
 * whatever the file is called; still pictures (`png_pipe`, ...) are no video; devices are no files.
 */
const safeDemuxers = [
  'mov',
  'matroska',
  'avi',
  'mpeg',
  'mpegts',
  'mpegvideo',
  'flv',
  'asf',
  'ogg',
  'rm',
  'mxf',
  'gxf',
  'nut',
  'nsv',
  'ivf',
  'dv',
  'wtv',
  'swf',
  'gif',
  'h261',
  'h263',
  'h264',
  'hevc',
  'm4v',
  'vc1',
  'mjpeg',
  'yuv4mpegpipe',
  'mp3',
  'aac',
  'ac3',
  'eac3',
  'dts',
  'truehd',
  'wav',
  'w64',
  'aiff',
  'au',
  'caf',
  'flac',
  'ape',
  'wv',
  'tta',
  'tak',
  'mpc',
  'mpc8',
  'amr',
  'voc',
  'oma',
] as const;

/**
 * Options that go before an input of ffmpeg and of ffprobe, so that reading it touches no other file and no network and
 * decodes no picture beyond the limit (contract of `UnsupportedInputError`).
 */
export const safeInputOptions: readonly string[] = [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  safeDemuxers.join(','),
  '-max_pixels',
  String(maxPixels),
];

/** A path as ffmpeg takes it literally: without the scheme, a name such as `http:x` or `-y` would be something else. */
export function fileArgument(path: string): string {
  return `file:${path}`;
}

/** The options and the input itself, `-i` and all: complete for ffprobe, and for an ffmpeg that wants no more of it. */
export function safeInputArgs(path: string): readonly string[] {
  return [...safeInputOptions, '-i', fileArgument(path)];
}
