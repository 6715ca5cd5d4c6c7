import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { startTicks } from '../start-ticks.js';
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
  readonly place: { readonly boot: string; readonly namespace: string; readonly host: string } | null;
  /** Whether the holder has a lock of the kernel as well, which the kernel releases when the process ends. */
  readonly hasKernelLock: boolean;
}

/** What can be said of a holder without waiting. `unknown`: it is in another namespace or hidden from this user. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Said of what the system does not tell. */
const untold = '-';

/** This process as a holder. */
export function thisHolder(hasKernelLock: boolean): LockHolder {
  const place = {
    boot: firstWord('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOfPids(),
    host: hostname().replace(/\s/g, '') || untold,
  };
  const startedAt = startOf(process.pid) ?? untold;
  return { pid: process.pid, startedAt, place, hasKernelLock };
}

/** The content of a lock file. */
export function holderText({ pid, startedAt, place, hasKernelLock }: LockHolder): string {
  const { boot, namespace, host } = place ?? { boot: untold, namespace: untold, host: untold };
  return `${pid} ${startedAt} ${boot} ${namespace} ${host} ${hasKernelLock ? 'kernel' : untold}\n`;
}

/** The holder that a lock file names; null for a text that names none. */
export function readHolder(text: string): LockHolder | null {
  const words = /^([1-9]\d*) (\S+)(?: (\S+) (\S+) (\S+) (kernel|-))?\n$/.exec(text);
  const [, pid, startedAt, boot, namespace, host, kernel] = words ?? [];
  if (pid === undefined || startedAt === undefined) return null;
  const isWhole = boot !== undefined && namespace !== undefined && host !== undefined;
  const place = isWhole ? { boot, namespace, host } : null;
  return { pid: Number(pid), startedAt, place, hasKernelLock: kernel === 'kernel' };
}

/** How a holder is named in a message: `process id 7`, with the host where the process is not of this namespace. */
export function holderName({ pid, place }: LockHolder): string {
  return isOfThisNamespace(place) ? `process id ${pid}` : `process id ${pid} on ${place?.host ?? untold}`;
}

/** Whether both were written on this machine since it was started. */
export function isOfThisBoot({ place }: LockHolder): boolean {
  return place !== null && place.boot !== untold && place.boot === thisHolder(false).place?.boot;
}

/** Whether a holder lives, as far as the system tells. */
export function livenessOf({ pid, startedAt, place }: LockHolder): Liveness {
  if (!isOfThisNamespace(place)) return 'unknown';
  const stat = statOf(pid);
  // A process that has ended and was not waited for has no start time.
  if (stat !== null) return startTicks(stat) === startedAt ? 'alive' : 'dead';
  const signal = canSignal(pid);
  if (signal === 'none') return 'dead';
  // Without /proc (macOS) the pid is all there is. With it, the process is hidden (hidepid, ProtectProc=) and may be a later one.
  return statOf(process.pid) === null ? 'alive' : 'unknown';
}

/** Earlier versions wrote no place: they took every pid for one of their own namespace. */
function isOfThisNamespace(place: LockHolder['place']): boolean {
  const own = thisHolder(false).place;
  if (place === null || own === null) return true;
  if (place.boot !== own.boot || place.namespace !== own.namespace) return false;
  return own.boot !== untold || place.host === own.host;
}

function startOf(pid: number): string | null {
  const stat = statOf(pid);
  return stat === null ? null : startTicks(stat);
}

/** At once and not by promise: these files are in memory. */
function statOf(pid: number): string | null {
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
    return readFileSync(path, 'utf8').trim() || untold;
  } catch {
    return untold;
  }
}

function namespaceOfPids(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\s/g, '');
  } catch {
    return untold;
  }
}
