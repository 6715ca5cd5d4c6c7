import { unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { mapDiskError } from '../../transfer/disk-errors.js';
import { type RootFolders, resolveBelow } from './roots.js';

/** Deletes a delivered file below the roots. That there is none is as good. */
export async function removeFile(roots: RootFolders, path: string): Promise<void> {
  const folder = await resolveBelow(roots, dirname(path));
  if (folder === null) {
    throw new VencError(
      'UploadAccessDeniedError',
      'The destination is not below one of the --files-root folders.',
    );
  }
  await unlink(join(folder, basename(path))).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw mapDiskError(error, 'upload', 'The destination');
  });
}
