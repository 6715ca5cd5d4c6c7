import { join } from 'node:path';
import { suite } from 'uvu';
import type { DaemonOptions } from '../../daemon/app/app-options.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons, launchDaemon, processKey } from './daemon-process.js';
import { tempFolder } from './temp.js';
import { pollUntil } from './wait-until.js';

/** The daemon of one test, on a free port, with a temporary data folder. */
export interface TestDaemon {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  readonly logLines: readonly string[];
  /** Sends a request with the owner's key; `path` begins with a slash. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the parsed body of a GET that must be answered with 200. */
  read<T>(path: string): Promise<T>;
  /** Creates a job and returns its id. Throws an error with the body if it is rejected. */
  create(body: unknown): Promise<number>;
  /** Waits until a job is final, by default for at most two minutes. */
  waitForJob(id: number, limitMs?: number): Promise<JobRecord>;
  /** Waits until the progress of a job meets a condition. */
  waitForProgress(
    id: number,
    condition: (progress: JobProgressRecord) => boolean,
  ): Promise<JobProgressRecord>;
  stop(): Promise<void>;
}

/**
 * A suite whose tests share one daemon, `daemon` of their context, which is stopped after them. The options may be a function that
 * prepares the context, for example a folder that the daemon may read. `afterStart` prepares the rest with the running daemon.
 */
export function daemonSuite<Context extends { readonly daemon: TestDaemon } = { daemon: TestDaemon }>(
  name: string,
  options: TestDaemonOptions | ((context: Context) => Promise<TestDaemonOptions>) = {},
  afterStart: (context: Context) => Promise<unknown> = async () => {},
) {
  const test = suite<Context>(name);
  test.before(async (context) => {
    const given = typeof options === 'function' ? await options(context) : options;
    Object.assign(context, { daemon: await startTestDaemon(given) });
    await afterStart(context);
  });
  test.after(async ({ daemon }) => {
    killDaemons();
    await daemon?.stop();
  });
  return test;
}

/** The daemon options that a test can set. */
export type TestDaemonOptions = Partial<Omit<DaemonOptions, 'host' | 'port' | 'log' | 'encodeLimits'>> & {
  readonly encodeLimits?: Partial<DaemonOptions['encodeLimits']>;
};

/**
 * Starts `bin/venc.js daemon` with the given options and the defaults of tests. Every response that `fetch` gets from it is checked
 * against the OpenAPI document. The fetch rejects if the response does not match.
 */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const dataFolder = options.dataFolder ?? join(tempFolder(), 'data');
  const daemon = await launchDaemon(dataFolder, [...flagsOf(options), '--log-format', 'json'], {
    VENC_API_KEY: options.apiKey === undefined ? processKey : (options.apiKey ?? ''),
  });
  const key = processKey;
  const request = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Service-Api-Key', key);
    return fetch(`${daemon.url}${path}`, { ...init, headers });
  };
  const read = async <T>(path: string): Promise<T> => {
    const response = await request(path);
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const job = async (id: number) => (await read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job;
  return {
    url: daemon.url,
    key,
    dataFolder,
    get logLines() {
      return logLinesOf(daemon.logged());
    },
    request,
    read,
    async create(body) {
      const response = await request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
      const answer = (await response.json()) as { id?: string };
      if (response.status !== 201) throw new Error(`create: ${response.status} ${JSON.stringify(answer)}`);
      return Number(answer.id);
    },
    waitForJob: (id, limitMs) =>
      pollUntil(
        () => job(id),
        ({ state }) => isFinal(state),
        limitMs,
      ),
    waitForProgress: (id, condition) =>
      pollUntil(() => read<JobProgressRecord>(`/v2/jobs/${id}/progress`), condition),
    async stop() {
      await daemon.end('SIGTERM');
    },
  };
}

function flagsOf(options: TestDaemonOptions): readonly string[] {
  const values = {
    jobs: options.jobs === undefined ? 1 : options.jobs,
    grace: `${options.graceSeconds ?? 0}s`,
    'stall-timeout': `${options.stallTimeoutSeconds ?? 5}s`,
    'public-url': options.publicUrl,
    hosted: options.hosted,
    'output-dir': options.outputFolder,
    'min-free': options.minFreeBytes === undefined ? 0 : options.minFreeBytes,
    'max-outputs': options.maxOutputs,
    'rate-limit': options.rateLimit,
    // Fake programs read and write files next to themselves.
    sandbox: options.sandbox ?? (options.ffmpeg == null && options.ffprobe == null ? undefined : 'none'),
    ...limitFlagsOf(options.encodeLimits ?? {}),
    ffmpeg: options.ffmpeg ?? process.env.VENC_FFMPEG,
    ffprobe: options.ffprobe ?? process.env.VENC_FFPROBE,
    'keep-days': options.keepDays,
    'keep-jobs': options.keepJobs,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return [
    ...given.map(([name, value]) => `--${name}=${value}`),
    ...(options.filesRoots ?? []).map((folder) => `--files-root=${folder}`),
    ...(options.allowPrivateNetwork === false ? ['--no-allow-private-network'] : []),
    ...(options.isUsageRebuilt === true ? ['--rebuild-usage'] : []),
    ...(options.isVerbose === true ? ['--verbose'] : []),
  ];
}

function limitFlagsOf(limits: Partial<DaemonOptions['encodeLimits']>) {
  return {
    'encode-stall-timeout': limits.stallSeconds,
    'max-encode-time': limits.maxEncodeSeconds,
    'max-output-size': limits.maxOutputBytes,
    'max-input-duration': limits.maxInputSeconds,
    'max-encode-memory': limits.maxMemoryBytes,
    'encode-cpu-factor': limits.cpuFactor,
    'encode-threads': limits.threads,
  };
}

/** The lines of a JSON log, as `level message`. */
function logLinesOf(logged: string): readonly string[] {
  const lines = logged.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => {
    const { level, message }: { level: string; message: string } = JSON.parse(line);
    return `${level} ${message}`;
  });
}
