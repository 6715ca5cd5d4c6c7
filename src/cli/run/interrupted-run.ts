import { access, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { VencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import { isUrl } from '../../shared/text/url-text.js';

/** The number of outputs that a message names. */
const maxNamed = 3;

/** The folders that do not exist and that files need, inner ones first, with absolute paths. URLs need none. */
export async function foldersToCreate(paths: readonly string[]): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const path of paths.filter((one) => !isUrl(one)))
    for (let folder = dirname(resolve(path)); !folders.has(folder); folder = dirname(folder)) {
      if (await isThere(folder)) break;
      folders.add(folder);
    }
  return [...folders].toSorted((one, other) => other.length - one.length);
}

/** Removes those of the folders that exist and are empty, in the given order. Never rejects. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {});
}

/** The error for an interrupted run. It names the finished outputs, which stay. `destinations` has one path or URL for each output. */
export function interruptedError(job: JobRecord, destinations: readonly string[]): VencError {
  const finished = destinations.filter((_, index) => job.output_media_files[index]?.state === 'finished');
  const cancelled = 'Interrupted: the encoding was cancelled';
  if (finished.length === 0)
    return new VencError('InterruptedError', `${cancelled} and nothing was left behind.`);
  const named = finished.slice(0, maxNamed).join(', ');
  const more = finished.length > maxNamed ? ` and ${finished.length - maxNamed} more` : '';
  const what = finished.length === 1 ? '1 finished output stays' : `${finished.length} finished outputs stay`;
  return new VencError('InterruptedError', `${cancelled}. ${what}: ${named}${more}.`, {
    hint: 'the same command with --force encodes these again',
  });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
