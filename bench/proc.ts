import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Seconds of processor time that a process has used, with all its children that have ended (proc(5): utime, stime, cutime,
 * cstime).
 */
export async function cpuSecondsOf(pid: number | 'self'): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may hold blanks: counted from behind it, utime is the 12th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

/** Memory of a process that lies in RAM, in megabytes of 1,000,000 bytes. */
export async function residentMegabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(kibibytes)) throw new Error(`process ${pid} does not tell its memory`);
  return (kibibytes * 1024) / 1_000_000;
}

/** The most memory that a process ever had in RAM, in megabytes of 1,000,000 bytes. */
export async function peakMegabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(kibibytes)) throw new Error(`process ${pid} does not tell its memory`);
  return (kibibytes * 1024) / 1_000_000;
}
