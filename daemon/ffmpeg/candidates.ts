import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
import type { BinarySource } from './ffmpeg-types.js';
import { isRunnable } from './runnable.js';

/** One of the two programs by name. */
export type ProgramName = 'ffmpeg' | 'ffprobe';

/** Where programs are looked for. */
export interface SearchOptions {
  /** The paths or names that the person gave, by program; null or absent where none was. */
  readonly ffmpeg?: string | null;
  readonly ffprobe?: string | null;
  /** Folders to search, as in `PATH`; the environment's where absent. */
  readonly searchPath?: string;
  /** File or folder that packages are looked up from; this module where absent. */
  readonly packagesFrom?: string;
}

/** A place that a program may be at; `path` is null where there is none, and `reason` says why in a few words. */
export interface Candidate {
  readonly source: BinarySource;
  readonly path: string | null;
  readonly reason: string | null;
}

/** Every runnable file of a name in the folders of a search path, in their order. */
export async function searchFor(name: string, searchPath: string): Promise<readonly string[]> {
  const paths = searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, name));
  const runnable = await Promise.all(paths.map(isRunnable));
  return paths.filter((_, index) => runnable[index]);
}

/** The file that a package names as its program: the export itself, or its `path`. */
function packagedPath(name: string, from: string): Candidate['path'] {
  try {
    const exported: unknown = createRequire(from)(name);
    if (typeof exported === 'string') return exported;
    if (typeof exported !== 'object' || exported === null || !('path' in exported)) return null;
    return typeof exported.path === 'string' ? exported.path : null;
  } catch {
    return null;
  }
}

const packages = {
  ffmpeg: { own: 'ffmpeg-static', installer: '@ffmpeg-installer/ffmpeg' },
  // ffmpeg-static has no ffprobe.
  ffprobe: { own: null, installer: '@ffprobe-installer/ffprobe' },
} as const satisfies Record<ProgramName, { own: string | null; installer: string }>;

function packaged(source: BinarySource, name: string, from: string): Candidate {
  const path = packagedPath(name, from);
  return { source, path, reason: path === null ? `the package ${name} is not installed` : null };
}

/**
 * Where a program may be, best first: the path given (then nothing else counts), the one of `ffmpeg-static`, those on
 * the search path, the one of the installer package. A given name without a slash is looked up on the search path.
 */
export async function* candidatesFor(
  program: ProgramName,
  options: SearchOptions,
): AsyncGenerator<Candidate> {
  const searchPath = options.searchPath ?? process.env.PATH ?? '';
  const given = options[program];
  if (given !== undefined && given !== null && given !== '') {
    const [found] = given.includes('/') ? [resolve(given)] : await searchFor(given, searchPath);
    yield { source: 'option', path: found ?? resolve(given), reason: null };
    return;
  }
  const from = options.packagesFrom === undefined ? import.meta.url : join(options.packagesFrom, '_');
  const names = packages[program];
  if (names.own !== null) yield packaged('ffmpeg-static', names.own, from);
  const onPath = await searchFor(program, searchPath);
  if (onPath.length === 0) yield { source: 'PATH', path: null, reason: `no ${program} is on PATH` };
  for (const path of onPath) yield { source: 'PATH', path, reason: null };
  yield packaged('installer', names.installer, from);
}
