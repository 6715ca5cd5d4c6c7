import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../helpers/temp.js';

/*
 * A network namespace in which every address of IPv4 and IPv6 is one of this machine, so that a connection to any address arrives at a
 * listener of the test and nothing leaves the machine. The resolver of names is a server of the test at 127.0.0.1.
 */
const setUp = `
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$1" /etc/resolv.conf
mount --bind "$2" /etc/hosts`;

const namespaces = ['--net', '--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];

/** Whether such a network can be made here. If not, prints why the tests that need it are skipped. */
export function canIsolateNetwork(): boolean {
  const { status, stderr, error } = runInNetwork('true');
  if (status === 0) return true;
  process.stdout.write(
    `skipped: no network namespace can be made here: ${error?.message ?? stderr.trim()}\n`,
  );
  return false;
}

function runInNetwork(command: string) {
  const [program = '', ...args] = commandIn(command, []);
  return spawnSync(program, args, { encoding: 'utf8' });
}

function commandIn(command: string, args: readonly string[]): readonly string[] {
  const folder = tempFolder();
  const [resolver, hosts] = [join(folder, 'resolv.conf'), join(folder, 'hosts')];
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:2\n');
  writeFileSync(hosts, '127.0.0.1 localhost\n::1 localhost\n');
  const script = `set -e${setUp}\nshift 2\nexec "$@"`;
  return ['unshare', ...namespaces, 'sh', '-c', script, 'sh', resolver, hosts, command, ...args];
}

/**
 * Runs a compiled module of this folder in such a network, and resolves to the value that it printed as JSON on its last line. Rejects
 * with its stderr if it fails.
 */
export async function runIsolated<T>(moduleName: string): Promise<T> {
  const path = fileURLToPath(new URL(moduleName, import.meta.url));
  const [program = '', ...args] = commandIn(process.execPath, [path]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${moduleName} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}
