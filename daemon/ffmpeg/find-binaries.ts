import { access } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import {
  type Candidate,
  candidatesFor,
  isRunnable,
  makeRunnable,
  type ProgramName,
  type SearchOptions,
} from './candidates.js';
import type { Binary, BinarySource } from './ffmpeg-types.js';
import { type ProgramQueryOptions, programChecksum, queryProgram } from './query-program.js';

/** One place that was looked at for a program. */
export interface CheckedBinary {
  readonly program: ProgramName;
  readonly source: BinarySource;
  /** Null where nothing is in that place. */
  readonly path: string | null;
  /** As printed; null where it did not come to that. */
  readonly version: string | null;
  /** Why it was passed over, in words that may follow its path; null for the one that was chosen. */
  readonly reason: string | null;
}

/** What a search came to. */
export interface FoundBinaries {
  readonly ffmpeg: Binary | null;
  readonly ffprobe: Binary | null;
  /** Every place looked at, in order; those behind a chosen one are not looked at. */
  readonly looked: readonly CheckedBinary[];
}

type CandidateCheck =
  | { readonly binary: Binary }
  | { readonly version: string | null; readonly reason: string };

/** Why a packaged program is not run if its file was changed. */
export const wrongChecksumMessage = 'does not have the SHA-256 of the build that venc was made for';

async function checkCandidate(
  program: ProgramName,
  candidate: Candidate,
  options: ProgramQueryOptions,
): Promise<CandidateCheck> {
  if (candidate.path === null) return { version: null, reason: candidate.reason ?? 'is not there' };
  try {
    await access(candidate.path);
  } catch {
    return { version: null, reason: 'does not exist' };
  }
  try {
    const isPackaged = candidate.source !== 'option' && candidate.source !== 'PATH';
    if (!isPackaged && !(await isRunnable(candidate.path))) {
      return { version: null, reason: 'is no program that this user may run' };
    }
    const path = await makeRunnable(candidate.path, options.cacheFolder);
    const { sha256 } = candidate;
    if (sha256 !== null && (await programChecksum(path, options)) !== sha256) {
      return { version: null, reason: wrongChecksumMessage };
    }
    const parsedVersion = readVersion(await queryProgram(path, ['-version'], options));
    if (parsedVersion === null || parsedVersion.program !== program)
      return { version: null, reason: `is not ${program}` };
    const { version } = parsedVersion;
    if (candidate.source === 'PATH' && !isRecent(parsedVersion))
      return { version, reason: 'is older than 5.0' };
    return { binary: { path, version, source: candidate.source } };
  } catch (error) {
    return { version: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function findBinary(program: ProgramName, options: SearchOptions & ProgramQueryOptions) {
  const looked: CheckedBinary[] = [];
  for await (const candidate of candidatesFor(program, options)) {
    const { source, path } = candidate;
    const check = await checkCandidate(program, candidate, options);
    if ('binary' in check) {
      const { binary } = check;
      looked.push({ program, source, path: binary.path, version: binary.version, reason: null });
      return { binary, looked };
    }
    if (source === 'option') {
      throw new VencError('UsageError', `${path}, given as ${program}, ${check.reason}.`, {
        hint: `Name the program itself with --${program} or VENC_${program.toUpperCase()}, or leave it to be found.`,
      });
    }
    looked.push({ program, source, path, version: check.version, reason: check.reason });
  }
  return { binary: null, looked };
}

/**
 * Looks for ffmpeg and ffprobe in the order of `candidatesFor` and takes the first of each that runs; one on `PATH`
 * must be 5.0 or newer. Rejects with `UsageError`, naming the path, where a path was given that is not the program:
 * something else is never quietly used in its place.
 */
export async function findBinaries(options: SearchOptions & ProgramQueryOptions): Promise<FoundBinaries> {
  const [ffmpeg, ffprobe] = await Promise.all([
    findBinary('ffmpeg', options),
    findBinary('ffprobe', options),
  ]);
  return {
    ffmpeg: ffmpeg.binary,
    ffprobe: ffprobe.binary,
    looked: [...ffmpeg.looked, ...ffprobe.looked],
  };
}

/** What a program says of itself when it is asked for its version. */
interface ProgramVersion {
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
