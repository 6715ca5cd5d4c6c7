import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { childEnvironment } from '../child-environment.js';

/** A lock of the kernel on a folder, the fact that another process has it, or that there is none to be had here. */
export type KernelLock =
  | { readonly kind: 'held'; release(): void }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable' };

const unavailable: KernelLock = { kind: 'unavailable' };

/**
 * Asks once for a lock that the kernel keeps on a folder until this process ends, however it ends. Processes in other PID namespaces and
 * containers of the same machine see it, and a process that is stopped keeps it. Nothing is written.
 *
 * Node has no call for flock(2). But such a lock belongs to the open file and not to the process that asked for it: so `flock`, of
 * util-linux or BusyBox, is given the open folder, locks it and ends, and the lock stays with the file that is open here. It is
 * `unavailable` without that program, and on network disks that know no such locks for folders.
 */
export function tryKernelLock(folder: string): Promise<KernelLock> {
  // Node opens with O_CLOEXEC: no encoder that outlives the daemon keeps the lock.
  const fd = openSync(folder, 'r');
  return new Promise((resolve) => {
    let isOver = false;
    // A program that cannot be started gives an error, and may be closed as well.
    const settle = (lock: KernelLock) => {
      if (isOver) return;
      isOver = true;
      if (lock.kind !== 'held') closeSync(fd);
      resolve(lock);
    };
    const child = spawn('flock', ['-n', '3'], {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      env: childEnvironment(),
    });
    let stderrText = '';
    child.stderr?.on('data', (chunk) => {
      stderrText += String(chunk);
    });
    child.once('error', () => settle(unavailable));
    child.once('close', (code) => {
      if (code === 0) settle({ kind: 'held', release: () => closeSync(fd) });
      // Both programs end with 1 and without a word where the lock is held, BusyBox with 1 and words where it cannot be.
      else settle(code === 1 && stderrText === '' ? { kind: 'busy' } : unavailable);
    });
  });
}
