import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { findProgram, type MissingProgram } from './servers/find-program.js';
import { waitUntil } from './wait-until.js';

/*
 * A network of this machine and of namespaces, as a switch with cables:
 *
 *   this machine (.1) ---- bridge in a namespace of its own ---- a namespace for each machine (.2, .3, ...)
 *
 * The namespaces have no names. Each exists because processes in it run, which end with the test, also if that is killed. The kernel removes
 * a namespace with its last process, and a pair of interfaces with the namespace of one of them.
 */

/** A machine of the network, with a network namespace of its own. */
export interface NetworkMachine {
  readonly address: string;
  /** The command that starts a program on this machine. */
  readonly launcher: readonly string[];
  /** Pulls its cable: packets are lost in both directions, and connections stay open at both ends. */
  cut(): void;
  /** Puts the cable back. */
  restore(): void;
}

/** A network of namespaces. */
export interface NamespaceNetwork {
  /** The address of this machine in it. */
  readonly address: string;
  addMachine(): Promise<NetworkMachine>;
  /** Removes the network. Programs that still run on its machines lose it. */
  close(): Promise<void>;
}

const holders = new Set<ChildProcess>();
let networkCount = 0;
process.once('exit', removeNetworks);

/** Removes the networks that a test left behind. */
export function removeNetworks(): void {
  for (const holder of holders) holder.kill('SIGKILL');
}

/** Whether networks can be created here: `ip`, and the right to create namespaces, interfaces and bridges. */
export function findNetworkPrograms(): { readonly ip: string } | MissingProgram {
  const found = findProgram('ip');
  if ('missing' in found) return found;
  const { path: ip } = found;
  const script = `'${ip}' link add one type veth peer name two && '${ip}' link add three type bridge`;
  const { status, stderr, error } = spawnSync('unshare', ['--net', 'sh', '-c', script], { encoding: 'utf8' });
  if (status === 0) return { ip };
  return { missing: `no network namespace can be created here: ${error?.message ?? stderr.trim()}` };
}

/** Creates a network. Its addresses are of the range for benchmarks (RFC 2544), which no other network should use. */
export async function createNetwork(ip: string): Promise<NamespaceNetwork> {
  networkCount += 1;
  const number = (process.pid * 8 + networkCount) % 2 ** 13;
  const addressOf = (host: number) =>
    `198.${18 + (number >> 12)}.${(number >> 4) % 256}.${(number % 16) * 16 + host}`;
  const own: ChildProcess[] = [];
  const createNamespace = async () => {
    const holder = await holdNamespace();
    own.push(holder);
    return holder;
  };
  const run = (namespace: ChildProcess | null, command: string) => {
    const [program = '', ...args] = [
      ...(namespace === null ? [] : enter(namespace)),
      ip,
      ...command.split(' '),
    ];
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${command}: ${error?.message ?? stderr.trim()}`);
  };

  const bridge = await createNamespace();
  const name = `vt${process.pid}-${networkCount}`;
  run(bridge, 'link add bridge type bridge');
  run(bridge, 'link set bridge up');
  run(null, `link add ${name} type veth peer name port1 netns ${bridge.pid}`);
  run(bridge, 'link set port1 master bridge up');
  run(null, `addr add ${addressOf(1)}/28 dev ${name}`);
  run(null, `link set ${name} up`);

  let lastHost = 1;
  return {
    address: addressOf(1),
    async addMachine() {
      const machine = await createNamespace();
      lastHost += 1;
      const address = addressOf(lastHost);
      const port = `port${lastHost}`;
      run(bridge, `link add ${port} type veth peer name cable netns ${machine.pid}`);
      run(bridge, `link set ${port} master bridge up`);
      run(machine, 'link set lo up');
      run(machine, `addr add ${address}/28 dev cable`);
      run(machine, 'link set cable up');
      return {
        address,
        launcher: enter(machine),
        cut: () => run(bridge, `link set ${port} down`),
        restore: () => run(bridge, `link set ${port} up`),
      };
    },
    async close() {
      for (const holder of own) holder.kill('SIGKILL');
      await waitUntil(`${name} is removed`, () => !existsSync(`/sys/class/net/${name}`));
    },
  };
}

/** Starts a process in a new network namespace. */
async function holdNamespace(): Promise<ChildProcess> {
  const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
  holders.add(holder);
  holder.once('exit', () => holders.delete(holder));
  const ownNamespace = readlinkSync('/proc/self/ns/net');
  await waitUntil('the namespace is created', () => {
    if (holder.exitCode !== null) throw new Error(`unshare --net ended with ${holder.exitCode}`);
    return readlinkSync(`/proc/${holder.pid}/ns/net`) !== ownNamespace;
  });
  return holder;
}

/** The command that starts a program in the namespace of a process. The program is killed when the process that starts it ends. */
function enter({ pid }: ChildProcess): readonly string[] {
  return ['setpriv', '--pdeathsig', 'KILL', 'nsenter', `--net=/proc/${pid}/ns/net`];
}
