import { lstat, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { identityOf } from '../../../src/shared/util/file-identity.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { mapDiskError } from '../../transfer/disk-errors.js';
import type { Transport } from '../transport.js';
import { deliverFile } from './deliver-file.js';
import { downloadFile, openFile, sizeOfFile } from './download-file.js';
import { parseFileUrl, type RootFolders, resolveBelow } from './file-url.js';

const notAllowedMessage =
  'names a file on the machine of the daemon, which allows such files only if it is started with --files-root DIR';
const outsideRootsMessage = 'must name a file below one of the --files-root folders';
const notRegularMessage = 'must name a regular file, not a folder or a device';

/**
 * The transport of local files (contract, section 9). Files must be below the roots after symbolic links are resolved; this is checked
 * when a request names them and again when they are opened. Without roots, the scheme is rejected with a message that says how to allow it.
 */
export function createFileTransport(roots: RootFolders): Transport {
  return {
    schemes: ['file'],
    async checkInput(url) {
      const parsed = parseFileUrl(url);
      if (roots.length === 0) return notAllowedMessage;
      if (!parsed.ok) return parsed.validationError;
      const path = await resolveBelow(roots, parsed.path);
      if (path === null) return outsideRootsMessage;
      // A missing file does not make the request invalid: it may be created before the job starts.
      const stats = await stat(path).catch(() => null);
      return stats === null || stats.isFile() ? null : notRegularMessage;
    },
    async checkOutput(url) {
      const parsed = parseFileUrl(url);
      if (roots.length === 0) return notAllowedMessage;
      if (!parsed.ok) return parsed.validationError;
      if ((await resolveBelow(roots, dirname(parsed.path))) === null) return outsideRootsMessage;
      const stats = await lstat(parsed.path).catch(() => null);
      return stats === null || stats.isFile() || stats.isSymbolicLink() ? null : notRegularMessage;
    },
    async download(from, toPath, transfer) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return downloadFile(roots, parsed.path, toPath, transfer);
    },
    async sizeOf(from) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return sizeOfFile(roots, parsed.path);
    },
    async open(from) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return openFile(roots, parsed.path);
    },
    async upload(fromPath, to, transfer) {
      const parsed = parseFileUrl(to);
      if (!parsed.ok) throw new VencError('UploadFailureError', `The destination ${parsed.validationError}.`);
      return deliverFile(roots, fromPath, parsed.path, transfer);
    },
    async remove(url, isOwn) {
      const parsed = parseFileUrl(url);
      if (parsed.ok) await removeFile(roots, parsed.path, isOwn);
    },
  };
}

/** Deletes a delivered file below the roots. No-op if it is absent, or if `isOwn` says that another file has its name now. */
export async function removeFile(
  roots: RootFolders,
  path: string,
  isOwn: (file: string) => boolean = () => true,
): Promise<void> {
  const folder = await resolveBelow(roots, dirname(path));
  if (folder === null) {
    throw new VencError(
      'UploadAccessDeniedError',
      'The destination is not below one of the --files-root folders.',
    );
  }
  const resolved = join(folder, basename(path));
  const found = await lstat(resolved, { bigint: true }).then(identityOf, () => null);
  if (found === null || !isOwn(found)) return;
  await unlink(resolved).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw mapDiskError(error, 'upload', 'The destination');
  });
}
