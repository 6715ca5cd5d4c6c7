import { link, open, unlink } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import { parseShelfUrl } from '../../hosted-files/file-ref.js';
import type { FileShelf, ShelfFile } from '../../hosted-files/hosted-file-store.js';
import type { FileFacts } from '../../jobs/job.js';
import { copyFrom } from '../../transfer/copy-file.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import { measureFile } from '../../transfer/read-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import type { Transport } from '../transport.js';

/**
 * Inputs that were uploaded to the daemon, at `upload://TOKEN/NAME` (contract, section 9): good for the account that uploaded them,
 * for 24 hours. What lies on the shelf is ours and never written to again, so that a second name for it (a hard link) is as good
 * as a copy, and outlives the shelf's own.
 */
export function createUploadTransport(uploads: FileShelf): Transport {
  return {
    schemes: ['upload'],
    async checkInput(url, accountId) {
      const place = parseShelfUrl(url);
      if (place === null) return 'must be an address that an upload was answered with';
      const file = await uploads.find(place);
      if (file.state === 'gone') return 'was uploaded more than 24 hours ago and is gone';
      // Another account's upload looks as if it did not exist.
      if (file.state === 'unknown' || (await uploads.ownerOf(place.token)) !== accountId) {
        return 'names no upload of this account';
      }
      return null;
    },
    async download(from, toPath, transfer) {
      const place = parseShelfUrl(from);
      const file: ShelfFile = place === null ? { state: 'unknown' } : await uploads.find(place);
      if (place === null || file.state !== 'there') throw missing(file);
      try {
        transfer.signal.throwIfAborted();
        return (await linked(file.path, toPath))
          ? await factsOfLinked(uploads, place.token, toPath, file.sizeBytes, transfer)
          : await copied(file.path, toPath, transfer);
      } catch (error) {
        transfer.signal.throwIfAborted();
        throw ownDiskFault(error, 'download');
      }
    },
  };
}

async function linked(path: string, toPath: string): Promise<boolean> {
  return link(path, toPath).then(
    () => true,
    // Another volume, or a file system without hard links.
    () => false,
  );
}

/** The facts were measured on these bytes when they were received; only where they are not known it is done again. */
async function factsOfLinked(
  uploads: FileShelf,
  token: string,
  path: string,
  sizeBytes: number,
  transfer: Transfer,
): Promise<FileFacts> {
  const known = await uploads.factsOf(token);
  if (known === null || known.sizeBytes !== sizeBytes) {
    return measureFile(path, createMeter(transfer), transfer.signal).catch(async (error: unknown) => {
      await unlink(path);
      throw error;
    });
  }
  createMeter(transfer).end(sizeBytes);
  return known;
}

async function copied(path: string, toPath: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await copyFrom(handle, toPath, { transfer });
  } finally {
    await handle.close();
  }
}

function missing(file: ShelfFile): VencError {
  const reason = file.state === 'gone' ? 'is gone: uploads are kept for 24 hours' : 'does not exist';
  return new VencError('FileNotFoundError', `The upload ${reason}.`);
}
