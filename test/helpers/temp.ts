import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder below the system's temporary one. It is removed with all it holds when the process ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'venc-test-'));
  folders.push(folder);
  return folder;
}
