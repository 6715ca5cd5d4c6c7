import type { Client } from '../client/client.js';
import type { ExitCode } from '../shared/exit-codes.js';
import type { ScreenIo } from './mount.js';
import { unfinishedIds, watchExitCode } from './watch-state.js';

/** What the live screen needs. */
export interface WatchScreenOptions {
  readonly client: Client;
  /** The jobs to watch; none: every job that is active, whenever it becomes so. */
  readonly ids: readonly number[];
  readonly io: ScreenIo;
  /** Leaves the screen as `q` does. */
  readonly signal?: AbortSignal;
}

/**
 * Shows jobs on a terminal, live, until those named are over or the person leaves, and resolves to the exit code: 0 when every
 * job finished, 1 when one did not, 130 when the person left before that; the jobs then go on, and a remark says so.
 * Rejects with what cannot pass: a service that never answered, a refused key.
 */
export async function runWatchScreen(options: WatchScreenOptions): Promise<ExitCode> {
  const { client, ids, io, signal } = options;
  // React reads it when it is loaded: its development build is slower in every frame.
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
  if (unfinished.length > 0) io.writeStderr(formatStillRunning(unfinished, last.watchesAllActive));
  return watchExitCode(last);
}

function formatStillRunning(ids: readonly number[], watchesAllActive: boolean): string {
  const subject = ids.length === 1 ? `job ${ids[0]} goes on` : 'the jobs go on';
  return `venc: ${subject}\nvenc: hint: to look again: venc watch${watchesAllActive ? '' : ` ${ids.join(' ')}`}\n`;
}
