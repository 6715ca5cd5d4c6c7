import { availableParallelism } from 'node:os';
import type { VencError } from '../../src/shared/errors.js';
import { productVersion } from '../../src/shared/version.js';
import type { FfmpegReport } from '../ffmpeg/index.js';
import { createApp } from '../http/app.js';
import { createRateLimit } from '../http/rate-limit.js';
import { listen } from '../http/server.js';
import { isUpload } from '../http/v2/uploads.js';
import { type AnsweredRequest, createMetrics } from '../metrics/metrics.js';
import { removeDaemonAddress, writeDaemonAddress } from '../store/data-folder/daemon-address.js';
import { isTracingRequested, type Tracing } from '../tracing/tracing.js';
import type { DaemonOptions, OpenAppContext } from './app-options.js';
import { createAppContext } from './create-app-context.js';
import { createLog } from './create-log.js';
import type { DaemonObservers } from './daemon-observers.js';

/** A running daemon. */
interface RunningDaemon {
  readonly url: string;
  /** Resolves to the error if another daemon takes the data folder. The process must end at once then. */
  readonly lost: Promise<VencError>;
  /**
   * Stops gracefully: accepts no more jobs, gives running ones the grace period and puts the rest back to
   * `waiting`. A second call ends the grace period at once.
   */
  stop(): Promise<void>;
}

/** Time for pending responses to complete after the runs have ended, in milliseconds. */
const responseGraceMs = 1000;

/**
 * Starts the daemon: recovers the jobs of an earlier start, serves requests and runs jobs. Rejects with
 * `InUseError` if the port or the data folder is in use, `UsageError` if the folder cannot be written or an
 * option is invalid.
 */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const encodes = options.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2));
  const observers: DaemonObservers = { metrics: createMetrics(), tracing: await openTracing(options) };
  const openContext = await createAppContext({ ...options, encodes, observers });
  try {
    return await serve(openContext, options, encodes, observers);
  } catch (error) {
    await openContext.close(0);
    throw error;
  }
}

/** Starts traces if the environment asks for them. Loads the modules of OpenTelemetry only then. */
async function openTracing({ log }: Pick<DaemonOptions, 'log'>): Promise<Tracing | null> {
  if (!isTracingRequested(process.env)) return null;
  const { startTracing } = await import('../tracing/start-tracing.js');
  return startTracing({ env: process.env, log: createLog(() => new Date(), [log]) });
}

/** A request in the log: `GET http://127.0.0.1:8686/v2/jobs.json (status 200 after 3 ms)`. */
function requestLine({ method, address, status, seconds }: AnsweredRequest): string {
  return `${method} ${address} (status ${status} after ${Math.round(seconds * 1000)} ms)`;
}

async function serve(
  openContext: OpenAppContext,
  options: DaemonOptions,
  encodes: number,
  { metrics, tracing }: DaemonObservers,
): Promise<RunningDaemon> {
  const { appContext } = openContext;
  const { rateLimit } = options;
  const limit = rateLimit === null ? null : createRateLimit(rateLimit, appContext.now);
  const publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? null;
  const takeRateLimitToken = (clientKey: string) => limit?.take(clientKey) ?? null;
  const { page, host } = options;
  const { pageSessions } = appContext;
  const app = createApp(appContext, {
    ...{ publicUrl, takeRateLimitToken },
    ...(page === null || pageSessions === null
      ? {}
      : {
          loadPage: async () => {
            const { openPage } = await import('../web/site.js');
            return openPage(appContext, pageSessions, { host, publicUrl, ...page }, takeRateLimitToken);
          },
        }),
    onAnswered: (request) => {
      metrics.observeRequest(request);
      if (options.isVerbose === true) appContext.log('info', requestLine(request), { isDetail: true });
    },
  });
  const server = await listen(app, {
    ...options,
    hasNoTimeout: isUpload,
    onConnectionLimit: (maxConnections) =>
      appContext.log('warn', `There are ${maxConnections} connections: further ones are rejected.`),
  });
  const url = `http://${reachableHost(options.host)}:${server.port}`;
  try {
    await writeDaemonAddress(options.dataFolder, { url, pid: process.pid });
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
    // A running server would answer from a closed store and keep the process alive.
    await server.close(0);
    await removeDaemonAddress(options.dataFolder).catch(() => undefined);
    throw error;
  }
  let closing: Promise<void> | null = null;
  return {
    url,
    lost: openContext.lost,
    async stop() {
      // Workers keep their jobs: the next start continues them.
      const remote = new Set(appContext.remoteClaims.workers().flatMap(({ jobIds }) => jobIds));
      const running = appContext.queue.running().filter((id) => !remote.has(id));
      appContext.log('info', stopLine(running, closing === null ? options.graceSeconds : 0));
      // Reads and cancels are answered until the last run has ended. A second call ends the grace period.
      const drained = openContext.close(closing === null ? options.graceSeconds * 1000 : 0);
      closing ??= drained
        .then(() => removeDaemonAddress(options.dataFolder))
        .finally(() => tracing?.close())
        .finally(() => server.close(responseGraceMs))
        .then(() => appContext.log('info', 'The daemon has stopped.'));
      await closing;
    },
  };
}

/** A wildcard address is reached through the loopback; IPv6 addresses are written in brackets. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * The log lines at the start of a daemon: its address, data folder, ffmpeg and number of concurrent encodes.
 */
function startLines(daemon: {
  readonly url: string;
  readonly dataFolder: string;
  readonly report: Pick<FfmpegReport, 'ffmpeg' | 'bwrap'>;
  readonly encodes: number;
}): readonly string[] {
  const { ffmpeg, bwrap } = daemon.report;
  const sandbox = bwrap === null ? '' : ' in a sandbox of bubblewrap';
  return [
    `venc ${productVersion} listens at ${daemon.url}. Its data folder is ${daemon.dataFolder}.`,
    // If there is no ffmpeg, the log has a warning.
    ...(ffmpeg === null ? [] : [`It encodes with ffmpeg ${ffmpeg.version} (${ffmpeg.path})${sandbox}.`]),
    daemon.encodes === 0
      ? 'It accepts jobs and encodes none (--jobs 0).'
      : `It encodes ${formatJobCount(daemon.encodes)} at a time (--jobs).`,
  ];
}

/** The log line when a daemon is stopped: which jobs it waits for, and how long. */
function stopLine(running: readonly number[], graceSeconds: number): string {
  if (running.length === 0) return 'Stopping: no job is running.';
  const jobList = `${formatJobCount(running.length)} (${running.join(', ')})`;
  return graceSeconds === 0
    ? `Stopping at once: ${jobList} will run again at the next start.`
    : `Stopping: waiting up to ${graceSeconds} s (--grace) for ${jobList}. Press Ctrl-C again to stop at once; unfinished jobs run again at the next start.`;
}

function formatJobCount(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`;
}
