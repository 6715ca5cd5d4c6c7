import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { diskReason } from '../../src/shared/util/disk-error-text.js';
import type { FileFacts } from '../jobs/job.js';
import { freeBytes, makeFolders, syncFolder } from '../transfer/folders.js';
import { outOfSpaceError, ownDiskFault } from '../transfer/map-disk-error.js';
import { PartFile } from '../transfer/partial-file.js';
import { nameComplaint, pathOf } from './file-ref.js';
import type { ShelfPlace } from './hosted-file-store.js';
import { removeRecord, writeRecord } from './records.js';
import { type ShelfState, unfinishedFolder } from './store-state.js';

/** How many bytes may arrive before the room on the volume is looked at again. */
const roomCheckBytes = 64 * 1024 * 1024;

/** One body to be received. */
export interface Reception {
  readonly body: Readable;
  readonly name: string;
  readonly ownerId: string;
  readonly signal: AbortSignal;
  /** How long the sender says it is; 0 where that is not said. */
  readonly announcedBytes: number;
}

/**
 * Streams a body to a new place. A body that stalls, breaks off or is stopped leaves nothing: `DownloadTimeoutError`,
 * `DownloadFailureError`, or the reason of the signal.
 */
export async function receive(state: ShelfState, reception: Reception): Promise<ShelfPlace & FileFacts> {
  const { name, ownerId, signal } = reception;
  const complaint = nameComplaint(name);
  if (complaint !== null) throw new VencError('InvalidRequestError', `the file name ${complaint}`);
  signal.throwIfAborted();
  // It may break before the first piece is asked for, and an error that nobody listens to would end the daemon.
  reception.body.on('error', () => undefined);
  const place = { token: state.randomToken(), name };
  return state.locks.runExclusive(place.token, async () => {
    try {
      const part = await beginPart(state, place.token, reception.announcedBytes);
      const facts = await filled(state, part, reception).catch(async (error: unknown) => {
        await part.discard();
        throw error;
      });
      await named(state, part, place, { ownerId, ...facts });
      return { ...place, ...facts };
    } catch (error) {
      // What still arrives flows away, so that the client gets to read the answer: a body that is destroyed takes its connection along.
      reception.body.resume();
      signal.throwIfAborted();
      throw receptionError(error);
    }
  });
}

async function beginPart(state: ShelfState, token: string, announcedBytes: number): Promise<PartFile> {
  await mkdir(unfinishedFolder(state), { recursive: true, mode: 0o700 });
  await checkRoom(state, announcedBytes);
  const partPath = join(unfinishedFolder(state), token);
  return PartFile.begin(partPath, { partPath, isDurable: true });
}

async function filled(state: ShelfState, part: PartFile, reception: Reception): Promise<FileFacts> {
  const { body, signal } = reception;
  const stalled = new VencError('DownloadTimeoutError', 'The upload stopped sending and was given up.');
  const timer = setTimeout(() => body.destroy(stalled), state.stallTimeoutMs);
  const stop = () => body.destroy(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let roomCheckAt = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (part.sizeBytes >= roomCheckAt) {
        await checkRoom(state);
        roomCheckAt = part.sizeBytes + roomCheckBytes;
      }
      await part.write(chunk).catch(rethrowAsOurDisk);
      timer.refresh();
    }
    signal.throwIfAborted();
    return await part.facts().catch(rethrowAsOurDisk);
  } catch (error) {
    signal.throwIfAborted();
    if (isVencError(error)) throw error;
    throw new VencError('DownloadFailureError', 'The upload broke off.', { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function rethrowAsOurDisk(error: unknown): never {
  throw receptionError(error);
}

/** What a failure to keep an upload amounts to: the disk of the daemon is its operator's affair, and the upload may come through later. */
function receptionError(error: unknown): VencError {
  const fault = ownDiskFault(error, 'download');
  if (isVencError(error) || fault.errorClass === 'OutOfSpaceError') return fault;
  const reason = `The daemon cannot write the upload to its disk: ${diskReason(error, 'write', 'the daemon has')}.`;
  return new VencError('UnavailableError', reason, { cause: error });
}

async function checkRoom(state: ShelfState, wantedBytes = 0): Promise<void> {
  const leftBytes = (await freeBytes(unfinishedFolder(state))) - wantedBytes;
  if (leftBytes < state.minFreeBytes) throw outOfSpaceError();
}

async function named(
  state: ShelfState,
  part: PartFile,
  place: ShelfPlace,
  record: FileFacts & { readonly ownerId: string },
): Promise<void> {
  const path = pathOf(state.folder, place);
  const undo = await makeFolders(join(state.folder, place.token));
  try {
    await writeRecord(state, place.token, record);
    await part.finish(path);
    await syncFolder(state.folder);
  } catch (error) {
    await part.discard();
    await removeRecord(state, place.token);
    await undo();
    throw error;
  }
}
