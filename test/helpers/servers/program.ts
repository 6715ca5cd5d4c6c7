import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FoundProgram } from './find-program.js';

export * from './find-program.js';

/** How a server is started. It must stay in the foreground. */
export interface ProgramOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Loopback port that accepts connections when the server is ready, or a custom check. */
  readonly ready: number | (() => Promise<boolean>);
  /** Timeout of the start; 20 s by default. */
  readonly readyWithinMs?: number;
}

/** A server process of one test. */
export interface RunningProgram {
  readonly pid: number;
  /** Its output so far, stdout and stderr. */
  readonly log: () => string;
  /** Whether it still runs. */
  readonly isAlive: () => boolean;
  /** Sends a signal to the process and all its descendants. SIGSTOP makes a stalled server. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process and all its descendants by their ids, and waits until they are gone. */
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();

// Runs before the temporary folders are removed, which the servers would write to.
process.prependOnceListener('exit', () => {
  for (const { pid } of running) for (const id of processTree(pid)) send(id, 'SIGKILL');
});

/** Starts a server and waits until it is ready. Rejects with its output if it ends early or is not ready in time. */
export async function startProgram(program: FoundProgram, options: ProgramOptions): Promise<RunningProgram> {
  const child = spawn(program.path, options.args, {
    env: { ...process.env, ...program.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  running.add(child);
  let output = '';
  const onData = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', onData);
  child.stderr.setEncoding('utf8').on('data', onData);
  let failure: Error | null = null;
  child.once('error', (error) => {
    failure = error;
  });
  const isAlive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    for (const id of processTree(child.pid)) send(id, name);
  };
  const end = async () => {
    const members = processTree(child.pid);
    for (const id of members) {
      send(id, 'SIGCONT');
      send(id, 'SIGTERM');
    }
    const endAt = Date.now() + 3_000;
    while (members.some(isRunning) && Date.now() < endAt) await pause(10);
    for (const id of members) send(id, 'SIGKILL');
    while (isAlive()) await pause(10);
    running.delete(child);
  };
  const isReady = typeof options.ready === 'number' ? answers(options.ready) : options.ready;
  const limit = Date.now() + (options.readyWithinMs ?? 60_000);
  while (!(await isReady())) {
    const late = Date.now() > limit;
    if (isAlive() && !late && failure === null) {
      await pause(15);
      continue;
    }
    await end();
    throw new Error(
      `${program.path} ${late ? 'was not ready in time' : 'ended at once'}: ${failure ?? output}`,
    );
  }
  return { pid: child.pid ?? 0, log: () => output, isAlive, signal, end };
}

const execute = promisify(execFile);

/** Runs a program to its end. Resolves to its stdout; rejects if it fails. */
export async function runProgram(
  program: FoundProgram,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await execute(program.path, args, {
    env: { ...process.env, ...program.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Returns distinct free loopback ports. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Returns a free loopback port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Whether a loopback port accepts connections. */
function answers(port: number): () => Promise<boolean> {
  return () =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const answer = (is: boolean) => () => {
        socket.destroy();
        resolve(is);
      };
      socket.once('connect', answer(true)).once('error', answer(false));
    });
}

/** A process and all its descendants from /proc. Process groups and sessions would not do, because servers create their own. */
export function processTree(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent !== null) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (id: number): readonly number[] => [id, ...(parents.get(id) ?? []).flatMap(below)];
  return below(pid);
}

function parentOf(pid: number): number | null {
  try {
    // The name is in parentheses and may contain anything.
    const [, after = ''] = /\)\s+\S\s+(\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(after);
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/\)\s+Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
