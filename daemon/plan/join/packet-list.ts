/** What the packets of the first video of a file show. Times are in seconds, on the clock of the file. */
export interface VideoPackets {
  /** The checksum of the headers of its codec; empty if it stores none outside of the packets. */
  readonly headers: string;
  /** The unit of its timestamps: `1/15360`. */
  readonly timeBase: string;
  readonly count: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The arguments that write the list of the packets of a video, which `parsePackets` reads. */
export function packetListArgs(
  input: readonly string[],
  { videoIndex, list }: { readonly videoIndex: number; readonly list: string },
): readonly string[] {
  const copy = ['-map', `0:${videoIndex}`, '-c', 'copy', '-copyts'];
  return ['-y', ...input, ...copy, '-f', 'framemd5', list];
}

/** The arguments that write the checksums of the frames of a video, which are read by `parseFrames`. */
export function frameListArgs(
  input: readonly string[],
  {
    list,
    videoIndex,
    passthrough,
  }: {
    readonly list: string;
    readonly videoIndex: number;
    readonly passthrough: readonly string[];
  },
): readonly string[] {
  return ['-y', ...input, '-map', `0:${videoIndex}`, ...passthrough, '-f', 'framemd5', list];
}

/** ffmpeg prints the smallest 64-bit number for a packet without a time. */
const noTime = 2 ** 62;

/** Reads the list of `packetListArgs`. Null if there is no packet, or if one has no time. */
export function parsePackets(list: string): VideoPackets | null {
  const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)$/m.exec(list) ?? [];
  const unit = Number(numerator) / Number(denominator);
  const packets = rowsOf(list)
    .map(([, , time, length]) => ({ time: Number(time), length: Number(length) }))
    .toSorted((one, other) => one.time - other.time);
  const [first, last, beforeLast] = [packets[0], packets.at(-1), packets.at(-2)];
  if (first === undefined || last === undefined || packets.some(({ time }) => !(Math.abs(time) < noTime)))
    return null;
  // Some containers do not store how long the last frame is displayed.
  const lastLength =
    last.length > 0 ? last.length : beforeLast === undefined ? 0 : last.time - beforeLast.time;
  return {
    headers: /^#extradata 0,\s*\d+,\s*(\w+)$/m.exec(list)?.[1] ?? '',
    timeBase: `${numerator}/${denominator}`,
    count: packets.length,
    startSeconds: first.time * unit,
    endSeconds: (last.time + lastLength) * unit,
  };
}

/** Reads the checksums of frames, in the order of the file. */
export function parseFrames(list: string): readonly string[] {
  return rowsOf(list).map(([, , , , , checksum = '']) => checksum);
}

/** The rows of stream 0: stream, decoding time, display time, duration, size and checksum. */
function rowsOf(list: string): readonly (readonly string[])[] {
  return list
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter(([stream]) => stream === '0');
}
