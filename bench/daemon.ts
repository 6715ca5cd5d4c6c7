import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Client, createClient } from '../src/client/client.js';
import { normaliseCreated } from '../src/shared/client/normalise.js';
import { vencPath } from './programs.js';

/** A `venc daemon` in a separate process. */
export interface BenchDaemon {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** The environment in which commands find it. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Submits a job without outputs, or with one, waits for the event that it is finished, and resolves to its id. Rejects if it ends in
   * another state.
   */
  runJob(inputUrl: string, output?: object): Promise<number>;
  /** The total size of the outputs of a job. */
  outputBytesOf(id: number): Promise<number>;
  stop(): Promise<void>;
}

const key = 'a-key-for-the-bench-only';

/** Starts a daemon on a data folder and waits for its URL. `program` runs instead of `bin/venc.js`, with a channel for messages. */
export async function startDaemon(
  dataFolder: string,
  filesRoot: string,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  program?: string,
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
  const child = spawn(process.execPath, [program ?? vencPath, ...args, ...flags], {
    env: { ...process.env, ...env, VENC_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe', program === undefined ? 'ignore' : 'ipc'],
  }) as ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };
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
  const client = createClient({ url, apiKey: key });
  return {
    url,
    pid: child.pid ?? 0,
    child,
    env: { ...process.env, VENC_URL: url, VENC_API_KEY: key, VENC_DATA: dataFolder },
    runJob: (inputUrl, output) => runJob(client, inputUrl, output),
    async outputBytesOf(id) {
      const job = await client.job(id);
      return job.output_media_files.reduce((sum, { file_size_bytes }) => sum + (file_size_bytes ?? 0), 0);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function runJob(client: Client, inputUrl: string, output: object | undefined): Promise<number> {
  const outputs = output === undefined ? {} : { outputs: [output] };
  const id = Number(
    normaliseCreated((await client.call('createJob', { body: { input: inputUrl, ...outputs } })).body).id,
  );
  const updates = await client.jobUpdates(id);
  if (updates.kind !== 'events') throw new Error('the daemon must have event streams');
  let state: string | null = null;
  await updates.subscribe(({ job }) => {
    state = job.state;
  });
  if (state !== 'finished') throw new Error(`job ${id} is ${state ?? 'without events'}`);
  return id;
}
