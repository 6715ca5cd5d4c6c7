import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { Semaphore } from '../../../src/shared/util/semaphore.js';
import type { FileFacts } from '../../jobs/job.js';
import { defaultConnections } from '../../transfer/default-connections.js';
import { bringWhole } from '../../transfer/fetch-file.js';
import { freeBytes } from '../../transfer/folders.js';
import { outOfSpaceError, ownDiskFault } from '../../transfer/map-disk-error.js';
import type { PartFile } from '../../transfer/partial-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import { getObject, lookAtObject, type ObjectFacts } from './object.js';
import type { Requesting, StorageOptions, StorageSession } from './session.js';
import { failedOn } from './trouble.js';

const mebibyte = 1024 * 1024;
const maxChunkBytes = 4 * mebibyte;
/** What all pieces that come or wait for their turn may take up in memory together. */
const maxAheadBytes = 40 * mebibyte;

/** What one way through the object works with. */
interface Round {
  readonly session: StorageSession;
  readonly part: PartFile;
  readonly connections: number;
  readonly signal: AbortSignal;
  /** More bytes have come. */
  readonly arrived: (bytes: number) => void;
}

/**
 * Brings an object in ranges side by side, each of which goes on where it broke off as long as it is the same object: one that was
 * changed is begun anew. The pieces are written in their order, so that they are summed up as they pass.
 */
export async function downloadObject(
  session: StorageSession,
  toPath: string,
  transfer: Transfer,
  options: StorageOptions,
): Promise<FileFacts> {
  const { connections = defaultConnections } = transfer;
  return bringWhole(toPath, transfer, options, ({ part, meter }) => {
    let furthestBytes = 0;
    const round = async (signal: AbortSignal): Promise<Trouble | null> => {
      if (part.sizeBytes > 0) await part.startOver();
      const facts = await session.ask((requesting) => lookAtObject(session, requesting), { signal });
      const { sizeBytes } = facts;
      if (sizeBytes !== null && sizeBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
      if (sizeBytes !== null) part.expect(sizeBytes);
      let bytes = 0;
      const arrived = (more: number): void => {
        bytes += more;
        furthestBytes = Math.max(furthestBytes, bytes);
        meter.at(Math.min(bytes, sizeBytes ?? bytes), sizeBytes);
      };
      const work = { session, part, connections, arrived, signal };
      return facts.version === null || sizeBytes === null
        ? takeWhole(work)
        : takeRanges(work, { version: facts.version, sizeBytes });
    };
    const attempt = async (): Promise<Trouble | null> => {
      const ended = new AbortController();
      try {
        return await round(AbortSignal.any([transfer.signal, ended.signal]));
      } finally {
        ended.abort();
      }
    };
    return { attempt, furthestBytes: () => furthestBytes };
  });
}

async function takeRanges(
  round: Round,
  known: { readonly version: string; readonly sizeBytes: number },
): Promise<Trouble | null> {
  const { part, connections, session } = round;
  const ahead = 2 * connections;
  const chunkBytes = Math.min(maxChunkBytes, Math.floor(maxAheadBytes / ahead));
  const requests = new Semaphore(connections);
  const coming: Promise<Buffer | null>[] = [];
  let askedBytes = 0;
  while (part.sizeBytes < known.sizeBytes) {
    while (askedBytes < known.sizeBytes && coming.length < ahead) {
      const fromByte = askedBytes;
      askedBytes = Math.min(known.sizeBytes, fromByte + chunkBytes);
      const toByte = askedBytes;
      const chunk = requests.runExclusive(() => takeRange(round, { ...known, fromByte, toByte }));
      // It is waited for in its turn; until then nobody listens.
      chunk.catch(() => undefined);
      coming.push(chunk);
    }
    const chunk = (await coming.shift()) ?? null;
    if (chunk === null) {
      const said = `${session.host} changed ${session.place.name} while it was sent.`;
      return passingTrouble('DownloadFailureError', said);
    }
    await write(part, chunk);
  }
  return null;
}

/** One range of an object, in as many pieces as the server needs; null where the object is another one by now. */
function takeRange(
  { session, signal, arrived }: Round,
  wanted: ObjectFacts & { readonly fromByte: number; readonly toByte: number },
): Promise<Buffer | null> {
  const chunk = Buffer.allocUnsafe(wanted.toByte - wanted.fromByte);
  let have = 0;
  const work = async (requesting: Requesting): Promise<Buffer | null> => {
    const fromByte = wanted.fromByte + have;
    const answer = await getObject(session, requesting, { ...wanted, fromByte });
    if (answer === null) return null;
    const isSame = answer.version === wanted.version && answer.sizeBytes === wanted.sizeBytes;
    if (!isSame || answer.fromByte !== fromByte) {
      answer.body.destroy();
      return null;
    }
    await copy(answer.body, (piece) => {
      if (have + piece.byteLength > chunk.byteLength) throw tooMuch(session);
      chunk.set(piece, have);
      have += piece.byteLength;
      requesting.alive();
      arrived(piece.byteLength);
    });
    if (have < chunk.byteLength) throw new Error('the range was cut off');
    return chunk;
  };
  return session.ask(work, { signal, furthestBytes: () => have });
}

/** All of an object over one connection, begun anew whenever it breaks off: what the server says of it does not suffice for more. */
async function takeWhole({ session, part, signal, arrived }: Round): Promise<null> {
  const work = async (requesting: Requesting): Promise<null> => {
    const answer = await getObject(session, requesting, null);
    if (answer === null) throw failedOn('download', `${session.host} sends no part that was asked for.`);
    if (part.sizeBytes > 0) {
      arrived(-part.sizeBytes);
      await part.startOver();
    }
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      await write(part, piece);
      requesting.alive();
      arrived(piece.byteLength);
    }
    if (answer.sizeBytes !== null && answer.sizeBytes !== part.sizeBytes)
      throw new Error('the object was cut off');
    return null;
  };
  return session.ask(work, { signal });
}

async function write(part: PartFile, bytes: Uint8Array): Promise<void> {
  await part.write(bytes).catch((error: unknown) => {
    throw ownDiskFault(error, 'download');
  });
}

function tooMuch({ host, place }: StorageSession): Error {
  return failedOn('download', `${host} sent more of ${place.name} than was asked for.`);
}

/** Hands on the pieces of a body. All that came is taken before it is told that the body broke off: the next attempt goes on from there. */
function copy(body: Readable, take: (piece: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (body.destroyed) return reject(body.errored ?? new Error('closed early'));
    body.on('data', (piece: Uint8Array) => {
      try {
        take(piece);
      } catch (error) {
        reject(error);
        body.destroy();
      }
    });
    body.once('end', resolve);
    body.on('error', reject);
    body.once('close', () => reject(new Error('closed early')));
  });
}
