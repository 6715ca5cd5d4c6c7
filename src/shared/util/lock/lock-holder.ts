import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { procStatFields } from '../proc-stat.js';
import { systemCode } from '../system-code.js';

/**
 * The process that holds a lock, as its lock file names it on one line. A pid is valid only in its PID
 * namespace, and a namespace only until a reboot; the start time distinguishes a process from a later one with the
 * same pid.
 */
export interface LockHolder {
  readonly pid: number;
  /** Ticks between the boot of the machine and the start of the process; `-` if unknown. */
  readonly startedAt: string;
  /**
   * The boot, the PID namespace and the host name; null in lock files of earlier versions, which do not contain them.
   */
  readonly machine: { readonly boot: string; readonly namespace: string; readonly host: string } | null;
  /** Whether the holder also has a kernel lock, which the kernel releases when the process ends. */
  readonly hasKernelLock: boolean;
}

/**
 * The state of a holder, determined without waiting. `unknown`: it is in another namespace or hidden from this user.
 */
type Liveness = 'alive' | 'dead' | 'unknown';

/** Placeholder for unavailable information. */
const notAvailable = '-';

/** This process as a holder. */
export function currentHolder(hasKernelLock: boolean): LockHolder {
  const machine = {
    boot: firstWord('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOfPids(),
    host: hostname().replace(/\s/g, '') || notAvailable,
  };
  const startedAt = readStartTicks(process.pid) ?? notAvailable;
  return { pid: process.pid, startedAt, machine, hasKernelLock };
}

/** The content of a lock file. */
export function holderText({ pid, startedAt, machine, hasKernelLock }: LockHolder): string {
  const { boot, namespace, host } = machine ?? {
    boot: notAvailable,
    namespace: notAvailable,
    host: notAvailable,
  };
  return `${pid} ${startedAt} ${boot} ${namespace} ${host} ${hasKernelLock ? 'kernel' : notAvailable}\n`;
}

/** Parses the content of a lock file; null if it names no holder. */
export function parseHolder(text: string): LockHolder | null {
  const words = /^([1-9]\d*) (\S+)(?: (\S+) (\S+) (\S+) (kernel|-))?\n$/.exec(text);
  const [, pid, startedAt, boot, namespace, host, kernel] = words ?? [];
  if (pid === undefined || startedAt === undefined) return null;
  const isComplete = boot !== undefined && namespace !== undefined && host !== undefined;
  const machine = isComplete ? { boot, namespace, host } : null;
  return { pid: Number(pid), startedAt, machine, hasKernelLock: kernel === 'kernel' };
}

/** The name of a holder in messages: `process id 7`, with the host if the process is in another namespace. */
export function holderName({ pid, machine }: LockHolder): string {
  return isOfThisNamespace(machine)
    ? `process id ${pid}`
    : `process id ${pid} on ${machine?.host ?? notAvailable}`;
}

/** Whether the holder was started since the last boot of this machine. */
export function isOfThisBoot({ machine }: LockHolder): boolean {
  return (
    machine !== null && machine.boot !== notAvailable && machine.boot === currentHolder(false).machine?.boot
  );
}

/** The state of a holder, from the information of the system. */
export function livenessOf({ pid, startedAt, machine }: LockHolder): Liveness {
  if (!isOfThisNamespace(machine)) return 'unknown';
  const stat = readProcStat(pid);
  // A zombie process has no start time.
  if (stat !== null) return parseStartTicks(stat) === startedAt ? 'alive' : 'dead';
  const signal = canSignal(pid);
  if (signal === 'none') return 'dead';
  // Without /proc (macOS) only the pid is available. With /proc, the process is hidden (hidepid, ProtectProc=) and
  // may be a later one.
  return readProcStat(process.pid) === null ? 'alive' : 'unknown';
}

/** Earlier versions did not record the machine and assumed that every pid is in their own namespace. */
function isOfThisNamespace(machine: LockHolder['machine']): boolean {
  const own = currentHolder(false).machine;
  if (machine === null || own === null) return true;
  if (machine.boot !== own.boot || machine.namespace !== own.namespace) return false;
  return own.boot !== notAvailable || machine.host === own.host;
}

function readStartTicks(pid: number): string | null {
  const stat = readProcStat(pid);
  return stat === null ? null : parseStartTicks(stat);
}

/** Synchronous, because these files are in memory. */
function readProcStat(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // Also ESRCH: the process ended while its file was read.
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
    return readFileSync(path, 'utf8').trim() || notAvailable;
  } catch {
    return notAvailable;
  }
}

function namespaceOfPids(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\s/g, '');
  } catch {
    return notAvailable;
  }
}

/**
 * The start time of a process in ticks since boot, from the text of its /proc/PID/stat (field 22). Null for a
 * zombie process.
 */
export function parseStartTicks(stat: string): string | null {
  const fields = procStatFields(stat);
  const isDead = fields[0] === 'Z' || fields[0] === 'X';
  return isDead ? null : (fields[19] ?? null);
}
