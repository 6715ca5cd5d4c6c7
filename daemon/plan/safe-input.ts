import { maxPixels } from '../../src/shared/settings/limits.js';
import type { Analysis } from '../jobs/media.js';

/**
 * The demuxers that may read an input, by their first names. All of them read only the given file. Everything else is
 * rejected: playlists (`hls`, `dash`, `concat`, `sdp`, `vobsub`, ...) reference other files and hosts, whatever the
 * name of the file; still images (`png_pipe`, ...) are not video; devices are not files.
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
  'apng',
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
 * Options before an input of ffmpeg and ffprobe, so that reading it accesses no other file and no network, and decodes
 * no frame above the size limit (contract of `UnsupportedInputError`).
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

/** The options before an input that is read: the safe ones, and how far ffmpeg looks for tracks that begin late. */
export function inputOptions(analysis: Analysis | undefined): readonly string[] {
  if (analysis === undefined) return safeInputOptions;
  const microseconds = String(Math.ceil(analysis.seconds) * 1_000_000);
  return [...safeInputOptions, '-analyzeduration', microseconds, '-probesize', String(analysis.bytes)];
}

/** The options of an input and the input itself with `-i`. */
export function safeInputArgs(path: string, analysis?: Analysis): readonly string[] {
  return [...inputOptions(analysis), '-i', fileArgument(path)];
}
