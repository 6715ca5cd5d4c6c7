/** Containers whose one word is not the first of ffprobe's names for them. */
const formatWords: Readonly<Record<string, string>> = {
  mov: 'mpeg4',
  mpeg: 'mpeg-ps',
  mpegts: 'mpeg-ts',
  rm: 'realmedia',
  m4v: 'mpeg4-es',
  yuv4mpegpipe: 'y4m',
};

/** One word for a container out of ffprobe's list of names; `documentType` tells the two kinds of Matroska apart. */
export function formatWord(formatName: string, documentType: string | null): string {
  const [first = 'unknown'] = formatName.split(',');
  if (first === 'matroska') return documentType === 'webm' ? 'webm' : 'matroska';
  return formatWords[first] ?? first;
}

/** Whether the name of a demuxer is that of still pictures: `image2`, `png_pipe`, ... */
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

/** What a demuxer that is not on the list is for. */
export function kindOfFormat(name: string): 'playlist' | 'picture' | 'text' | 'other' {
  if (playlistFormats.includes(name)) return 'playlist';
  if (isImageFormat(name)) return 'picture';
  return textFormats.includes(name) ? 'text' : 'other';
}

/** How much of a file's beginning is looked at, in bytes. */
export const headBytes = 4096;

/** Files that lead to other files, by how they begin. */
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
 * The kind of playlist that a file is; null for everything else. ffprobe cannot be asked: it takes the name's word for it
 * that a playlist called `.mp4` is a damaged film, and other releases would open what it leads to.
 */
export function playlistKind(head: Buffer): string | null {
  const text = beginning(head);
  return playlists.find(({ pattern }) => pattern.test(text))?.kind ?? null;
}

/** What a file is in which no media was found, in words that follow "The file is"; null where that cannot be told. */
export function otherKind(head: Buffer): string | null {
  if (head.toString('latin1', 4, 8) === 'ftyp') return 'cut short: its index (moov) is missing';
  const text = beginning(head);
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(text)) return 'a web page';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells bytes from text.
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : 'plain text';
}

/** The document type in the header of a Matroska file, `matroska` or `webm`; null for other files. */
export function matroskaType(head: Buffer): string | null {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return null;
  const at = head.indexOf(Buffer.from([0x42, 0x82]));
  const length = (head[at + 2] ?? 0x80) & 0x7f;
  return at < 0 ? null : head.toString('latin1', at + 3, at + 3 + length).replace(/\0+$/, '');
}
