import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { FileFacts } from '../../jobs/job.js';
import { contentTypeOf } from '../../transfer/content-type.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import type { LeftoverBook } from '../../transfer/orphans.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import type { Transfer } from '../../transfer/transfer.js';
import { passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import { OutgoingFile } from '../../transfer/upload-source.js';
import { untilDone } from '../../transfer/with-retry.js';
import { grantsFor } from './grants.js';
import { looksLike, removeObject, sizeAtServer } from './object.js';
import { createOutgoing, type Outgoing, withGrants } from './outgoing.js';
import { keepOwner } from './owner.js';
import { maxSingleBytes } from './parts.js';
import type { StorageOptions, StorageSession } from './session.js';
import { uploadInParts } from './upload-in-parts.js';

/** What an upload to a bucket depends on. */
export interface ObjectUploadOptions extends StorageOptions {
  readonly leftovers: LeftoverBook;
}

/**
 * Brings a file into a bucket: in one request up to 16 MiB, else in parts side by side. Every request is signed with a sum of its body, so
 * that the server sees whether all of it came; the size is asked for in the end. Where it fails or is stopped, nothing is left.
 */
export async function uploadObject(
  session: StorageSession,
  fromPath: string,
  url: string,
  transfer: Transfer,
  options: ObjectUploadOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  const { bucket: Bucket, key: Key } = session.place;
  const outgoing = createOutgoing({
    session,
    url,
    signal,
    meter: createMeter(transfer),
    head: { Bucket, Key, ContentType: contentTypeOf(Key) },
    grants: grantsFor(transfer.access),
  });
  try {
    const file = await OutgoingFile.open(fromPath);
    try {
      return await uploadFile(outgoing, file, options);
    } finally {
      await file.end();
    }
  } catch (error) {
    await takeBack(outgoing, options.stallTimeoutMs);
    signal.throwIfAborted();
    throw ownDiskFault(error, 'upload');
  }
}

async function uploadFile(
  outgoing: Outgoing,
  file: OutgoingFile,
  options: ObjectUploadOptions,
): Promise<FileFacts> {
  const { session, signal, meter } = outgoing;
  const attempt = async (): Promise<Trouble | null> => {
    if (file.sizeBytes <= maxSingleBytes) await uploadAtOnce(outgoing, file);
    else await uploadInParts(outgoing, file, options.leftovers, options.stallTimeoutMs);
    const trouble = await wrongSize(outgoing, file);
    if (trouble === null && outgoing.grants.ACL === undefined) {
      await session.ask(
        async (requesting) => {
          await keepOwner(session, requesting);
          return true;
        },
        { signal },
      );
    }
    return trouble;
  };
  await untilDone({ attempt, furthestBytes: () => 0, signal }, options);
  signal.throwIfAborted();
  meter.end(file.sizeBytes);
  return file.facts();
}

async function uploadAtOnce(outgoing: Outgoing, file: OutgoingFile): Promise<void> {
  const { session, signal, head, meter, standing } = outgoing;
  const pieces: Uint8Array[] = [];
  for await (const piece of file.bytesFrom(0) as AsyncIterable<Uint8Array>) pieces.push(piece);
  const Body = Buffer.concat(pieces);
  const { md5 } = await file.facts();
  let furthestBytes = 0;
  const sent = (bytes: number): void => {
    furthestBytes = Math.max(furthestBytes, bytes);
    if (bytes === file.sizeBytes) standing.offered = md5;
    meter.at(bytes, file.sizeBytes);
  };
  if (file.sizeBytes === 0) standing.offered = md5;
  await session.ask(
    ({ client, signal: abortSignal }) =>
      withGrants(outgoing, (grants) =>
        client.send(new PutObjectCommand({ ...head, ...grants, Body }), { abortSignal }),
      ),
    { signal, sent, furthestBytes: () => furthestBytes },
  );
  standing.isDelivered = true;
}

async function wrongSize({ session, signal }: Outgoing, file: OutgoingFile): Promise<Trouble | null> {
  const found = await session.ask((requesting) => sizeAtServer(session, requesting), { signal });
  if (found === null || found === file.sizeBytes) return null;
  const said = `${session.host} kept ${found} bytes of a file of ${file.sizeBytes}`;
  return passingTrouble('UploadFailureError', `${said}: is there room left?`);
}

/**
 * Takes away what stands under the final name, if it is what was sent: an answer may have been lost on its way. Tried for as long as a
 * stall may last.
 */
async function takeBack({ session, standing }: Outgoing, stallTimeoutMs: number): Promise<void> {
  const { isDelivered, offered } = standing;
  if (!isDelivered && offered === null) return;
  const work = session.ask(
    async (requesting) => {
      if (isDelivered || (await looksLike(session, requesting, offered ?? '')))
        await removeObject(session, requesting);
      return true;
    },
    { signal: AbortSignal.timeout(stallTimeoutMs) },
  );
  await work.catch(() => false);
}
