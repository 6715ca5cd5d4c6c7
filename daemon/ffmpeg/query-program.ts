import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExecaError, execa } from 'execa';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import { childEnvironment, homeFolder } from '../../src/shared/util/environment.js';

/** Where outputs of programs are cached, and whether to ignore the cache. */
export interface ProgramQueryOptions {
  readonly cacheFolder: string;
  readonly isFresh: boolean;
  /**
   * Resolves to the command to prepend to a program, with the limits of the kernel; awaited only if a program is
   * started. None if absent.
   */
  readonly command?: (program: string) => Promise<readonly string[]>;
  /** Distinguishes answers of the same program with the same arguments, such as those in a sandbox. */
  readonly variant?: readonly string[];
}

const queryTimeoutSeconds = 20;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Why a program failed, in words that follow its name: `could not be started (EACCES)`. */
function describeProgramError(error: unknown): string {
  if (!(error instanceof ExecaError)) return 'could not be started';
  if (error.timedOut) return `did not answer within ${queryTimeoutSeconds} seconds`;
  if (error.exitCode !== undefined)
    return `ended with exit code ${error.exitCode} when asked for its version${lastLine(error.stderr)}`;
  if (error.signal !== undefined) return `was ended by ${error.signal} when asked for its version`;
  return `could not be started (${error.code ?? 'unknown reason'})`;
}

/** The last line of stderr, such as which library is missing, at most 200 characters. */
function lastLine(stderr: ExecaError['stderr']): string {
  const line =
    String(stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}

function parseCacheEntry(text: string, cacheTag: string): string | null {
  const end = text.indexOf('\n');
  return end >= 0 && text.slice(0, end) === cacheTag ? text.slice(end + 1) : null;
}

/**
 * Caches a text about a program by the program's path, size and modification time and by `name`. `compute` runs if it
 * is not cached. Errors are not cached.
 */
async function withFileCache(
  path: string,
  name: readonly string[],
  options: ProgramQueryOptions,
  compute: () => Promise<string>,
): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  const cacheTag = `${path} ${size} ${mtimeMs}`;
  const file = join(options.cacheFolder, 'answers', cacheFileName(path, ...name));
  if (!options.isFresh) {
    const cached = parseCacheEntry(await readFile(file, 'utf8').catch(() => ''), cacheTag);
    if (cached !== null) return cached;
  }
  const value = await compute();
  await writeCacheFile(file, `${cacheTag}\n${value}`);
  return value;
}

/**
 * Resolves to the stdout of a program with some arguments. Cached, because a start of ffmpeg takes about as long as
 * everything else at the start of the daemon. Rejects with an `Error` whose message follows the program's name.
 */
export function queryProgram(
  path: string,
  args: readonly string[],
  options: ProgramQueryOptions,
): Promise<string> {
  return withFileCache(path, [...args, ...(options.variant ?? [])], options, async () => {
    const [command = path, ...commandArgs] = [...((await options.command?.(path)) ?? []), path, ...args];
    try {
      const { stdout } = await execa(command, commandArgs, {
        env: childEnvironment(),
        extendEnv: false,
        stdin: 'ignore',
        timeout: queryTimeoutSeconds * 1000,
        maxBuffer: maxAnswerBytes,
      });
      return stdout;
    } catch (error) {
      throw new Error(describeProgramError(error), { cause: error });
    }
  });
}

/** The SHA-256 of a program's file in hexadecimal, cached as well. Rejects with file system errors. */
export function programChecksum(path: string, options: ProgramQueryOptions): Promise<string> {
  return withFileCache(path, ['sha256'], options, async () => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
    return hash.digest('hex');
  });
}

/** The user's cache folder: `$XDG_CACHE_HOME/venc`, else `~/.cache/venc`. */
export function defaultCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const configured = environment.XDG_CACHE_HOME;
  return configured?.startsWith('/') ? join(configured, 'venc') : join(homeFolder(), '.cache', 'venc');
}

/** A short file name in the cache, a hash of its parts. */
export function cacheFileName(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 20);
}

/** Writes a text to the cache. Errors are ignored: the text is computed again next time. */
async function writeCacheFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path), 0o700);
    await replaceFile(path, (file) => file.write(text));
  } catch {
    return;
  }
}
