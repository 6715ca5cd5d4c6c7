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

/** A path that was checked for a program. */
export interface CheckedBinary {
  readonly program: ProgramName;
  readonly source: BinarySource;
  /** Null if there is no file. */
  readonly path: string | null;
  /** As printed by the program; null if it was not run. */
  readonly version: string | null;
  /** Why it was not chosen, in words that follow its path; null for the chosen one. */
  readonly reason: string | null;
}

/** The result of a search. */
export interface FoundBinaries {
  readonly ffmpeg: Binary | null;
  readonly ffprobe: Binary | null;
  /** Every path that was checked, in order, up to the chosen one. */
  readonly looked: readonly CheckedBinary[];
}

type CandidateCheck =
  | { readonly binary: Binary }
  | { readonly version: string | null; readonly reason: string };

/** The reason for not running a packaged program whose file was changed. */
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
      return { version: null, reason: 'is not a program that this user may run' };
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
      throw new VencError('UsageError', `${path}, given as ${program}, ${check.reason.replace(/\.$/, '')}.`, {
        hint: `Give the path of the program with --${program} or VENC_${program.toUpperCase()}, or omit it to search for one.`,
      });
    }
    looked.push({ program, source, path, version: check.version, reason: check.reason });
  }
  return { binary: null, looked };
}

/**
 * Searches for ffmpeg and ffprobe in the order of `candidatesFor` and chooses the first of each that runs. A program on
 * `PATH` must be 5.0 or newer. Rejects with `UsageError` and the path if a given path is not the program: no other
 * program replaces it silently.
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

/** A packaged program from one source; null if it is not there or does not run. */
export async function findPackaged(
  program: ProgramName,
  source: BinarySource,
  options: SearchOptions & ProgramQueryOptions,
): Promise<Binary | null> {
  for await (const candidate of candidatesFor(program, { ...options, [program]: null })) {
    const check = candidate.source === source ? await checkCandidate(program, candidate, options) : null;
    if (check !== null) return 'binary' in check ? check.binary : null;
  }
  return null;
}

/**
 * The newest ffmpeg, for an input that the chosen one cannot decode; null if none is newer than that. Searches as if no
 * path was given.
 */
export async function findNewerFfmpeg(
  chosen: Binary,
  options: SearchOptions & ProgramQueryOptions,
): Promise<Binary | null> {
  const libraryOf = async (path: string) =>
    readVersion(await queryProgram(path, ['-version'], options))?.codecLibrary ?? 0;
  let newest: { readonly binary: Binary | null; readonly library: number } = {
    binary: null,
    library: await libraryOf(chosen.path),
  };
  for await (const candidate of candidatesFor('ffmpeg', { ...options, ffmpeg: null })) {
    const check = await checkCandidate('ffmpeg', candidate, options);
    if (!('binary' in check)) continue;
    const library = await libraryOf(check.binary.path);
    if (library > newest.library) newest = { binary: check.binary, library };
  }
  return newest.binary;
}

/** The version that a program prints. */
interface ProgramVersion {
  /** `ffmpeg` or `ffprobe`, as printed. */
  readonly program: string;
  /** As printed, e.g. `5.1.9-0+deb12u1` or `N-47683-g0e8eb07980-static`. */
  readonly version: string;
  /** The first two parts as a number (5.1.9 is 5.1); null for builds without a version number. */
  readonly number: number | null;
  /** Major version of libavcodec, which builds without a version number print as well; null if missing. */
  readonly codecLibrary: number | null;
}

const oldestNumber = 5;
// libavcodec 59 came with release 5.0.
const oldestCodecLibrary = 59;

/** Parses the output of `-version`; null if it is not that of ffmpeg or ffprobe. */
export function readVersion(text: string): ProgramVersion | null {
  const words = /^(ff\w+) version (\S+)/m.exec(text);
  if (words?.[1] === undefined || words[2] === undefined) return null;
  // Releases are 5.1.9 or n5.1.9; builds from the development line are N-47683-g0e8eb07980 or
  // 2023-01-30-git-2d202985b7.
  const number = /^n?(\d{1,2}\.\d+)(?:[.\-+~_]|$)/.exec(words[2])?.[1];
  const library = /^libavcodec\s+(\d+)\./m.exec(text)?.[1];
  return {
    program: words[1],
    version: words[2],
    number: number === undefined ? null : Number(number),
    codecLibrary: library === undefined ? null : Number(library),
  };
}

/** Whether a program is 5.0 or newer; for builds without a version number, libavcodec decides. */
export function isRecent(version: ProgramVersion): boolean {
  if (version.number !== null) return version.number >= oldestNumber;
  return version.codecLibrary !== null && version.codecLibrary >= oldestCodecLibrary;
}

/** The message if no ffmpeg was found. */
export const missingFfmpegMessage =
  'No ffmpeg and ffprobe were found: install ffmpeg 5.0 or newer, or give the path with --ffmpeg (venc doctor shows details).';
