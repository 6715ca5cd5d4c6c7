import type { Client } from '../client/client.js';
import type { ExitCode } from '../shared/exit-codes.js';
import type { ScreenIo } from './mount.js';
import { unfinishedIds, watchExitCode } from './watch-state.js';
import type { WatchState } from './watch-types.js';

/** Options of the live screen. */
interface WatchScreenOptions {
  readonly client: Client;
  /** The jobs to watch; if empty, all active jobs. */
  readonly ids: readonly number[];
  readonly io: ScreenIo;
  /** Leaves the screen, like `q`. */
  readonly signal?: AbortSignal;
}

/**
 * Shows jobs live on a terminal until the named jobs have ended or the user leaves. Resolves to the exit code: 0 if
 * every job finished, 1 if one did not, 130 if the user left earlier; a message then says that the jobs are still
 * running. Rejects with permanent errors: the service never answered, or the key was rejected.
 */
export async function runWatchScreen(options: WatchScreenOptions): Promise<ExitCode> {
  const { client, ids, io, signal } = options;
  // React reads it on import. Its development build draws frames more slowly.
  const { env } = process;
  env.NODE_ENV ??= 'production';
  const [{ mountScreen }, { WatchSession }] = await Promise.all([
    import('./mount.js'),
    import('./watch-session.js'),
  ]);
  const session = new WatchSession({
    client,
    ids,
    signal,
    mount: (first, listeners) => mountScreen(io, first, listeners),
  });
  const last = await session.run();
  const unfinished = unfinishedIds(last);
  if (unfinished.length > 0) io.writeInfo(formatStillRunning(unfinished, last));
  return watchExitCode(last);
}

function formatStillRunning(
  ids: readonly number[],
  { watchesAllActive, unreachableSinceMs }: Pick<WatchState, 'watchesAllActive' | 'unreachableSinceMs'>,
): string {
  const jobs = ids.length === 1 ? `job ${ids[0]}` : 'the jobs';
  const running = `${jobs} ${ids.length === 1 ? 'is' : 'are'} still running`;
  const subject =
    unreachableSinceMs === null
      ? running
      : `the service could not be reached; the state of ${jobs} is unknown`;
  return `venc: ${subject}\nvenc: hint: to watch again: venc watch${watchesAllActive ? '' : ` ${ids.join(' ')}`}\n`;
}
