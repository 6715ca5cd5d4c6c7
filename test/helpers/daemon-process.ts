import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { checkAnswersOf } from './checked-fetch.js';

/** The program as shipped. */
const program = fileURLToPath(new URL('../../../bin/venc.js', import.meta.url));

/**
 * Starts `bin/venc.js`, the program as shipped, in its own process, optionally through a launcher such as `unshare` with its
 * options.
 */
export function spawnVenc(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  launcher: readonly string[] = [],
): ChildProcess {
  const [command = process.execPath, ...words] = [...launcher, process.execPath, program, ...args];
  return spawn(command, words, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** A `venc daemon` in its own process, which a test can stop or kill. */
export interface DaemonProcess {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it has written to stderr so far. */
  readonly logged: () => string;
  /** Sends a signal and waits until the process ends. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const started = new Set<ChildProcess>();
/** Daemons that {@link killDaemons} kills. */
const ofThisFile = new Set<ChildProcess>();
process.once('exit', () => killAll(started));

/**
 * Kills the daemons that a test of this file started with {@link startDaemonProcess} and left running. Call it after each suite that
 * starts daemons. Daemons of other files in the same process, which start while all files are loaded, keep running.
 */
export function killDaemons(): void {
  killAll(ofThisFile);
}

function killAll(children: Iterable<ChildProcess>): void {
  for (const child of children) child.kill('SIGKILL');
}

/** The API key of these daemons. */
export const processKey = 'a-key-for-tests-only';

/** Starts a daemon on a free port and waits for the URL on its first line. Its responses are checked, as in daemon.ts. */
export async function startDaemonProcess(
  dataFolder: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<DaemonProcess> {
  const daemon = await launchDaemon(dataFolder, args, env);
  ofThisFile.add(daemon.child);
  daemon.child.once('exit', () => ofThisFile.delete(daemon.child));
  return daemon;
}

/** Starts a daemon that {@link killDaemons} does not kill. It is killed when this process ends. */
export async function launchDaemon(
  dataFolder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<DaemonProcess> {
  const child = spawnVenc(
    ['daemon', '--port', '0', '--data', dataFolder, '--allow-private-network', ...args],
    { VENC_API_KEY: processKey, ...env },
  );
  started.add(child);
  child.once('exit', () => started.delete(child));
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  if (child.stdout === null) throw new TypeError('a daemon has a stdout');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the daemon ended before it was ready: ${log}`);
  });
  ended.catch(() => {});
  const [url] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  child.once('exit', checkAnswersOf(url));
  return {
    url,
    pid: child.pid ?? 0,
    child,
    logged: () => log,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}
