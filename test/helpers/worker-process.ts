import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawnVenc } from './daemon-process.js';
import { tempFolder } from './temp.js';

/** How a `venc` process has ended. */
export interface EndedProcess {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `venc worker` in its own process. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly dataFolder: string;
  /** What it has written to stdout and stderr so far. */
  readonly written: () => string;
  /** Resolves when it has ended, with everything that it has written. */
  readonly ended: Promise<EndedProcess>;
  /** Sends a signal and waits until it has ended. */
  end(signal: NodeJS.Signals): Promise<EndedProcess>;
}

const started = new Set<ChildProcess>();
process.once('exit', killWorkers);

/** Kills the workers that a test left running, also frozen ones. */
export function killWorkers(): void {
  for (const child of started) child.kill('SIGKILL');
}

/** Runs `venc` to its end. */
export async function runVenc(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<EndedProcess> {
  return track(spawnVenc(args, env), input).ended;
}

/** Creates a key for workers in the data folder of a daemon. */
export async function createWorkerKey(dataFolder: string): Promise<string> {
  const { code, stdout, stderr } = await runVenc(['keys', 'create', '--worker', '--data', dataFolder]);
  if (code !== 0) throw new Error(`venc keys create --worker: ${stderr}`);
  return stdout.trim();
}

/**
 * Starts a worker that works in a folder of its own unless one is given, optionally through a launcher, which becomes the worker: `nsenter`
 * does.
 */
export function startWorker(
  url: string,
  token: string,
  args: readonly string[] = [],
  dataFolder = tempFolder(),
  env: NodeJS.ProcessEnv = {},
  launcher: readonly string[] = [],
): WorkerProcess {
  const fixed = ['--join', url, '--data', dataFolder, '--jobs', '1', '--allow-private-network'];
  const child = spawnVenc(['worker', ...fixed, ...args], { VENC_WORKER_TOKEN: token, ...env }, launcher);
  return { dataFolder, ...track(child) };
}

/** The processes of ffmpeg that a worker has recorded: they run, or ended a moment ago. */
export async function encodersOf({
  dataFolder,
}: Pick<WorkerProcess, 'dataFolder'>): Promise<readonly number[]> {
  const scratch = join(dataFolder, 'worker', 'scratch');
  const names = await readdir(scratch, { recursive: true }).catch(() => []);
  return names.flatMap((name) => /\.ffmpeg-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** Whether a process runs. One that has ended may have an entry until its parent reads its exit code. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !/\) [ZX] /.test(stat);
}

function track(child: ChildProcess, input = ''): Omit<WorkerProcess, 'dataFolder'> {
  started.add(child);
  let written = '';
  child.stdin?.end(input);
  const read = (stream: ChildProcess['stdout']): Promise<string> => {
    stream?.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
    return stream === null ? Promise.resolve('') : text(stream);
  };
  const streams = Promise.all([read(child.stdout), read(child.stderr)]);
  const ended = once(child, 'exit').then(async ([code]) => {
    started.delete(child);
    const [stdout, stderr] = await streams;
    return { code: code as number | null, stdout, stderr };
  });
  return {
    child,
    ended,
    written: () => written,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
