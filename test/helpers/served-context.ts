import { join } from 'node:path';
import type { AppContext } from '../../daemon/actions/app-context.js';
import { createAppContext } from '../../daemon/app/create-app-context.js';
import { defaultEncodeLimits } from '../../daemon/ffmpeg/index.js';
import { createApp } from '../../daemon/http/app.js';
import { listen } from '../../daemon/http/server.js';
import type { JoinRequest } from '../../daemon/jobs/worker-protocol.js';
import { createMetrics } from '../../daemon/metrics/metrics.js';
import type { SlotTimes } from '../../daemon/queue/slot-schedule.js';
import { writeDaemonAddress } from '../../daemon/store/data-folder/daemon-address.js';
import { productVersion } from '../../src/shared/version.js';
import { checkAnswersOf } from './checked-fetch.js';
import { processKey } from './daemon-process.js';
import { tempFolder } from './temp.js';

/** The daemon of one test, served by this process, so that the test can change its context. It encodes nothing. */
export interface ServedContext {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  readonly appContext: AppContext;
  /** Sends a request with the owner's key; `path` begins with a slash. */
  request(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Serves a data folder, by default a new one, from this process. Responses are checked as those of other test daemons are. `beforeStart` runs
 * when requests are answered already, and the jobs of an earlier daemon are not recovered yet.
 */
export async function serveContext(
  dataFolder = join(tempFolder(), 'data'),
  beforeStart: (appContext: AppContext) => Promise<unknown> = async () => {},
  slotTimes: SlotTimes = {},
): Promise<ServedContext> {
  const { appContext, start, close } = await createAppContext({
    ...{ dataFolder, filesRoots: [], allowPrivateNetwork: true, stallTimeoutSeconds: 5, minFreeBytes: 0 },
    ...{ maxOutputs: 10, encodeLimits: defaultEncodeLimits, apiKey: processKey, log: () => {} },
    ffmpeg: process.env.VENC_FFMPEG ?? null,
    ffprobe: process.env.VENC_FFPROBE ?? null,
    observers: { metrics: createMetrics(), tracing: null },
    slotTimes,
  });
  const app = createApp(appContext, {
    publicUrl: null,
    takeRateLimitToken: () => null,
    onAnswered: () => {},
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, onConnectionLimit: () => {} });
  const url = `http://127.0.0.1:${server.port}`;
  const stopChecks = checkAnswersOf(url);
  await writeDaemonAddress(dataFolder, { url, pid: process.pid });
  await beforeStart(appContext);
  await start(0);
  return {
    url,
    key: processKey,
    dataFolder,
    appContext,
    request: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey, ...init.headers } }),
    async close() {
      await close(0);
      await server.close(0);
      stopChecks();
    },
  };
}

/** The request of a worker that joins. It can encode what ffmpeg has by default. */
export function joinRequest(change: Partial<JoinRequest> = {}): JoinRequest {
  return {
    ...{
      protocol: 1,
      name: 'box',
      version: productVersion,
      ffmpeg: '7.0',
      jobs: 2,
      labels: [],
      services: [],
    },
    capabilities: {
      version: 7,
      encoders: ['libx264', 'aac'],
      filters: ['scale', 'fps', 'format', 'setsar', 'pad', 'crop'],
      muxers: ['mp4'],
      hasFpsMode: true,
    },
    ...change,
  };
}
