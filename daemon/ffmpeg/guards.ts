/** Pictures and frames beyond this are refused before they are decoded (contract, section 11). */
export const maxPixels = 36_000_000;

/**
 * Demuxers that inputs may be read with: files that hold their media themselves. No playlist (hls, dash, concat, sdp),
 * no picture sequence (image2) and no device or filter (lavfi) is among them, since those lead to other files and hosts.
 * Names that an ffmpeg does not know are no trouble to it.
 */
const demuxers = [
  ...['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2', 'matroska', 'webm', 'avi', 'flv', 'mpegts', 'mpeg', 'asf'],
  ...['ogg', 'mp3', 'aac', 'wav', 'w64', 'flac', 'ac3', 'eac3', 'amr', 'amrnb', 'amrwb', 'caf', 'aiff', 'au'],
  ...['dts', 'dtshd', 'truehd', 'mxf', 'gxf', 'nut', 'rm', 'dv', 'h261', 'h263', 'h264', 'hevc', 'm4v'],
  ...['mpegvideo', 'vc1', 'ivf', 'obu', 'gif', 'apng', 'wtv', 'wv', 'ape', 'tta', 'yuv4mpegpipe'],
] as const;

/** Each guard is an option of an input, in front of its `-i`. */
const guards = [
  { option: '-protocol_whitelist', value: 'file,pipe' },
  { option: '-format_whitelist', value: demuxers.join(',') },
  { option: '-max_pixels', value: String(maxPixels) },
] as const;

/** The options that keep an input to itself; what ffprobe gets. */
export const inputGuards: readonly string[] = guards.flatMap(({ option, value }) => [option, value]);

/**
 * The arguments with every input guarded: where a guard is missing in front of an `-i` it is put there; one that is
 * there stays as it is. An input whose format is fixed by `-f` (a watermark, a generated source) needs no list of formats.
 */
export function guardInputs(args: readonly string[]): readonly string[] {
  const guarded: string[] = [];
  let start = 0;
  for (const [index, arg] of args.entries()) {
    if (arg !== '-i') continue;
    const own = args.slice(start, index);
    const isFixed = own.includes('-f');
    const missing = guards.filter(
      ({ option }) => !own.includes(option) && !(isFixed && option === '-format_whitelist'),
    );
    guarded.push(...own, ...missing.flatMap(({ option, value }) => [option, value]), '-i');
    start = index + 1;
  }
  return [...guarded, ...args.slice(start)];
}
