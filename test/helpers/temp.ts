import { mkdtempSync, rmSync } from 'node:fs';
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

/** Creates an empty folder in the system's temporary folder. It is removed with its content when the process ends, except by SIGKILL. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'venc-test-'));
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
