import type { FileHandle } from 'node:fs/promises';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { missingFileError, parseFileRefUrl } from '../../hosted-files/file-ref.js';
import type { FileRef, HostedFile, HostedFileStore } from '../../hosted-files/hosted-file-store.js';
import type { Transport } from '../transport.js';

/**
 * The transport of outputs that the daemon hosts, at `hosted://TOKEN/NAME` (section 1). Only the daemon creates such
 * URLs; clients cannot use one as a destination.
 */
export function createHostedTransport(hosted: HostedFileStore): Transport {
  return {
    schemes: ['hosted'],
    async checkOutput(url) {
      if (parseFileRefUrl(url) === null) return 'is not a valid URL of a hosted file';
      await requireStore(hosted);
      return null;
    },
    async upload(fromPath, to, transfer) {
      const ref = parseFileRefUrl(to);
      if (ref === null)
        throw new VencError('UploadFailureError', 'The destination is not a valid URL of a hosted file.');
      return hosted.put(fromPath, ref, transfer);
    },
    openHere: (from) => openHere(hosted, from),
    async remove(url) {
      const ref = parseFileRefUrl(url);
      if (ref !== null) await hosted.remove(ref);
    },
  };
}

/**
 * The transport of inputs that were uploaded to the daemon, at `upload://TOKEN/NAME` (contract, section 9). An upload
 * is available to the account that created it for 24 hours.
 */
export function createUploadTransport(uploads: HostedFileStore): Transport {
  return {
    schemes: ['upload'],
    async checkInput(url, accountId) {
      const ref = parseFileRefUrl(url);
      if (ref === null) return 'must be a URL that the daemon returned for an upload';
      await requireStore(uploads);
      const file = await uploads.find(ref);
      if (file.state === 'gone') return 'was uploaded more than 24 hours ago and has expired';
      // Do not reveal that another account has this upload.
      if (file.state === 'unknown' || (await uploads.ownerOf(ref.token)) !== accountId) {
        return 'does not name an upload of this account';
      }
      return null;
    },
    async download(from, toPath, transfer) {
      // A job fails with the class of a transfer, which says that it may be resubmitted.
      const { ref } = await findUpload(uploads, from).catch((error: unknown) => {
        if (!isVencError(error, 'UnavailableError')) throw error;
        throw new VencError('DownloadFailureError', error.message, { cause: error });
      });
      return uploads.download(ref, toPath, transfer);
    },
    async open(from) {
      const { file } = await findUpload(uploads, from);
      return { ...file, close: async () => {} };
    },
    openHere: (from) => openHere(uploads, from),
  };
}

async function openHere(store: HostedFileStore, url: string): Promise<FileHandle | null> {
  const ref = parseFileRefUrl(url);
  return ref === null ? null : store.openHere(ref);
}

/** Rejects with `UnavailableError` (503) if files cannot be kept or read now. */
async function requireStore(store: HostedFileStore): Promise<void> {
  const problem = await store.problem();
  if (problem !== null) throw new VencError('UnavailableError', problem);
}

/** The file of an upload. Rejects with `FileNotFoundError` if there is none. */
async function findUpload(
  uploads: HostedFileStore,
  url: string,
): Promise<{ readonly file: Extract<HostedFile, { state: 'there' }>; readonly ref: FileRef }> {
  const ref = parseFileRefUrl(url);
  const file: HostedFile = ref === null ? { state: 'unknown' } : await uploads.find(ref);
  if (ref === null || file.state !== 'there')
    throw missingFileError(file.state === 'there' ? 'unknown' : file.state);
  return { file, ref };
}
