import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedRecord, JobProgressRecord, JobRecord } from '../src/shared/records.js';
import { routePath } from '../src/shared/routes.js';
import { isFinal } from '../src/shared/states.js';
import { vencPath } from './programs.js';

/** A `venc daemon` in a separate process. */
export interface BenchDaemon {
  readonly url: string;
  readonly pid: number;
  /** The environment in which commands find it. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Submits a job without outputs, or with one, waits until it is finished, and resolves to its id. Rejects if it
   * ends in another state. `pauseMs` is the time between two polls; by default it is short near the end.
   */
  runJob(inputUrl: string, output?: object, pauseMs?: number): Promise<number>;
  /** The total size of the outputs of a job. */
  outputBytesOf(id: number): Promise<number>;
  stop(): Promise<void>;
}

const key = 'a-key-for-the-bench-only';
const headers = { 'Service-Api-Key': key, 'Content-Type': 'application/json' };
// Every request costs the daemon about a millisecond, which must not count as time of the job: polls are rare while
// the end is far.
const maxPauseMs = 250;
const minPauseMs = 15;

/** Starts a daemon on a data folder and waits for its URL. */
export async function startDaemon(
  dataFolder: string,
  filesRoot: string,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<BenchDaemon> {
  const args = [
    'daemon',
    '--port',
    '0',
    '--data',
    dataFolder,
    '--allow-private-network',
    '--files-root',
    filesRoot,
  ];
  const child = spawn(process.execPath, [vencPath, ...args, ...flags], {
    env: { ...process.env, ...env, VENC_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Only warnings and errors of its log are printed.
  createInterface(child.stderr).on('line', (line) => {
    if (!/ info /.test(line)) console.error(line);
  });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`the daemon exited with ${code} before it was ready`);
  });
  failed.catch(() => {});
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  return {
    url,
    pid: child.pid ?? 0,
    env: { ...process.env, VENC_URL: url, VENC_API_KEY: key, VENC_DATA: dataFolder },
    runJob: (inputUrl, output, pauseMs) => runJob(url, { inputUrl, output, pauseMs }),
    async outputBytesOf(id) {
      const { job } = await requestJson<{ readonly job: JobRecord }>(url + routePath('jobDetails', { id }), {
        headers,
      });
      return job.output_media_files.reduce((sum, { file_size_bytes }) => sum + (file_size_bytes ?? 0), 0);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

interface JobToRun {
  readonly inputUrl: string;
  readonly output: object | undefined;
  readonly pauseMs: number | undefined;
}

async function runJob(url: string, { inputUrl, output, pauseMs }: JobToRun): Promise<number> {
  const body = JSON.stringify({ input: inputUrl, ...(output === undefined ? {} : { outputs: [output] }) });
  const created = await requestJson<CreatedRecord>(url + routePath('createJob'), {
    method: 'POST',
    headers,
    body,
  });
  const id = Number(created.id);
  for (;;) {
    const progress = await requestJson<JobProgressRecord>(url + routePath('jobProgress', { id }), {
      headers,
    });
    if (progress.state === 'finished') return id;
    if (isFinal(progress.state)) throw new Error(`job ${id} is ${progress.state}`);
    await sleep(pauseMs ?? pollPauseFor(progress));
  }
}

/** A quarter of the time left that the encoder reports, if it reports any. The steps after the encoding are short. */
function pollPauseFor({ state, outputs: [output] }: JobProgressRecord): number {
  if (state !== 'processing' || output?.current_event !== 'transcoding') return minPauseMs;
  return Math.min(maxPauseMs, Math.max(minPauseMs, (output.eta_in_ms ?? 4 * maxPauseMs) / 4));
}

async function requestJson<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}
