import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseStartTicks } from '../start-ticks.js';
import { systemCode } from '../system-code.js';

/**
 * The process that holds a lock, as its lock file names it: one line of words. A pid means something only in its PID namespace, and a
 * namespace only until the machine is started again; the start time tells a process from a later one with the same pid.
 */
export interface LockHolder {
  readonly pid: number;
  /** Ticks between the start of the machine and that of the process; `-` where the system does not tell. */
  readonly startedAt: string;
  /** The machine, the PID namespace and the host name; null in the files of earlier versions, which do not have them. */
  readonly machine: { readonly boot: string; readonly namespace: string; readonly host: string } | null;
  /** Whether the holder has a lock of the kernel as well, which the kernel releases when the process ends. */
  readonly hasKernelLock: boolean;
}

/** What can be said of a holder without waiting. `unknown`: it is in another namespace or hidden from this user. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Said of what the system does not tell. */
const unknownField = '-';

/** This process as a holder. */
export function currentHolder(hasKernelLock: boolean): LockHolder {
  const machine = {
    boot: firstWord('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOfPids(),
    host: hostname().replace(/\s/g, '') || unknownField,
  };
  const startedAt = readStartTicks(process.pid) ?? unknownField;
  return { pid: process.pid, startedAt, machine, hasKernelLock };
}

/** The content of a lock file. */
export function holderText({ pid, startedAt, machine, hasKernelLock }: LockHolder): string {
  const { boot, namespace, host } = machine ?? {
    boot: unknownField,
    namespace: unknownField,
    host: unknownField,
  };
  return `${pid} ${startedAt} ${boot} ${namespace} ${host} ${hasKernelLock ? 'kernel' : unknownField}\n`;
}

/** The holder that a lock file names; null for a text that names none. */
export function parseHolder(text: string): LockHolder | null {
  const words = /^([1-9]\d*) (\S+)(?: (\S+) (\S+) (\S+) (kernel|-))?\n$/.exec(text);
  const [, pid, startedAt, boot, namespace, host, kernel] = words ?? [];
  if (pid === undefined || startedAt === undefined) return null;
  const isComplete = boot !== undefined && namespace !== undefined && host !== undefined;
  const machine = isComplete ? { boot, namespace, host } : null;
  return { pid: Number(pid), startedAt, machine, hasKernelLock: kernel === 'kernel' };
}

/** How a holder is named in a message: `process id 7`, with the host where the process is not of this namespace. */
export function holderName({ pid, machine }: LockHolder): string {
  return isOfThisNamespace(machine)
    ? `process id ${pid}`
    : `process id ${pid} on ${machine?.host ?? unknownField}`;
}

/** Whether both were written on this machine since it was started. */
export function isOfThisBoot({ machine }: LockHolder): boolean {
  return (
    machine !== null && machine.boot !== unknownField && machine.boot === currentHolder(false).machine?.boot
  );
}

/** Whether a holder lives, as far as the system tells. */
export function livenessOf({ pid, startedAt, machine }: LockHolder): Liveness {
  if (!isOfThisNamespace(machine)) return 'unknown';
  const stat = readProcStat(pid);
  // A process that has ended and was not waited for has no start time.
  if (stat !== null) return parseStartTicks(stat) === startedAt ? 'alive' : 'dead';
  const signal = canSignal(pid);
  if (signal === 'none') return 'dead';
  // Without /proc (macOS) the pid is all there is. With it, the process is hidden (hidepid, ProtectProc=) and may be a later one.
  return readProcStat(process.pid) === null ? 'alive' : 'unknown';
}

/** Earlier versions wrote no place: they took every pid for one of their own namespace. */
function isOfThisNamespace(machine: LockHolder['machine']): boolean {
  const ownText = currentHolder(false).machine;
  if (machine === null || ownText === null) return true;
  if (machine.boot !== ownText.boot || machine.namespace !== ownText.namespace) return false;
  return ownText.boot !== unknownField || machine.host === ownText.host;
}

function readStartTicks(pid: number): string | null {
  const stat = readProcStat(pid);
  return stat === null ? null : parseStartTicks(stat);
}

/** At once and not by promise: these files are in memory. */
function readProcStat(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // ESRCH too: the process ended while its file was read.
    return null;
  }
}

function canSignal(pid: number): 'some' | 'none' {
  try {
    process.kill(pid, 0);
    return 'some';
  } catch (error) {
    return systemCode(error) === 'EPERM' ? 'some' : 'none';
  }
}

function firstWord(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim() || unknownField;
  } catch {
    return unknownField;
  }
}

function namespaceOfPids(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\s/g, '');
  } catch {
    return unknownField;
  }
}
