import { access, chmod, constants, copyFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import { cacheFileName } from './cache-folder.js';

/** Whether this user may run a file. */
export async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * A path under which this user may run a program: its own where that works, else that of a copy in the cache.
 * The installer packages hold their files as 0644 or as root's own and leave the rest to an install script, which does
 * not run everywhere; changing the package's own file would need rights that a user of it may not have.
 * Rejects as the file system does.
 */
export async function makeRunnable(path: string, cacheFolder: string): Promise<string> {
  if (await isRunnable(path)) return path;
  const { size, mtimeMs } = await stat(path);
  const folder = cacheFileName(path, String(size), String(mtimeMs));
  const copy = join(cacheFolder, 'programs', folder, basename(path));
  if (await isRunnable(copy)) return copy;
  await makeFolder(dirname(copy), 0o700);
  await replaceFile(copy, async (_file, temporary) => {
    await copyFile(path, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o700);
  });
  return copy;
}
