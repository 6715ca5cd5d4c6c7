import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { childEnvironment } from '../environment.js';

/**
 * The result of a kernel lock attempt on a folder. `busy`: another process has the lock. `unavailable`: kernel locks
 * are not available here.
 */
export type KernelLock =
  | { readonly kind: 'held'; release(): void }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable' };

const unavailable: KernelLock = { kind: 'unavailable' };

/**
 * Tries once to acquire a kernel lock on a folder. The lock lasts until this process ends, however it ends. It is
 * visible to processes in other PID namespaces and containers of the same machine, and a stopped process keeps it.
 * Writes nothing.
 *
 * Node has no call for flock(2). But such a lock belongs to the open file, not to the process that requested it:
 * `flock`, of util-linux or BusyBox, inherits the open folder, locks it and exits, and the lock stays with the file
 * that is open here. The result is `unavailable` without that program, and on network disks that do not support such
 * locks for folders.
 */
export function tryKernelLock(folder: string): Promise<KernelLock> {
  // Node opens files with O_CLOEXEC: an encoder that outlives the daemon does not keep the lock.
  const fd = openSync(folder, 'r');
  return new Promise((resolve) => {
    let isOver = false;
    // A program that cannot be started emits an error, and may emit close as well.
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
      // Both programs exit with 1 and no output if the lock is held; BusyBox exits with 1 and a message if it
      // cannot lock.
      else settle(code === 1 && stderrText === '' ? { kind: 'busy' } : unavailable);
    });
  });
}
