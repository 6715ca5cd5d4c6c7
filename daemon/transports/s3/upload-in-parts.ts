import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Semaphore } from '../../../src/shared/util/semaphore.js';
import type { LeftoverBook } from '../../transfer/orphans.js';
import type { OutgoingFile } from '../../transfer/upload-source.js';
import { looksLike } from './object.js';
import { type Outgoing, withGrants } from './outgoing.js';
import { planParts } from './parts.js';
import type { StorageSession } from './session.js';
import { failedOn, refusalOf } from './trouble.js';

/** A part that the server has. */
interface DonePart {
  readonly PartNumber: number;
  readonly ETag: string;
}

/**
 * Brings a file up in parts side by side, each kept in memory until the server has it, and has them put together in the end. What was
 * begun is ended at the server where it comes to nothing; for the case that this program is killed, it is noted.
 */
export async function uploadInParts(
  outgoing: Outgoing,
  file: OutgoingFile,
  leftovers: LeftoverBook,
  stallTimeoutMs: number,
): Promise<void> {
  const { session, url } = outgoing;
  const id = await begin(outgoing);
  const tearUp = await leftovers.note({ url, name: id });
  try {
    await complete(outgoing, id, await sendParts(outgoing, id, file));
  } catch (error) {
    const isAborted = await abortUpload(session, id, AbortSignal.timeout(stallTimeoutMs)).then(
      () => true,
      () => false,
    );
    // What is still there is tried again at the next start.
    if (isAborted) await tearUp();
    throw error;
  }
  await tearUp();
}

/** Ends an upload in parts. That there is none is as good. */
export async function abortUpload(session: StorageSession, id: string, signal: AbortSignal): Promise<void> {
  const { bucket: Bucket, key: Key } = session.place;
  const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: id });
  await session.ask(
    async (requesting) => {
      await requesting.client.send(command, { abortSignal: requesting.signal }).catch((error: unknown) => {
        if (refusalOf(error)?.status !== 404) throw error;
      });
      return true;
    },
    { signal },
  );
}

async function begin(outgoing: Outgoing): Promise<string> {
  const { session, head, signal } = outgoing;
  const { UploadId } = await session.ask(
    ({ client, signal: abortSignal }) =>
      withGrants(outgoing, (grants) =>
        client.send(new CreateMultipartUploadCommand({ ...head, ...grants }), { abortSignal }),
      ),
    { signal },
  );
  if (UploadId === undefined) throw failedOn('upload', `${session.host} began no upload in parts.`);
  return UploadId;
}

async function sendParts(outgoing: Outgoing, id: string, file: OutgoingFile): Promise<readonly DonePart[]> {
  const { signal, meter } = outgoing;
  const plan = planParts(file.sizeBytes);
  const ended = new AbortController();
  const bytes = file.bytesFrom(0);
  const pieces = (bytes as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const reading = new Semaphore(1);
  const done: DonePart[] = [];
  /** How far each part is. */
  const sentBytes: number[] = [];
  let begun = 0;
  let rest: Uint8Array = Buffer.alloc(0);

  /** Fills a buffer from the file; the number of the part and its bytes. */
  const fill = async (buffer: Buffer): Promise<readonly [number, Buffer] | null> => {
    if (begun === plan.count) return null;
    let have = 0;
    for (;;) {
      const taken = Math.min(rest.byteLength, buffer.byteLength - have);
      buffer.set(rest.subarray(0, taken), have);
      rest = rest.subarray(taken);
      have += taken;
      if (have === buffer.byteLength) break;
      const next = await pieces.next();
      if (next.done === true) break;
      rest = next.value;
    }
    begun += 1;
    return [begun, buffer.subarray(0, have)];
  };
  const lane = async (): Promise<void> => {
    // One for all parts of this lane: memory stays what it is, however large the file.
    const buffer = Buffer.allocUnsafeSlow(plan.partBytes);
    for (;;) {
      const part = await reading.runExclusive(() => fill(buffer));
      if (part === null) return;
      const [number, Body] = part;
      const sent = (partBytes: number): void => {
        sentBytes[number] = Math.max(sentBytes[number] ?? 0, partBytes);
        meter.at(
          sentBytes.reduce((sum, one) => sum + one, 0),
          file.sizeBytes,
        );
      };
      const both = AbortSignal.any([signal, ended.signal]);
      const furthestBytes = () => sentBytes[number] ?? 0;
      done.push(await sendPart(outgoing, id, number, Body, { signal: both, sent, furthestBytes }));
    }
  };
  const lanes = Array.from({ length: plan.lanes }, () =>
    lane().catch((error: unknown) => ended.abort(error)),
  );
  await Promise.all(lanes);
  bytes.destroy();
  ended.signal.throwIfAborted();
  return done.toSorted((a, b) => a.PartNumber - b.PartNumber);
}

async function sendPart(
  { session, head }: Outgoing,
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  options: Parameters<StorageSession['ask']>[1],
): Promise<DonePart> {
  const { Bucket, Key } = head;
  const { ETag } = await session.ask(
    ({ client, signal: abortSignal }) =>
      client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }), { abortSignal }),
    options,
  );
  if (ETag === undefined) throw failedOn('upload', `${session.host} gave no receipt for a part.`);
  return { PartNumber, ETag };
}

async function complete(
  { session, head, signal, standing }: Outgoing,
  UploadId: string,
  parts: readonly DonePart[],
): Promise<void> {
  const { Bucket, Key } = head;
  const command = { Bucket, Key, UploadId, MultipartUpload: { Parts: [...parts] } };
  const tag = tagOf(parts);
  signal.throwIfAborted();
  standing.offered = tag;
  await session.ask(
    async (requesting) => {
      const { client, signal: abortSignal } = requesting;
      try {
        await client.send(new CompleteMultipartUploadCommand(command), { abortSignal });
      } catch (error) {
        // The answer to an earlier attempt may have been lost.
        if (refusalOf(error)?.code !== 'NoSuchUpload' || !(await looksLike(session, requesting, tag)))
          throw error;
      }
      return true;
    },
    { signal },
  );
  standing.isDelivered = true;
}

/** The tag that the service gives an object of parts: the sum of their sums, and how many there are. */
function tagOf(parts: readonly DonePart[]): string {
  const sums = parts.map(({ ETag }) => Buffer.from(ETag.replaceAll('"', ''), 'hex'));
  return `${createHash('md5').update(Buffer.concat(sums)).digest('hex')}-${parts.length}`;
}
