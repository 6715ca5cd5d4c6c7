import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VencError } from '../api/errors.js';
import { isUrl } from './run-files.js';

/** Refuses files that are there already. Rejects with `UsageError`. */
export async function refuseToOverwrite(paths: readonly string[]): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    if (!(await isThere(path))) continue;
    throw new VencError('UsageError', `${path} is there already.`, {
      hint: 'overwrite it with --force, or name another file with -o',
    });
  }
}

/** Refuses an output that is the input under another name, a link to it for one. Rejects with `UsageError`. */
export async function refuseInput(input: unknown, paths: readonly string[]): Promise<void> {
  if (typeof input !== 'string' || !input.startsWith('file:')) return;
  const source = await fileId(fileURLToPath(input));
  for (const path of source === null ? [] : paths.filter((one) => !isUrl(one))) {
    if ((await fileId(path)) !== source) continue;
    throw new VencError('UsageError', `${path} is the input itself.`, { hint: 'name another file with -o' });
  }
}

/** What tells a file from every other one, whatever it is called; null where there is none. */
function fileId(path: string): Promise<string | null> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  );
}

/**
 * Refuses files that could not be written, before an hour has gone into them: missing folders are made at the end, so the
 * nearest one that is there must be a folder that takes files. Rejects with `UsageError`.
 */
export async function refuseUnwritable(paths: readonly string[]): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    const folder = await nearest(dirname(resolve(path)));
    const isFolder = await stat(folder).then((found) => found.isDirectory());
    const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(yes, no);
    if (isFolder && isWritable) continue;
    const reason = isFolder ? `you have no permission to write to ${folder}` : `${folder} is no folder`;
    throw new VencError('UsageError', `${path} cannot be written: ${reason}.`, {
      hint: 'name another file with -o',
    });
  }
}

async function nearest(folder: string): Promise<string> {
  const above = dirname(folder);
  return above === folder || (await isThere(folder)) ? folder : nearest(above);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(yes, no);
}

const yes = (): boolean => true;
const no = (): boolean => false;
