import type { ExitCode } from '../api/exit-codes.js';
import type { Client } from '../client/client.js';
import { awaitJobs } from './await-jobs.js';
import { jobsGoOn } from './going-on.js';
import { type Interruption, listenForEnd } from './interrupt.js';
import type { Io } from './io.js';
import { activityText } from './print/progress-text.js';
import { openProgress } from './progress-display.js';
import type { ProgressMode } from './progress-mode.js';

export { listenForEnd };

/** Waits for a job that was just submitted, with its progress on stderr. Ends the listening. */
export async function waitWithProgress(
  client: Client,
  id: number,
  options: { readonly interruption: Interruption; readonly mode: ProgressMode; readonly io: Io },
): Promise<ExitCode> {
  const { io, mode } = options;
  const { signal, dispose } = options.interruption;
  const display = await openProgress(io, mode, `job ${id}`);
  try {
    return await awaitJobs(client, [id], io, {
      signal,
      isKnownReachable: true,
      onEvent: (event) => {
        if (event.type === 'progress') {
          display.update(event.job.progress, activityText(event.job), { ...event.job });
        } else {
          if (event.type === 'final' && event.job.state === 'finished')
            display.update(100, 'finished', { id });
          display.stop();
        }
      },
    });
  } catch (error) {
    throw jobsGoOn(error, [id]);
  } finally {
    display.stop();
    dispose();
  }
}

/** Waits in silence for jobs that were just submitted. */
export async function awaitSubmitted(
  client: Client,
  ids: readonly number[],
  io: Io,
  timeoutSeconds: number | null,
): Promise<ExitCode> {
  const { signal, dispose } = listenForEnd(io, timeoutSeconds);
  try {
    return await awaitJobs(client, ids, io, { signal, isKnownReachable: true });
  } catch (error) {
    throw jobsGoOn(error, ids);
  } finally {
    dispose();
  }
}
