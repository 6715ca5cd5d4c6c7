/** What a program says of itself when it is asked for its version. */
export interface ProgramVersion {
  /** `ffmpeg` or `ffprobe`, as printed. */
  readonly program: string;
  /** As printed, e.g. `5.1.9-0+deb12u1` or `N-47683-g0e8eb07980-static`. */
  readonly version: string;
  /** The first two parts as a number for comparing (5.1.9 is 5.1); null for builds that bear none. */
  readonly number: number | null;
  /** Major version of the codec library in it, which builds without a number have too; null where it is not told. */
  readonly codecLibrary: number | null;
}

const oldestNumber = 5;
// libavcodec 59 came with release 5.0.
const oldestCodecLibrary = 59;

/** Reads what `-version` printed; null where that is not ffmpeg's or ffprobe's way of speaking. */
export function readVersion(text: string): ProgramVersion | null {
  const words = /^(ff\w+) version (\S+)/m.exec(text);
  if (words?.[1] === undefined || words[2] === undefined) return null;
  // Releases are 5.1.9 or n5.1.9; builds from the development line are N-47683-g0e8eb07980 or 2023-01-30-git-2d202985b7.
  const number = /^n?(\d{1,2}\.\d+)(?:[.\-+~_]|$)/.exec(words[2])?.[1];
  const library = /^libavcodec\s+(\d+)\./m.exec(text)?.[1];
  return {
    program: words[1],
    version: words[2],
    number: number === undefined ? null : Number(number),
    codecLibrary: library === undefined ? null : Number(library),
  };
}

/** Whether a program found by chance (on `PATH`) is 5.0 or newer; builds without a number are judged by their library. */
export function isRecent(version: ProgramVersion): boolean {
  if (version.number !== null) return version.number >= oldestNumber;
  return version.codecLibrary !== null && version.codecLibrary >= oldestCodecLibrary;
}
