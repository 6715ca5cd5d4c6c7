import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExecaError, execa } from 'execa';
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
 * What a program prints on stdout for some arguments. Answers are kept in the cache by the program's path, size and
 * time of change, because a start of ffmpeg costs about as much as everything else at the start of the daemon.
 * Rejects with an `Error` whose message follows the program's name. Failures are not kept.
 */
export async function askProgram(
  path: string,
  args: readonly string[],
  options: AskOptions,
): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  const mark = `${path} ${size} ${mtimeMs}`;
  const file = join(options.cacheFolder, 'answers', cacheName(path, ...args));
  if (!options.isFresh) {
    const kept = keptAnswer(await readFile(file, 'utf8').catch(() => ''), mark);
    if (kept !== null) return kept;
  }
  try {
    const { stdout } = await execa(path, args, { stdin: 'ignore', timeout: answerSeconds * 1000 });
    await keepText(file, `${mark}\n${stdout}`);
    return stdout;
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
}
