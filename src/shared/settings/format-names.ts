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

/** The extension of a generated name, by `video_codec`: the container that most players support. */
export const videoExtensions = {
  ...({ h264: '.mp4', hevc: '.mp4', av1: '.mp4', mpeg4: '.mp4', jp2: '.mp4' } as const),
  ...({ vp8: '.webm', vp9: '.webm', theora: '.ogv', wmv: '.wmv', vp6: '.flv' } as const),
} as const;

/** The same of an output without video, by `audio_codec`. */
export const audioExtensions = {
  ...({ aac: '.m4a', mp3: '.mp3', vorbis: '.oga', opus: '.webm', ac3: '.ac3', eac3: '.ec3' } as const),
  ...({ pcm: '.wav', wma: '.wma', amr: '.3gp' } as const),
} as const;
