import { extname } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.m4f': 'video/mp4',
  '.mov': 'video/quicktime',
  '.mkv': 'video/x-matroska',
  '.webm': 'video/webm',
  '.ogv': 'video/ogg',
  '.flv': 'video/x-flv',
  '.ts': 'video/mp2t',
  '.3gp': 'video/3gpp',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.ac3': 'audio/ac3',
  '.ec3': 'audio/eac3',
  '.eac3': 'audio/eac3',
  '.wav': 'audio/wav',
  '.flac': 'audio/flac',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.mka': 'audio/x-matroska',
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.mpd': 'application/dash+xml',
  '.m4s': 'video/iso.segment',
  '.vtt': 'text/vtt',
  '.srt': 'application/x-subrip',
  '.ttml': 'application/ttml+xml',
  '.dfxp': 'application/ttml+xml',
  '.smil': 'application/smil+xml',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

/** The file of audio, or of its header, that belongs to a segmented output. */
const audioFile = /-audio(?:-init)?\.mp4$/;

/** The `Content-Type` of a file, by its name. */
export function contentTypeOf(name: string): string {
  if (audioFile.test(name)) return 'audio/mp4';
  return types[extname(name).toLowerCase()] ?? 'application/octet-stream';
}
