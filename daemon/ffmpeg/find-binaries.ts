import { access } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { type Candidate, candidatesFor, type ProgramName, type SearchOptions } from './candidates.js';
import type { Binary, BinarySource } from './ffmpeg-types.js';
import { type ProgramQueryOptions, programChecksum, queryProgram } from './query-program.js';
import { isRecent, readVersion } from './read-version.js';
import { isRunnable, makeRunnable } from './runnable.js';

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
