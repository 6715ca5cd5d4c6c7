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
