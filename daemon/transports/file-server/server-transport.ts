import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import type { Transport } from '../transport.js';
import { downloadFrom, fetchRemoteSize } from './download-from-server.js';
import type { FileServer, RemoteLocation } from './file-server.js';
import { type RemoteUploadOptions, removeFrom, uploadTo } from './upload-to-server.js';

/** Maximum number of uploads whose created folders are kept in memory, so that `remove` can remove them. */
const maxRemembered = 1000;

/** Creates the transport of a kind of file server. Its library is loaded on the first transfer, to save memory in an idle daemon. */
export function createServerTransport(
  schemes: readonly string[],
  parseUrl: (url: string) => RemoteLocation | string,
  load: () => Promise<FileServer>,
  options: RemoteUploadOptions,
): Transport {
  const validationError = async (url: string): Promise<string | null> => {
    const location = parseUrl(url);
    return typeof location === 'string' ? location : null;
  };
  const locationOf = (url: string, direction: Direction): RemoteLocation => {
    const location = parseUrl(url);
    if (typeof location !== 'string') return location;
    const subject = direction === 'download' ? 'The URL of the input' : 'The destination';
    throw new VencError(errorClassOf('failure', direction), `${subject} ${location}.`);
  };
  /** Folders that the latest uploads created, by URL. */
  const createdFolders = new Map<string, readonly string[]>();
  const remember = (url: string, folders: readonly string[]): void => {
    createdFolders.delete(url);
    if (folders.length > 0) createdFolders.set(url, folders);
    for (const oldest of [...createdFolders.keys()].slice(0, -maxRemembered)) createdFolders.delete(oldest);
  };
  const removeFile = async (url: string, path: string | null, folders: readonly string[]): Promise<void> => {
    const location = parseUrl(url);
    if (typeof location !== 'string')
      await removeFrom(await load(), location, { path: path ?? location.path, folders }, options);
  };
  return {
    schemes,
    checkInput: validationError,
    checkOutput: validationError,
    download: async (from, toPath, transfer) =>
      downloadFrom(await load(), locationOf(from, 'download'), toPath, transfer, options),
    sizeOf: async (from, signal) =>
      fetchRemoteSize(await load(), locationOf(from, 'download'), signal, options),
    async upload(fromPath, to, transfer) {
      const location = locationOf(to, 'upload');
      const { facts, folders } = await uploadTo(await load(), location, fromPath, to, transfer, options);
      remember(to, folders);
      return facts;
    },
    async remove(url) {
      await removeFile(url, null, createdFolders.get(url) ?? []);
      createdFolders.delete(url);
    },
    removeOrphan: ({ url, name, folders = [] }) => removeFile(url, name, folders),
  };
}
