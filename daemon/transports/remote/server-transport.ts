import type { Transport } from '../transport.js';
import { downloadFrom } from './download-from.js';
import type { FileServer } from './file-server.js';
import { sizeFrom } from './size-from.js';
import { removeFrom, type UploadOptions, uploadTo } from './upload-to.js';

/** A transport over a kind of file server. The server is loaded with the first transfer: a daemon at rest does without its library. */
export function serverTransport(
  schemes: readonly string[],
  read: FileServer['read'],
  load: () => Promise<FileServer>,
  options: UploadOptions,
): Transport {
  const complaint = async (url: string): Promise<string | null> => {
    const place = read(url);
    return typeof place === 'string' ? place : null;
  };
  const removal = async (url: string, path: string | null): Promise<void> => {
    const place = read(url);
    if (typeof place !== 'string') await removeFrom(await load(), place, path ?? place.path, options);
  };
  return {
    schemes,
    checkInput: complaint,
    checkOutput: complaint,
    download: async (from, toPath, transfer) => downloadFrom(await load(), from, toPath, transfer, options),
    sizeOf: async (from, signal) => sizeFrom(await load(), from, signal, options),
    upload: async (fromPath, to, transfer) => uploadTo(await load(), fromPath, to, transfer, options),
    remove: (url) => removal(url, null),
    sweep: ({ url, name }) => removal(url, name),
  };
}
