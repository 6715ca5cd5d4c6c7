import { join } from 'node:path';
import type { DaemonOptions } from '../../daemon/daemon-options.js';
import { startDaemon } from '../../daemon/main.js';
import type { JobProgressRecord, JobRecord } from '../../src/api/records.js';
import { isFinal } from '../../src/api/states.js';
import { checkAnswersOf } from './checked-fetch.js';
import { tempFolder } from './temp.js';

/** A daemon of a test's own, on a free port and a temporary data folder. */
export interface TestDaemon {
  readonly url: string;
  readonly key: string;
  readonly dataFolder: string;
  readonly logLines: readonly string[];
  /** One request with the owner's key; `path` begins with a slash. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The parsed body of a GET that must answer 200. */
  read<T>(path: string): Promise<T>;
  /** Creates a job and gives its id. Throws with the body where that is refused. */
  create(body: unknown): Promise<number>;
  /** Waits until a job is final. */
  finished(id: number): Promise<JobRecord>;
  /** Waits until the progress of a job is as asked. */
  progressIs(id: number, isSo: (progress: JobProgressRecord) => boolean): Promise<JobProgressRecord>;
  stop(): Promise<void>;
}

/**
 * Starts one with the given options beside those that every test wants. Whatever `fetch` gets from it is checked against the OpenAPI
 * document, and an answer that is not as told there rejects.
 */
export async function startTestDaemon(options: Partial<DaemonOptions> = {}): Promise<TestDaemon> {
  const dataFolder = options.dataFolder ?? join(tempFolder(), 'data');
  const key = 'a-key-for-tests-only';
  const logLines: string[] = [];
  const daemon = await startDaemon({
    host: '127.0.0.1',
    port: 0,
    dataFolder,
    jobs: 1,
    filesRoots: [],
    allowPrivateNetwork: true,
    graceSeconds: 0,
    stallTimeoutSeconds: 5,
    publicUrl: null,
    minFreeBytes: 0,
    maxOutputs: 50,
    rateLimit: null,
    isUsageRebuilt: false,
    ffmpeg: process.env.VENC_FFMPEG ?? null,
    ffprobe: process.env.VENC_FFPROBE ?? null,
    apiKey: key,
    log: (level, message) => logLines.push(`${level} ${message}`),
    ...options,
  });
  const forget = checkAnswersOf(daemon.url);
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
    logLines,
    request,
    read,
    async create(body) {
      const response = await request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
      const answer = (await response.json()) as { id?: string };
      if (response.status !== 201) throw new Error(`create: ${response.status} ${JSON.stringify(answer)}`);
      return Number(answer.id);
    },
    finished: (id) =>
      eventually(
        () => job(id),
        ({ state }) => isFinal(state),
      ),
    progressIs: (id, isSo) => eventually(() => read<JobProgressRecord>(`/v2/jobs/${id}/progress`), isSo),
    async stop() {
      await daemon.stop();
      forget();
    },
  };
}

/** Asks again and again until the answer is as wanted; gives up with the last answer after half a minute. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isSo: (value: T) => boolean,
  limitMs = 30_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() > end) throw new Error(`it never came to be; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
