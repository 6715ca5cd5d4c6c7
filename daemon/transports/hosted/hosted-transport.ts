import { link, open, unlink } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import { parseFileRefUrl } from '../../hosted-files/file-ref.js';
import type { HostedFile, HostedFileStore } from '../../hosted-files/hosted-file-store.js';
import type { FileFacts } from '../../jobs/job.js';
import { copyToFile } from '../../transfer/copy-to-file.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { measureAndFlush, measureFile } from '../../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import type { Transport } from '../transport.js';

/**
 * The transport of outputs that the daemon hosts, at `hosted://TOKEN/NAME` (section 1). The file is measured, then moved into the store.
 * Only the daemon creates such URLs; clients cannot use one as a destination.
 */
export function createHostedTransport(hosted: HostedFileStore): Transport {
  return {
    schemes: ['hosted'],
    checkOutput: async (url) =>
      parseFileRefUrl(url) === null ? 'is not a valid URL of a hosted file' : null,
    async upload(fromPath, to, transfer) {
      const ref = parseFileRefUrl(to);
      if (ref === null)
        throw new VencError('UploadFailureError', 'The destination is not a valid URL of a hosted file.');
      try {
        const facts = await measureToStore(fromPath, transfer);
        transfer.signal.throwIfAborted();
        await hosted.put(fromPath, ref);
        return facts;
      } catch (error) {
        transfer.signal.throwIfAborted();
        throw mapLocalDiskError(error, 'upload');
      }
    },
    async remove(url) {
      const ref = parseFileRefUrl(url);
      if (ref !== null) await hosted.remove(ref);
    },
  };
}

async function measureToStore(path: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await measureAndFlush(handle, transfer);
  } finally {
    await handle.close();
  }
}

/**
 * The transport of inputs that were uploaded to the daemon, at `upload://TOKEN/NAME` (contract, section 9). An upload is available to the
 * account that created it for 24 hours. Files in the store are never modified, so a hard link replaces a copy, and it stays valid after the
 * store deletes its own name.
 */
export function createUploadTransport(uploads: HostedFileStore): Transport {
  return {
    schemes: ['upload'],
    async checkInput(url, accountId) {
      const ref = parseFileRefUrl(url);
      if (ref === null) return 'must be a URL that the daemon returned for an upload';
      const file = await uploads.find(ref);
      if (file.state === 'gone') return 'was uploaded more than 24 hours ago and has expired';
      // Do not reveal that another account has this upload.
      if (file.state === 'unknown' || (await uploads.ownerOf(ref.token)) !== accountId) {
        return 'does not name an upload of this account';
      }
      return null;
    },
    async download(from, toPath, transfer) {
      const ref = parseFileRefUrl(from);
      const file: HostedFile = ref === null ? { state: 'unknown' } : await uploads.find(ref);
      if (ref === null || file.state !== 'there') throw missingUploadError(file);
      try {
        transfer.signal.throwIfAborted();
        return (await tryLink(file.path, toPath))
          ? await readLinkedFacts(uploads, ref.token, toPath, file.sizeBytes, transfer)
          : await copyFile(file.path, toPath, transfer);
      } catch (error) {
        transfer.signal.throwIfAborted();
        throw mapLocalDiskError(error, 'download');
      }
    },
  };
}

async function tryLink(path: string, toPath: string): Promise<boolean> {
  return link(path, toPath).then(
    () => true,
    // The path is on another volume, or the file system has no hard links.
    () => false,
  );
}

/** Returns the size and MD5 measured when the file was received. Measures the file again only if they are missing. */
async function readLinkedFacts(
  uploads: HostedFileStore,
  token: string,
  path: string,
  sizeBytes: number,
  transfer: Transfer,
): Promise<FileFacts> {
  const recorded = await uploads.factsOf(token);
  if (recorded === null || recorded.sizeBytes !== sizeBytes) {
    return measureFile(path, createProgressReporter(transfer), transfer.signal).catch(
      async (error: unknown) => {
        await unlink(path);
        throw error;
      },
    );
  }
  createProgressReporter(transfer).complete(sizeBytes);
  return recorded;
}

async function copyFile(path: string, toPath: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await copyToFile(handle, toPath, { transfer });
  } finally {
    await handle.close();
  }
}

function missingUploadError(file: HostedFile): VencError {
  const reason = file.state === 'gone' ? 'has expired: uploads are kept for 24 hours' : 'does not exist';
  return new VencError('FileNotFoundError', `The upload ${reason}.`);
}
