/** Values of `format` that are files of media: names of containers, which are also extensions without the dot. */
const containers = [
  ...(['mp4', 'm4v', 'f4v', 'm4a', 'f4a', 'm4b', 'm4r', 'f4b', 'mov'] as const),
  ...(['3gp', '3gpp', '3g2', '3gp2', '3gpp2', 'flv', 'ts', 'mkv', 'webm'] as const),
  ...(['ogg', 'ogv', 'oga', 'ogx', 'wmv', 'wma', 'aac', 'mp3', 'ac3', 'ec3', 'eac3', 'wav'] as const),
] as const;

/** Values of `format` that are known but cannot be written: playlists, captions, and formats of broadcast and streaming. */
export const rejectedFormats = [
  ...(['dash', 'mpd', 'hls', 'm3u', 'm3u8', 'highwinds', 'scc', 'webvtt', 'vtt', 'dfxp', 'srt'] as const),
  ...(['m4f', 'mj2', 'mjp2', 'mxf', 'ism', 'mss'] as const),
] as const;

/** The values of `format`. */
export const formatNames = [...containers, ...rejectedFormats] as const;
