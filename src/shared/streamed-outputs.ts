/* Outputs that are written to a stream, such as stdout. */

/** The formats that are written from start to end. */
export const streamableFormats: ReadonlySet<string> = new Set([
  ...['ts', 'mkv', 'mka', 'webm', 'flv', 'ogg', 'ogv', 'oga', 'ogx', 'opus'],
  ...['mp3', 'aac', 'ac3', 'ec3', 'eac3', 'flac', 'wav', 'wmv', 'wma'],
]);
/** Those that are made from a whole file, and written after the encode. */
export const formatsSentAtEnd: ReadonlySet<string> = new Set(['m4f', 'gif', 'webp']);

/** Settings with which an output is encoded several times, may be left out, or has other files. */
const unusableSettings = {
  video_bitrate: 'needs two passes; add --onepass',
  target_size: 'needs several passes',
  quality_target: 'needs several encodes',
  quality_floor: 'needs several encodes',
  max_video_bitrate: 'may need several encodes',
  skip: 'is decided after the encode',
  thumbnails: 'writes more files',
  thumbnail: 'writes more files',
  quality_log: 'writes another file',
  secondary_url: 'is another output',
} as const;

/** The formats with tracks for captions; those of others are in files. */
const withCaptions: ReadonlySet<string> = new Set(['mkv', 'webm']);

/**
 * The setting that an output with this extension cannot have if it is written to a stream, and why; null if it has none.
 * Without a name, it has captions in files of their own.
 */
export function whyNotStreamed(
  settings: Readonly<Record<string, unknown>>,
  extension: string,
): { readonly name: string | null; readonly reason: string } | null {
  const isSet = (name: string) => (settings[name] ?? null) !== null && settings[name] !== false;
  for (const [name, reason] of Object.entries(unusableSettings)) {
    if (!isSet(name) || (name === 'video_bitrate' && settings.onepass === true)) continue;
    return { name, reason };
  }
  const isSidecar = String(settings.subtitles ?? '').toLowerCase() === 'sidecar';
  const hasFiles = isSidecar || (isSet('caption_url') && !withCaptions.has(extension));
  return hasFiles ? { name: null, reason: 'has captions in files next to it' } : null;
}
