import type { Transport } from '../transport.js';
import { downloadFrom } from './download-from-server.js';
import type { FileServer } from './file-server.js';
import { sizeFrom } from './size-on-server.js';
import { removeFrom, type UploadOptions, uploadTo } from './upload-to-server.js';

/** Uploads whose folders are remembered, for the moment that what they brought is taken away again. */
const mostRemembered = 1000;

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
  /** Folders that uploads made, by their URLs, until they are known to stay: the latest ones. */
  const made = new Map<string, readonly string[]>();
  const remember = (url: string, folders: readonly string[]): void => {
    made.delete(url);
    if (folders.length > 0) made.set(url, folders);
    for (const oldest of [...made.keys()].slice(0, -mostRemembered)) made.delete(oldest);
  };
  const removal = async (url: string, path: string | null, folders: readonly string[]): Promise<void> => {
    const place = read(url);
    if (typeof place !== 'string')
      await removeFrom(await load(), place, { path: path ?? place.path, folders }, options);
  };
  return {
    schemes,
    checkInput: complaint,
    checkOutput: complaint,
    download: async (from, toPath, transfer) => downloadFrom(await load(), from, toPath, transfer, options),
    sizeOf: async (from, signal) => sizeFrom(await load(), from, signal, options),
    async upload(fromPath, to, transfer) {
      const { facts, folders } = await uploadTo(await load(), fromPath, to, transfer, options);
      remember(to, folders);
      return facts;
    },
    async remove(url) {
      await removal(url, null, made.get(url) ?? []);
      made.delete(url);
    },
    sweep: ({ url, name, folders = [] }) => removal(url, name, folders),
  };
}
