import { maxPixels } from '../../src/shared/settings/limits.js';

/**
 * The demuxers that may read an input, by their first names. All of them read only the given file. Everything else is rejected:
 * playlists (`hls`, `dash`, `concat`, `sdp`, `vobsub`, ...) reference other files and hosts, whatever the name of the file; still
 * images (`png_pipe`, ...) are not video; devices are not files.
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
 * Options before an input of ffmpeg and ffprobe, so that reading it accesses no other file and no network, and decodes no frame
 * above the size limit (contract of `UnsupportedInputError`).
 */
export const safeInputOptions: readonly string[] = [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  safeDemuxers.join(','),
  '-max_pixels',
  String(maxPixels),
];

/** A path that ffmpeg reads literally. Without the scheme, names such as `http:x` or `-y` have another meaning. */
export function fileArgument(path: string): string {
  return `file:${path}`;
}

/** The safe options and the input itself with `-i`. */
export function safeInputArgs(path: string): readonly string[] {
  return [...safeInputOptions, '-i', fileArgument(path)];
}
