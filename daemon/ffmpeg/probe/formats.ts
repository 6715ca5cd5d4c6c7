/** Container names that differ from the first of ffprobe's names. */
const formatWords: Readonly<Record<string, string>> = {
  mov: 'mpeg4',
  mpeg: 'mpeg-ps',
  mpegts: 'mpeg-ts',
  rm: 'realmedia',
  m4v: 'mpeg4-es',
  yuv4mpegpipe: 'y4m',
};

/** The name of a container from ffprobe's list of names. `documentType` distinguishes WebM from Matroska. */
export function formatWord(formatName: string, documentType: string | null): string {
  const [first = 'unknown'] = formatName.split(',');
  if (first === 'matroska') return documentType === 'webm' ? 'webm' : 'matroska';
  return formatWords[first] ?? first;
}

/** Whether a demuxer reads still images: `image2`, `png_pipe`, ... */
export function isImageFormat(name: string): boolean {
  return /^image2|_pipe$/.test(name) && name !== 'yuv4mpegpipe';
}

const playlistFormats: readonly string[] = [
  'hls',
  'applehttp',
  'dash',
  'concat',
  'sdp',
  'rtsp',
  'imf',
  'smoothstreaming',
];
const textFormats: readonly string[] = [
  'tty',
  'srt',
  'ass',
  'webvtt',
  'microdvd',
  'subviewer',
  'subviewer1',
  'mpl2',
  'sami',
  'lrc',
];

/** The kind of files that a demuxer outside the allow-list reads. */
export function kindOfFormat(name: string): 'playlist' | 'image' | 'text' | 'other' {
  if (playlistFormats.includes(name)) return 'playlist';
  if (isImageFormat(name)) return 'image';
  return textFormats.includes(name) ? 'text' : 'other';
}

/** Number of bytes that are read from the start of a file. */
export const headBytes = 4096;

/** Files that refer to other files, by their first bytes. */
const playlists = [
  { kind: 'HLS or M3U', pattern: /^#EXTM3U/ },
  { kind: 'DASH', pattern: /^(?:<[\s\S]*)?<MPD[\s>]/ },
  { kind: 'concat', pattern: /^ffconcat version/ },
  { kind: 'Smooth Streaming', pattern: /^(?:<[\s\S]*)?<SmoothStreamingMedia[\s>]/ },
  { kind: 'PLS', pattern: /^\[playlist\]/i },
  { kind: 'ASX', pattern: /^(?:<asx[\s>]|\[reference\])/i },
  { kind: 'SMIL', pattern: /^(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?<smil[\s>]/i },
  { kind: 'XSPF', pattern: /^(?:<\?xml[^>]*>\s*)?<playlist[\s>]/i },
  { kind: 'SDP', pattern: /^v=0\r?\n[\s\S]*^[om]=/m },
] as const;

const byteOrderMark = /^\u00ef\u00bb\u00bf/;

function beginning(head: Buffer): string {
  return head.toString('latin1').replace(byteOrderMark, '').trimStart();
}

/**
 * The kind of a playlist; null for other files. ffprobe cannot decide that: it takes a playlist named `.mp4` for a
 * damaged video, and other releases would open the files that it refers to.
 */
export function playlistKind(head: Buffer): string | null {
  const text = beginning(head);
  return playlists.find(({ pattern }) => pattern.test(text))?.kind ?? null;
}

/** Whether a file is MP4, QuickTime or a relative of theirs. */
export function isMp4(head: Buffer): boolean {
  return head.toString('latin1', 4, 8) === 'ftyp';
}

/** Whether a file is an animated WebP image. */
export function isAnimatedWebp(head: Buffer): boolean {
  const isExtended =
    head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 16) === 'WEBPVP8X';
  return isExtended && ((head[20] ?? 0) & 0x02) !== 0;
}

/** Files that others are packed in, by their first bytes. */
const packedKinds = [
  { kind: 'compressed with gzip', start: '\x1f\x8b' },
  { kind: 'compressed with bzip2', start: 'BZh' },
  { kind: 'compressed with xz', start: '\xfd7zXZ\0' },
  { kind: 'compressed with zstd', start: '\x28\xb5\x2f\xfd' },
  { kind: 'a ZIP archive', start: 'PK\x03\x04' },
  { kind: 'a 7z archive', start: '7z\xbc\xaf\x27\x1c' },
  { kind: 'a RAR archive', start: 'Rar!\x1a\x07' },
] as const;

/** Describes a file without media, in words that follow "The file is"; null if unknown. */
export function otherKind(head: Buffer): string | null {
  const text = beginning(head);
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(text)) return 'a web page';
  const packed = packedKinds.find(({ start }) => head.toString('latin1').startsWith(start));
  if (packed !== undefined) return packed.kind;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish binary data from text.
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : 'plain text';
}

/** The document type in the header of a Matroska file, `matroska` or `webm`; null for other files. */
export function matroskaType(head: Buffer): string | null {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return null;
  const at = head.indexOf(Buffer.from([0x42, 0x82]));
  const length = (head[at + 2] ?? 0x80) & 0x7f;
  return at < 0 ? null : head.toString('latin1', at + 3, at + 3 + length).replace(/\0+$/, '');
}
