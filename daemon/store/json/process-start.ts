import { readFile } from 'node:fs/promises';
import { systemCode } from '../../../src/api/system-code.js';
import { startTicks } from '../../../src/disk/start-ticks.js';

/** Said of every living process where the system does not tell when a process began (no /proc). */
const unknownStart = '-';

/**
 * When a process began, as a word to compare with; null where there is no such process, or only what its
 * parent has yet to be told of. With the pid it names one process: pids are given again, and start times tell them apart.
 */
export async function processStart(pid: number): Promise<string | null> {
  const stat = await statOf(pid);
  if (stat !== null) return startTicks(stat);
  if ((await statOf(process.pid)) !== null) return null;
  return isAlive(pid) ? unknownStart : null;
}

async function statOf(pid: number): Promise<string | null> {
  try {
    return await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // ESRCH too: the process ended while its file was read.
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
