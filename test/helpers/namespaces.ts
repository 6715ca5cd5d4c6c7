import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { processKey, spawnVenc } from './daemon-process.js';
import { tempFolder } from './temp.js';

/** Starts a program in its own PID namespace, as a container does. The program ends when `unshare` is killed. */
const ownPids = ['/usr/bin/unshare', '--fork', '--pid', '--mount-proc', '--kill-child=SIGKILL'] as const;

/** Whether PID namespaces can be created here. If not, prints why the tests that need them are skipped. */
export function canUnshare(): boolean {
  const { status, stderr, error } = spawnSync(ownPids[0], [...ownPids.slice(1), 'true'], {
    encoding: 'utf8',
  });
  if (status === 0) return true;
  process.stdout.write(`skipped: no PID namespace can be created here: ${error?.message ?? stderr.trim()}\n`);
  return false;
}

/** A `venc daemon` that may find its data folder in use. */
export interface NamespacedDaemon {
  readonly key: string;
  /** Resolves to its URL; rejects if the daemon ends first. */
  readonly url: Promise<string>;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
  readonly logged: () => string;
  /** Sends a signal to the daemon itself. */
  signal(name: NodeJS.Signals): void;
}

const started = new Set<ChildProcess>();

/** Kills the daemons that a test left running. */
export function killNamespacedDaemons(): void {
  for (const child of started) child.kill('SIGKILL');
}

/** Starts a daemon in its own PID namespace, on a free port. */
export function startNamespacedDaemon(dataFolder: string, env: NodeJS.ProcessEnv = {}): NamespacedDaemon {
  return startContender(dataFolder, { isNamespaced: true, env });
}

/** Starts a daemon on a free port, in its own PID namespace or in that of the test, without waiting for it. */
export function startContender(
  dataFolder: string,
  { isNamespaced, env }: { readonly isNamespaced: boolean; readonly env: NodeJS.ProcessEnv },
): NamespacedDaemon {
  const args = ['daemon', '--port', '0', '--data', dataFolder, '--allow-private-network', '--grace', '0'];
  const child = spawnVenc(args, { VENC_API_KEY: processKey, ...env }, isNamespaced ? ownPids : []);
  started.add(child);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close').then(([code]) => {
    started.delete(child);
    return code as number | null;
  });
  if (child.stdout === null) throw new TypeError('a daemon has a stdout');
  const line = once(createInterface({ input: child.stdout }), 'line').then(([url]) => String(url));
  const url = Promise.race([
    line,
    ended.then((code) => {
      throw new Error(`the daemon ended with ${code} before it printed its URL: ${log}`);
    }),
  ]);
  url.catch(() => {});
  return {
    key: processKey,
    url,
    ended,
    logged: () => log,
    signal(name) {
      const pid = isNamespaced ? childOf(child) : child.pid;
      if (pid === undefined || child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the daemon ended with ${child.exitCode ?? child.signalCode} before ${name}: ${log}`);
      process.kill(pid, name);
    },
  };
}

/** A PATH with the programs of the tests, but without `flock`. */
export function pathWithoutFlock(): string {
  const folder = join(tempFolder(), 'bin');
  mkdirSync(folder);
  for (const name of ['ffmpeg', 'ffprobe', 'setpriv']) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  return folder;
}

/** The process that `unshare` started; undefined if it has ended. */
function childOf({ pid }: ChildProcess): number | undefined {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return first === '' ? undefined : Number(first);
  } catch {
    return undefined;
  }
}
