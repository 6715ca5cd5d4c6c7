/** Values of `format` that are files of media: names of containers, which are also extensions without the dot. */
const containers = [
  ...(['mp4', 'm4v', 'f4v', 'm4a', 'f4a', 'm4b', 'm4r', 'f4b', 'mov'] as const),
  ...(['3gp', '3gpp', '3g2', '3gp2', '3gpp2', 'flv', 'ts', 'mkv', 'webm'] as const),
  'm4f',
  ...(['ogg', 'ogv', 'oga', 'ogx', 'wmv', 'wma', 'aac', 'mp3', 'ac3', 'ec3', 'eac3', 'wav'] as const),
] as const;

/** Values of `format` that are known but cannot be written: playlists. */
export const playlistFormats = ['dash', 'mpd', 'hls', 'm3u', 'm3u8', 'highwinds'] as const;
/** Captions. */
export const captionFormats = ['scc', 'webvtt', 'vtt', 'dfxp', 'srt'] as const;
/** Formats of broadcast and streaming. */
export const otherRejectedFormats = ['mj2', 'mjp2', 'mxf', 'ism', 'mss'] as const;

/** All values of `format` that cannot be written. */
export const rejectedFormats = [...playlistFormats, ...captionFormats, ...otherRejectedFormats] as const;

/** The values of `format`. */
export const formatNames = [...containers, ...rejectedFormats] as const;
