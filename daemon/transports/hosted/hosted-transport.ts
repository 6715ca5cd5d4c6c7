import { VencError } from '../../../src/shared/errors.js';
import { parseFileRefUrl } from '../../hosted-files/file-ref.js';
import type { HostedFileStore } from '../../hosted-files/hosted-file-store.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { createProgressReporter } from '../../transfer/progress-reporter.js';
import { measureFile } from '../../transfer/read-file.js';
import type { Transport } from '../transport.js';

/**
 * Outputs that the daemon hosts itself, at `hosted://TOKEN/NAME` (section 1): the file is measured, then moved into the store. Such
 * addresses are made by the daemon; nobody can name one as a destination.
 */
export function createHostedTransport(hosted: HostedFileStore): Transport {
  return {
    schemes: ['hosted'],
    checkOutput: async (url) =>
      parseFileRefUrl(url) === null ? 'cannot be the name of a hosted file' : null,
    async upload(fromPath, to, transfer) {
      const ref = parseFileRefUrl(to);
      if (ref === null)
        throw new VencError('UploadFailureError', 'The destination is no place for a hosted file.');
      try {
        const facts = await measureFile(fromPath, createProgressReporter(transfer), transfer.signal);
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
