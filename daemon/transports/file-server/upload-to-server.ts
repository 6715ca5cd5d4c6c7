import { posix } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import type { LeftoverBook } from '../../transfer/orphans.js';
import { partName } from '../../transfer/partial-file.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import type { Transfer } from '../../transfer/transfer.js';
import { passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import { OutgoingFile } from '../../transfer/upload-source.js';
import { type RemoteOptions, untilDone } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemotePlace } from './file-server.js';
import { inSession } from './with-session.js';

/** What an upload to a file server depends on. */
export interface UploadOptions extends RemoteOptions {
  readonly leftovers: LeftoverBook;
}

/** How far an upload is: what stands at the server that was not there before. */
interface Standing {
  /** The file under its temporary name. */
  readonly partPath: string;
  /** Folders that were made, the outermost first. */
  readonly folders: string[];
  isBegun: boolean;
  /** What stands of it is known to be wrong: it is begun anew. */
  isSpoilt: boolean;
  isDone: boolean;
  furthestBytes: number;
}

/** What an upload brought. */
export interface Delivered {
  readonly facts: FileFacts;
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[];
}

/** An upload on its way. */
interface Upload extends Transfer {
  readonly standing: Standing;
  /** Notes the folders that were made, beside the file. */
  readonly noteFolders: () => Promise<void>;
}

/**
 * Brings a file to a file server: under a short name beside its final one, going on after a break from what the server has of it, and
 * renamed when the server tells the right size. Folders above it are made. Where it fails or is stopped, the unfinished file and the
 * folders are taken away again, over a new connection.
 */
export async function uploadTo(
  server: FileServer,
  fromPath: string,
  to: string,
  transfer: Transfer,
  options: UploadOptions,
): Promise<Delivered> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const place = server.read(to);
  if (typeof place === 'string') throw new VencError('UploadFailureError', `The destination ${place}.`);
  const file = await OutgoingFile.open(fromPath).catch((error: unknown) => {
    throw ownDiskFault(error, 'upload');
  });
  try {
    return await deliver(server, place, file, { to, transfer, options });
  } finally {
    await file.end();
  }
}

async function deliver(
  server: FileServer,
  place: RemotePlace,
  file: OutgoingFile,
  { to, transfer, options }: { to: string; transfer: Transfer; options: UploadOptions },
): Promise<Delivered> {
  const partPath = posix.join(posix.dirname(place.path), partName());
  const standing: Standing = {
    partPath,
    folders: [],
    isBegun: false,
    isSpoilt: false,
    isDone: false,
    furthestBytes: 0,
  };
  let tearUp = await options.leftovers.note({ url: to, name: partPath });
  const noteFolders = async () => {
    const tearUpFirst = tearUp;
    tearUp = await options.leftovers.note({ url: to, name: partPath, folders: standing.folders });
    await tearUpFirst();
  };
  try {
    await send(server, place, file, { ...transfer, standing, noteFolders }, options);
    const facts = await file.facts();
    await tearUp();
    return { facts, folders: standing.folders };
  } catch (error) {
    // What is still there is tried again at the next start.
    if (await takeBack(server, place, standing, options)) await tearUp();
    transfer.signal.throwIfAborted();
    throw ownDiskFault(error, 'upload');
  }
}

async function send(
  server: FileServer,
  place: RemotePlace,
  file: OutgoingFile,
  upload: Upload,
  options: RemoteOptions,
): Promise<void> {
  const { signal, standing } = upload;
  const meter = createMeter(upload);
  const { stallTimeoutMs } = options;
  const attempt = () =>
    inSession({ server, place, direction: 'upload', signal, stallTimeoutMs }, async (session, watched) => {
      if (!standing.isBegun) await makeFolders(session, place, upload);
      const isResumed = standing.isBegun && !standing.isSpoilt;
      const fromByte = isResumed ? await partBytes(session, standing, file, server.unsureBytes) : 0;
      standing.isSpoilt = false;
      standing.isBegun = true;
      const bytes = file.bytesFrom(fromByte, (passed) => {
        watched.alive();
        standing.furthestBytes = Math.max(standing.furthestBytes, passed);
        meter.at(passed, file.sizeBytes);
      });
      await session.write(standing.partPath, fromByte, bytes);
      const trouble = await wrongSize(session, standing, file, place);
      if (trouble !== null) return trouble;
      watched.signal.throwIfAborted();
      await session.rename(standing.partPath, place.path);
      standing.isDone = true;
      return null;
    });
  await untilDone({ attempt, furthestBytes: () => standing.furthestBytes, signal }, options);
  meter.end(file.sizeBytes);
}

async function makeFolders(
  session: FileSession,
  { folders }: RemotePlace,
  { standing, noteFolders }: Upload,
): Promise<void> {
  // Most often they are there: then one question is enough.
  const innermost = folders.at(-1);
  if (innermost === undefined || (await session.stat(innermost)) !== null) return;
  for (const folder of folders) if (await session.makeFolder(folder)) standing.folders.push(folder);
  // Not before: an empty folder of somebody else's must not be taken for one of ours.
  if (standing.folders.length > 0) await noteFolders();
}

/** How much the server has of the unfinished file: never more than was read of it, unless it is none of ours. */
async function partBytes(
  session: FileSession,
  { partPath }: Standing,
  { passedBytes }: OutgoingFile,
  unsureBytes = 0,
): Promise<number> {
  const sizeBytes = (await session.stat(partPath))?.sizeBytes ?? 0;
  return sizeBytes <= passedBytes ? Math.max(sizeBytes - unsureBytes, 0) : 0;
}

async function wrongSize(
  session: FileSession,
  standing: Standing,
  file: OutgoingFile,
  place: RemotePlace,
): Promise<Trouble | null> {
  const found = (await session.stat(standing.partPath))?.sizeBytes;
  if (found === null || found === file.sizeBytes) return null;
  standing.isSpoilt = true;
  const said = `${place.name} kept ${found ?? 0} bytes of a file of ${file.sizeBytes}`;
  return passingTrouble('UploadFailureError', `${said}: is there room left?`);
}

/** Takes away what an upload left; whether that went well. Tried once, for as long as a stall may last. */
async function takeBack(
  server: FileServer,
  place: RemotePlace,
  standing: Standing,
  options: RemoteOptions,
): Promise<boolean> {
  if (!standing.isBegun && standing.folders.length === 0) return true;
  const path = standing.isDone ? place.path : standing.partPath;
  return removeFrom(server, place, { path, folders: standing.folders }, options).then(
    () => true,
    () => false,
  );
}

/**
 * Takes one file away from a file server, and those of the given folders, the outermost first, that are empty then. That there is none is
 * as good.
 */
export async function removeFrom(
  server: FileServer,
  place: RemotePlace,
  { path, folders }: { readonly path: string; readonly folders: readonly string[] },
  { stallTimeoutMs }: RemoteOptions,
): Promise<void> {
  const { signal } = new AbortController();
  const parts = { server, place, direction: 'upload', signal, stallTimeoutMs } as const;
  const trouble = await inSession(parts, async (session) => {
    await session.remove(path);
    await removeEmpty(session, folders);
    return null;
  });
  if (trouble !== null) throw trouble.error;
}

/** The innermost first. What is not empty is somebody else's by now, and so is what it lies in. */
async function removeEmpty(session: FileSession, folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders.toReversed()) await session.removeFolder(folder);
  } catch {
    // The session is at its end.
  }
}
