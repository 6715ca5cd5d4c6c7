import { VencError } from '../../../src/shared/errors.js';
import { parseShelfUrl } from '../../hosted-files/file-ref.js';
import type { FileShelf } from '../../hosted-files/hosted-file-store.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import { measureFile } from '../../transfer/read-file.js';
import type { Transport } from '../transport.js';

/**
 * Outputs that the daemon hosts itself, at `hosted://TOKEN/NAME` (section 1): the file is measured, then moved onto the shelf. Such
 * addresses are made by the daemon; nobody can name one as a destination.
 */
export function createHostedTransport(hosted: FileShelf): Transport {
  return {
    schemes: ['hosted'],
    checkOutput: async (url) => (parseShelfUrl(url) === null ? 'cannot be the name of a hosted file' : null),
    async upload(fromPath, to, transfer) {
      const place = parseShelfUrl(to);
      if (place === null)
        throw new VencError('UploadFailureError', 'The destination is no place for a hosted file.');
      try {
        const facts = await measureFile(fromPath, createMeter(transfer), transfer.signal);
        transfer.signal.throwIfAborted();
        await hosted.place(fromPath, place);
        return facts;
      } catch (error) {
        transfer.signal.throwIfAborted();
        throw ownDiskFault(error, 'upload');
      }
    },
    async remove(url) {
      const place = parseShelfUrl(url);
      if (place !== null) await hosted.remove(place);
    },
  };
}
