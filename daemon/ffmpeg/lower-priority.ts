import { getPriority, setPriority } from 'node:os';

/** How many steps an encoder stands behind the process that started it, and the last there is. */
const niceIncrement = 10;
const maxNice = 19;

/**
 * Lowers the priority of a program that was just started: encoders take every processor there is, and a daemon that has to wait
 * for its turn among four of them answers after a second (p99) instead of after some milliseconds. On a machine with nothing else to do they are no slower for it. A
 * program that is gone already, or a system that does not let its priority be changed, is left as it is.
 */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(maxNice, getPriority() + niceIncrement));
  } catch {
    // It goes on as it is.
  }
}
