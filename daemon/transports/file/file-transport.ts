import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { Transport } from '../transport.js';
import { deliverFile } from './deliver.js';
import { readFileUrl } from './file-url.js';
import { removeFile } from './remove.js';
import { type RootFolders, resolveBelow } from './roots.js';
import { sizeOfFile, takeFile } from './take.js';

const notAllowed =
  'names a file on the machine of the daemon, which takes such files only when it is started with --files-root DIR';
const outside = 'must name a file below one of the --files-root folders';
const notRegular = 'must name a regular file, not a folder or a device';

/**
 * Files of this machine, as inputs and as outputs (contract, section 9): below the given roots, symbolic links resolved, when they are
 * named and once more when they are opened. Without a root the scheme is refused, with a sentence that says how to allow it.
 */
export function createFileTransport(roots: RootFolders): Transport {
  return {
    schemes: ['file'],
    async checkInput(url) {
      const reading = readFileUrl(url);
      if (roots.length === 0) return notAllowed;
      if (!reading.ok) return reading.complaint;
      const path = await resolveBelow(roots, reading.path);
      if (path === null) return outside;
      // A missing file is no fault of the request: it may come before its turn does.
      const stats = await stat(path).catch(() => null);
      return stats === null || stats.isFile() ? null : notRegular;
    },
    async checkOutput(url) {
      const reading = readFileUrl(url);
      if (roots.length === 0) return notAllowed;
      if (!reading.ok) return reading.complaint;
      if ((await resolveBelow(roots, dirname(reading.path))) === null) return outside;
      const stats = await lstat(reading.path).catch(() => null);
      return stats === null || stats.isFile() || stats.isSymbolicLink() ? null : notRegular;
    },
    async download(from, toPath, transfer) {
      const reading = readFileUrl(from);
      if (!reading.ok) throw new VencError('DownloadFailureError', `The input ${reading.complaint}.`);
      return takeFile(roots, reading.path, toPath, transfer);
    },
    async sizeOf(from) {
      const reading = readFileUrl(from);
      if (!reading.ok) throw new VencError('DownloadFailureError', `The input ${reading.complaint}.`);
      return sizeOfFile(roots, reading.path);
    },
    async upload(fromPath, to, transfer) {
      const reading = readFileUrl(to);
      if (!reading.ok) throw new VencError('UploadFailureError', `The destination ${reading.complaint}.`);
      return deliverFile(roots, fromPath, reading.path, transfer);
    },
    async remove(url) {
      const reading = readFileUrl(url);
      if (reading.ok) await removeFile(roots, reading.path);
    },
  };
}
