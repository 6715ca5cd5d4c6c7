import { dirname } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { bytesOf } from '../../transfer/chunks.js';
import { bringWhole } from '../../transfer/fetch-file.js';
import { freeBytes } from '../../transfer/folders.js';
import { outOfSpaceError, ownDiskFault } from '../../transfer/map-disk-error.js';
import type { PartFile } from '../../transfer/partial-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import type { FileServer, RemoteFacts, RemotePlace } from './file-server.js';
import { inSession } from './with-session.js';

/**
 * Brings a file from a file server, going on where a connection broke off as long as the server tells that it is still the same
 * file, and starting over where not. The size that the server tells is checked in the end.
 */
export async function downloadFrom(
  server: FileServer,
  from: string,
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const place = server.read(from);
  if (typeof place === 'string')
    throw new VencError('DownloadFailureError', `The address of the input ${place}.`);
  const { stallTimeoutMs } = options;
  const parts = { server, place, direction: 'download', signal, stallTimeoutMs } as const;
  return bringWhole(toPath, transfer, options, ({ part, meter }) => {
    let known: RemoteFacts | null = null;
    let furthestBytes = 0;
    const attempt = () =>
      inSession(parts, async (session, watched) => {
        const facts = await session.stat(place.path);
        if (facts === null) throw missing(place);
        if (known === null || !isSame(known, facts)) await part.startOver();
        known = facts;
        await makeSureOfRoom(facts, part, dirname(toPath));
        if (facts.sizeBytes !== null) part.expect(facts.sizeBytes);
        await session.read(place.path, part.sizeBytes, async (pieces) => {
          if (facts.sizeBytes !== null && part.sizeBytes + bytesOf(pieces) > facts.sizeBytes)
            throw endless(facts.sizeBytes, place);
          await part.writeAt(pieces, part.sizeBytes).catch((error: unknown) => {
            throw ownDiskFault(error, 'download');
          });
          watched.alive();
          furthestBytes = Math.max(furthestBytes, part.sizeBytes);
          meter.at(part.sizeBytes, facts.sizeBytes);
        });
        const trouble = wrongSize(facts, part, place);
        if (trouble !== null) known = null;
        return trouble;
      });
    return { attempt, furthestBytes: () => furthestBytes };
  });
}

/** Where the server tells no version, nothing is gone on with: two files of one size would be spliced. */
function isSame(known: RemoteFacts, facts: RemoteFacts): boolean {
  return facts.version !== null && known.version === facts.version && known.sizeBytes === facts.sizeBytes;
}

async function makeSureOfRoom({ sizeBytes }: RemoteFacts, part: PartFile, folder: string): Promise<void> {
  if (sizeBytes !== null && sizeBytes - part.sizeBytes > (await freeBytes(folder))) throw outOfSpaceError();
}

function wrongSize({ sizeBytes }: RemoteFacts, part: PartFile, place: RemotePlace): Trouble | null {
  if (sizeBytes === null || sizeBytes === part.sizeBytes) return null;
  const said = `${place.name} sent ${part.sizeBytes} bytes of a file of ${sizeBytes}.`;
  return passingTrouble('DownloadFailureError', said);
}

/** A server that sends more than the file has may never stop. */
function endless(sizeBytes: number, place: RemotePlace): VencError {
  return new VencError(
    'DownloadFailureError',
    `${place.name} sent more than the ${sizeBytes} bytes of the file.`,
  );
}

/** What there is to be said where nothing is at a path. */
export function missing(place: RemotePlace): VencError {
  return new VencError('FileNotFoundError', `There is no file ${place.path} on ${place.name}.`);
}
