import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Lends a new empty folder to some work and removes it with all it holds: when the work has ended, and also when the
 * program leaves at once.
 */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'venc-'));
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', leave);
  try {
    return await use(folder);
  } finally {
    process.off('exit', leave);
    await rm(folder, { recursive: true, force: true });
  }
}
