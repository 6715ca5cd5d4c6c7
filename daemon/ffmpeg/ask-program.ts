import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExecaError, execa } from 'execa';
import { childEnvironment } from '../../src/shared/util/child-environment.js';
import { cacheName, keepText } from './cache-folder.js';

/** Where answers are kept between starts, and whether to ask afresh all the same. */
export interface AskOptions {
  readonly cacheFolder: string;
  readonly isFresh: boolean;
}

const answerSeconds = 20;

/** Why a program did not answer, in a few words that follow its name: `could not be started (EACCES)`. */
function whyNot(error: unknown): string {
  if (!(error instanceof ExecaError)) return 'could not be started';
  if (error.timedOut) return `did not answer within ${answerSeconds} seconds`;
  if (error.exitCode !== undefined)
    return `ended with exit code ${error.exitCode} when asked for its version${lastLine(error.stderr)}`;
  if (error.signal !== undefined) return `was ended by ${error.signal} when asked for its version`;
  return `could not be started (${error.code ?? 'unknown reason'})`;
}

/** What it said last, such as which library it lacks; it may be anything, so it is cut short. */
function lastLine(said: ExecaError['stderr']): string {
  const line =
    String(said ?? '')
      .trim()
      .split('\n')
      .at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}

function keptAnswer(text: string, mark: string): string | null {
  const end = text.indexOf('\n');
  return end >= 0 && text.slice(0, end) === mark ? text.slice(end + 1) : null;
}

/**
 * What is known of a program, kept in the cache by its path, size and time of change and by `name`; `find` finds it out if it is not there.
 * Failures are not kept.
 */
async function cachedFact(
  path: string,
  name: readonly string[],
  options: AskOptions,
  find: () => Promise<string>,
): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  const mark = `${path} ${size} ${mtimeMs}`;
  const file = join(options.cacheFolder, 'answers', cacheName(path, ...name));
  if (!options.isFresh) {
    const kept = keptAnswer(await readFile(file, 'utf8').catch(() => ''), mark);
    if (kept !== null) return kept;
  }
  const fact = await find();
  await keepText(file, `${mark}\n${fact}`);
  return fact;
}

/**
 * What a program prints on stdout for some arguments. Answers are cached, because a start of ffmpeg costs about as much as everything else
 * at the start of the daemon. Rejects with an `Error` whose message follows the program's name.
 */
export function askProgram(path: string, args: readonly string[], options: AskOptions): Promise<string> {
  return cachedFact(path, args, options, async () => {
    try {
      const { stdout } = await execa(path, args, {
        env: childEnvironment(),
        extendEnv: false,
        stdin: 'ignore',
        timeout: answerSeconds * 1000,
      });
      return stdout;
    } catch (error) {
      throw new Error(whyNot(error), { cause: error });
    }
  });
}

/** The SHA-256 of a program's file, in hexadecimal, cached as answers are. Rejects as the file system does. */
export function programChecksum(path: string, options: AskOptions): Promise<string> {
  return cachedFact(path, ['sha256'], options, async () => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
    return hash.digest('hex');
  });
}
