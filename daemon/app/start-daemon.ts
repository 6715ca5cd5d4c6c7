import { availableParallelism } from 'node:os';
import { createApp } from '../http/app.js';
import { createRateLimit } from '../http/rate-limit.js';
import { listen } from '../http/server.js';
import { isUpload } from '../http/v2/uploads.js';
import { removeDaemonAddress, writeDaemonAddress } from '../store/data-folder/daemon-address.js';
import { type OpenWorkshop, openWorkshop } from './create-app-context.js';
import type { DaemonOptions, RunningDaemon } from './daemon-options.js';
import { startLines, stopLine } from './start-lines.js';

export type { DaemonOptions, RunningDaemon } from './daemon-options.js';

/** Milliseconds for answers under way to end after the runs have. */
const answerGraceMs = 1000;

/**
 * Starts the daemon: takes up what an earlier start left, answers requests and runs jobs. Rejects with `InUseError` where the port or the
 * data folder is in use, `UsageError` where the folder can't be written or an option is wrong.
 */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const open = await openWorkshop(options);
  try {
    return await serve(open, options);
  } catch (error) {
    await open.close(0);
    throw error;
  }
}

async function serve(open: OpenWorkshop, options: DaemonOptions): Promise<RunningDaemon> {
  const { workshop } = open;
  const { rateLimit } = options;
  const limit = rateLimit === null ? null : createRateLimit(rateLimit, workshop.now);
  const app = createApp(workshop, {
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    takeTurn: (who) => limit?.take(who) ?? null,
  });
  const server = await listen(app, {
    ...options,
    isUntimed: isUpload,
    onTooMany: (most) => workshop.log('warn', `There are ${most} connections: further ones are closed.`),
  });
  const url = `http://${reachableHost(options.host)}:${server.port}`;
  try {
    await writeDaemonAddress(options.dataFolder, { url, pid: process.pid });
    const encodes = options.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2));
    await open.begin(encodes);
    for (const line of startLines({ url, dataFolder: options.dataFolder, report: open.report, encodes })) {
      workshop.log('info', line);
    }
    for (const trouble of await workshop.troubles()) workshop.log('warn', trouble);
  } catch (error) {
    // A server that goes on would answer from a store that is closed, and keep the process from ending.
    await server.close(0);
    await removeDaemonAddress(options.dataFolder).catch(() => undefined);
    throw error;
  }
  let closing: Promise<void> | null = null;
  return {
    url,
    lost: open.lost,
    async stop() {
      const running = workshop.queue.running();
      workshop.log('info', stopLine(running, closing === null ? options.graceSeconds : 0));
      // Reads and cancels are answered until the last run has ended; a second call ends the grace.
      const drained = open.close(closing === null ? options.graceSeconds * 1000 : 0);
      closing ??= drained
        .then(() => removeDaemonAddress(options.dataFolder))
        .finally(() => server.close(answerGraceMs))
        .then(() => workshop.log('info', 'The daemon has stopped.'));
      await closing;
    },
  };
}

/** An address that listens everywhere is reached here through the loopback; IPv6 addresses stand in brackets. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
