import { availableParallelism } from 'node:os';
import { createApp } from '../http/app.js';
import { createRateLimit } from '../http/rate-limit.js';
import { listen } from '../http/server.js';
import { isUpload } from '../http/v2/uploads.js';
import { removeDaemonAddress, writeDaemonAddress } from '../store/data-folder/daemon-address.js';
import { createAppContext, type OpenAppContext } from './create-app-context.js';
import type { DaemonOptions, RunningDaemon } from './daemon-options.js';
import { startLines, stopLine } from './start-lines.js';

export type { DaemonOptions, RunningDaemon } from './daemon-options.js';

/** Milliseconds for answers under way to end after the runs have. */
const responseGraceMs = 1000;

/**
 * Starts the daemon: takes up what an earlier start left, answers requests and runs jobs. Rejects with `InUseError` where the port or the
 * data folder is in use, `UsageError` where the folder can't be written or an option is wrong.
 */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const openContext = await createAppContext(options);
  try {
    return await serve(openContext, options);
  } catch (error) {
    await openContext.close(0);
    throw error;
  }
}

async function serve(openContext: OpenAppContext, options: DaemonOptions): Promise<RunningDaemon> {
  const { appContext } = openContext;
  const { rateLimit } = options;
  const limit = rateLimit === null ? null : createRateLimit(rateLimit, appContext.now);
  const app = createApp(appContext, {
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    takeRateLimitToken: (clientKey) => limit?.take(clientKey) ?? null,
  });
  const server = await listen(app, {
    ...options,
    hasNoTimeout: isUpload,
    onConnectionLimit: (maxConnections) =>
      appContext.log('warn', `There are ${maxConnections} connections: further ones are closed.`),
  });
  const url = `http://${reachableHost(options.host)}:${server.port}`;
  try {
    await writeDaemonAddress(options.dataFolder, { url, pid: process.pid });
    const encodes = options.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2));
    await openContext.start(encodes);
    for (const line of startLines({
      url,
      dataFolder: options.dataFolder,
      report: openContext.report,
      encodes,
    })) {
      appContext.log('info', line);
    }
    for (const problem of await appContext.checkHealth()) appContext.log('warn', problem);
  } catch (error) {
    // A server that goes on would answer from a store that is closed, and keep the process from ending.
    await server.close(0);
    await removeDaemonAddress(options.dataFolder).catch(() => undefined);
    throw error;
  }
  let closing: Promise<void> | null = null;
  return {
    url,
    lost: openContext.lost,
    async stop() {
      const running = appContext.queue.running();
      appContext.log('info', stopLine(running, closing === null ? options.graceSeconds : 0));
      // Reads and cancels are answered until the last run has ended; a second call ends the grace.
      const drained = openContext.close(closing === null ? options.graceSeconds * 1000 : 0);
      closing ??= drained
        .then(() => removeDaemonAddress(options.dataFolder))
        .finally(() => server.close(responseGraceMs))
        .then(() => appContext.log('info', 'The daemon has stopped.'));
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
