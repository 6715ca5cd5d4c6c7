import { posix } from 'node:path';
import { VencError } from '../../../src/api/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { ownDiskFault } from '../disk-faults.js';
import { createMeter } from '../meter.js';
import { partName } from '../part-file.js';
import type { Transfer } from '../transport.js';
import { type RemoteOptions, untilDone, withoutStall } from './attempts.js';
import type { FileServer, FileSession, RemotePlace } from './file-server.js';
import { inSession } from './in-session.js';
import type { LeftoverBook } from './leftovers.js';
import { OutgoingFile } from './outgoing-file.js';
import { passingTrouble, type Trouble } from './trouble.js';

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
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const place = server.read(to);
  if (typeof place === 'string') throw new VencError('UploadFailureError', `The destination ${place}.`);
  const file = await OutgoingFile.open(fromPath).catch((error: unknown) => {
    throw ownDiskFault(error, 'upload');
  });
  const partPath = posix.join(posix.dirname(place.path), partName());
  const standing: Standing = {
    partPath,
    folders: [],
    isBegun: false,
    isSpoilt: false,
    isDone: false,
    furthestBytes: 0,
  };
  const tearUp = await options.leftovers.note({ url: to, name: partPath });
  try {
    await send(server, place, file, standing, transfer, options);
  } catch (error) {
    // What is still there is tried again at the next start.
    if (await takeBack(server, place, standing, options)) await tearUp();
    signal.throwIfAborted();
    throw ownDiskFault(error, 'upload');
  }
  await tearUp();
  return file.facts();
}

async function send(
  server: FileServer,
  place: RemotePlace,
  file: OutgoingFile,
  standing: Standing,
  transfer: Transfer,
  options: RemoteOptions,
): Promise<void> {
  const { signal } = transfer;
  const meter = createMeter(transfer);
  const watch = {
    signal,
    stallTimeoutMs: options.stallTimeoutMs,
    direction: 'upload',
    host: place.name,
  } as const;
  const attempt = () =>
    withoutStall(watch, (watched) =>
      inSession({ server, place, direction: 'upload' }, watched, async (session) => {
        if (!standing.isBegun) await makeFolders(session, place, standing);
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
      }),
    );
  await untilDone({ attempt, furthestBytes: () => standing.furthestBytes, signal }, options);
  meter.end(file.sizeBytes);
}

async function makeFolders(session: FileSession, place: RemotePlace, standing: Standing): Promise<void> {
  // Most often they are there: then one question is enough.
  const innermost = place.folders.at(-1);
  if (innermost === undefined || (await session.stat(innermost)) !== null) return;
  for (const folder of place.folders) if (await session.makeFolder(folder)) standing.folders.push(folder);
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
  { stallTimeoutMs }: RemoteOptions,
): Promise<boolean> {
  if (!standing.isBegun && standing.folders.length === 0) return true;
  const watch = {
    signal: new AbortController().signal,
    stallTimeoutMs,
    direction: 'upload',
    host: place.name,
  } as const;
  const trouble = withoutStall(watch, (watched) =>
    inSession({ server, place, direction: 'upload' }, watched, async (session) => {
      await session.remove(standing.isDone ? place.path : standing.partPath);
      for (const folder of standing.folders.reverse()) await session.removeFolder(folder);
      return null;
    }),
  );
  return trouble.then(
    (left) => left === null,
    () => false,
  );
}

/** Takes one file away from a file server. That there is none is as good. */
export async function removeFrom(
  server: FileServer,
  place: RemotePlace,
  path: string,
  { stallTimeoutMs }: RemoteOptions,
): Promise<void> {
  const watch = {
    signal: new AbortController().signal,
    stallTimeoutMs,
    direction: 'upload',
    host: place.name,
  } as const;
  const trouble = await withoutStall(watch, (watched) =>
    inSession({ server, place, direction: 'upload' }, watched, async (session) => {
      await session.remove(path);
      return null;
    }),
  );
  if (trouble !== null) throw trouble.error;
}
