import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How the names of files begin that get their own name only when they are whole. */
export const temporaryPrefix = '.tmp-';

/** Far longer than any write of a small file takes. */
const abandonedAfterMs = 60_000;

/** Whether a file name is that of a write which a crash broke off: one of ours, or one that conf makes beside its file. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(temporaryPrefix) || /\.json\.tmp-[0-9a-f]{16}$/.test(name);
}

/**
 * The paths of what killed processes left of writes in a folder. Only what is a minute old: other processes may be writing there now, and
 * need no lock for it.
 */
export async function abandonedFiles(folder: string): Promise<readonly string[]> {
  const paths = (await readdir(folder)).filter(isTemporaryName).map((name) => join(folder, name));
  const isAbandoned = await Promise.all(paths.map(isOld));
  return paths.filter((_, index) => isAbandoned[index]);
}

function isOld(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs < Date.now() - abandonedAfterMs,
    () => false,
  );
}
