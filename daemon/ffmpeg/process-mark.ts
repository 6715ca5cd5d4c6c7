import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';

/** Start time in clock ticks: field 22 of the line, counted behind the name, which may hold spaces and brackets. */
function startTicks(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A process that has ended and only waits for its parent to notice is none any more.
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return fields[19] ?? null;
}

function linuxMark(pid: number): string | null {
  const ticks = startTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (ticks === null) return null;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot} ${ticks}`;
}

function otherMark(pid: number): string | null {
  const { stdout, failed } = execaSync('ps', ['-o', 'lstart=', '-p', String(pid)], { reject: false });
  return failed || stdout.trim() === '' ? null : stdout.trim();
}

/**
 * What tells a running process from every other that ever has its id: when it started. Null where no such process runs.
 * From `/proc` on Linux, from `ps` elsewhere.
 */
export function processMark(pid: number): string | null {
  try {
    return process.platform === 'linux' ? linuxMark(pid) : otherMark(pid);
  } catch {
    return null;
  }
}
