import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

process.once('exit', removeFolders);
// A process that a signal ends gets no exit event unless it handles the signal.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeFolders();
    process.kill(process.pid, signal);
  });
}

/** The names of all files and folders below a folder, also while folders are removed from it. */
export async function listRecursively(folder: string): Promise<readonly string[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true });
    } catch (error) {
      // A subfolder that was removed during the listing fails the whole listing.
      if (
        (error as NodeJS.ErrnoException).code !== 'ENOENT' ||
        (error as NodeJS.ErrnoException).path === folder
      )
        throw error;
    }
  }
}

/**
 * Creates an empty folder in the system's temporary folder, or in another one. It is removed with its content when the process ends, except
 * by SIGKILL.
 */
export function tempFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'venc-test-'));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders.splice(0)) {
    try {
      // Programs that the test started may still write to it.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      console.error(`a temporary folder cannot be removed: ${String(error)}`);
    }
  }
}
