import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FileFacts } from '../../jobs/job.js';
import { contentTypeOf } from '../../transfer/content-type.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import { createMeter, type Meter } from '../../transfer/progress-reporter.js';
import type { Transfer } from '../../transfer/transfer.js';
import { passingTrouble } from '../../transfer/transfer-error.js';
import { OutgoingFile } from '../../transfer/upload-source.js';
import {
  prefixOf,
  removeObject,
  removeSegments,
  type Standing,
  segmentName,
  segmentsPrefix,
  standingAt,
} from './segments.js';
import type { SwiftCall, SwiftSession } from './session.js';
import type { SwiftOptions } from './swift-options.js';

const gib = 1024 ** 3;

/** An upload on its way. */
interface Upload {
  readonly session: SwiftSession;
  readonly file: OutgoingFile;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** A part of a file as an object of its own, in the words of a manifest. */
interface Segment {
  readonly path: string;
  readonly etag: string;
  readonly size_bytes: number;
}

/**
 * Delivers a file as one object; beyond what one may hold, as segments and a list of them, which is put last. An object appears when it is
 * whole. The sum that the service made of it is compared with ours.
 */
export async function uploadToSwift(
  session: SwiftSession,
  fromPath: string,
  to: string,
  transfer: Transfer,
  options: SwiftOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const file = await OutgoingFile.open(fromPath).catch((error: unknown) => {
    throw ownDiskFault(error, 'upload');
  });
  try {
    return await uploadFile({ session, file, meter: createMeter(transfer), signal }, to, options);
  } finally {
    await file.end();
  }
}

async function uploadFile(upload: Upload, to: string, options: SwiftOptions): Promise<FileFacts> {
  const { session, file, signal } = upload;
  // Asked first, too, so that a token that has run out is noticed before the file is on its way.
  const before = await standingAt(session, signal);
  const replaced = before?.isLarge === true ? await prefixOf(session, signal) : null;
  try {
    if (file.sizeBytes <= (options.maxObjectBytes ?? 5 * gib)) await putWhole(upload, before, options);
    else await putLarge(upload, to, options);
  } catch (error) {
    signal.throwIfAborted();
    throw ownDiskFault(error, 'upload');
  }
  // What they belonged to is no more. Where they cannot be taken away, the delivery is good all the same.
  if (replaced !== null) await removeSegments(session, replaced, signal).catch(() => undefined);
  upload.meter.end(file.sizeBytes);
  return file.facts();
}

async function putWhole(upload: Upload, before: Standing | null, options: SwiftOptions): Promise<void> {
  const { session, file, signal } = upload;
  const { object } = session.place;
  try {
    await putPart(upload, { object, fromByte: 0, sizeBytes: file.sizeBytes });
    signal.throwIfAborted();
  } catch (error) {
    // Of a file that went out to its end nobody knows whether it is there.
    if (file.passedBytes === file.sizeBytes) await takeBack(upload, before, options);
    throw error;
  }
}

async function putLarge(upload: Upload, to: string, options: SwiftOptions): Promise<void> {
  const { session, file, signal } = upload;
  const segmentBytes = options.segmentBytes ?? gib;
  const prefix = segmentsPrefix();
  const segments: Segment[] = [];
  const tearUp = await options.leftovers.note({ url: to, name: prefix });
  try {
    for (let fromByte = 0; fromByte < file.sizeBytes; fromByte += segmentBytes) {
      const object = segmentName(prefix, segments.length);
      const sizeBytes = Math.min(segmentBytes, file.sizeBytes - fromByte);
      const etag = await putPart(upload, { object, fromByte, sizeBytes });
      segments.push({ path: `/${session.place.container}/${object}`, etag, size_bytes: sizeBytes });
    }
    signal.throwIfAborted();
    await putManifest(upload, segments);
    signal.throwIfAborted();
    await tearUp();
  } catch (error) {
    await afterwards(options, async (late) => {
      // The list may be there although nobody said so.
      if ((await prefixOf(session, late)) === prefix) await removeObject(session, session.place.object, late);
      for (const index of segments.keys()) await removeObject(session, segmentName(prefix, index), late);
      await removeObject(session, segmentName(prefix, segments.length), late);
      await removeSegments(session, prefix, late);
      await tearUp();
    });
    throw error;
  }
}

async function putManifest({ session, signal }: Upload, segments: readonly Segment[]): Promise<void> {
  const etag = createHash('md5')
    .update(segments.map((segment) => segment.etag).join(''))
    .digest('hex');
  await session.call(
    {
      method: 'PUT',
      query: '?multipart-manifest=put',
      headers: { 'content-type': contentTypeOf(session.place.object), accept: 'application/json', etag },
      body: () => JSON.stringify(segments),
    },
    signal,
  );
}

/** Puts a part of the file, or all of it, as one object. Resolves to the MD5 of the bytes that went, which the service agreed to. */
async function putPart(
  { session, file, meter, signal }: Upload,
  { object, fromByte, sizeBytes }: { object: string; fromByte: number; sizeBytes: number },
): Promise<string> {
  let furthestBytes = 0;
  let sum = createHash('md5');
  const call: SwiftCall = {
    method: 'PUT',
    object,
    headers: {
      'content-length': String(sizeBytes),
      'content-type': contentTypeOf(session.place.object),
    },
    body: (alive) => {
      sum = createHash('md5');
      const pieces = piecesOf(file.bytesFrom(fromByte), sizeBytes, sum, (doneBytes) => {
        alive();
        furthestBytes = Math.max(furthestBytes, doneBytes);
        meter.at(fromByte + doneBytes, file.sizeBytes);
      });
      return Readable.from(pieces, { objectMode: false });
    },
    check: ({ headers }) => {
      if (headers.etag?.replaceAll('"', '') === sum.copy().digest('hex')) return null;
      const said = `${session.place.authUrl.hostname} kept other bytes than were sent.`;
      return passingTrouble('UploadFailureError', said);
    },
    furthestBytes: () => furthestBytes,
  };
  await session.call(call, signal);
  return sum.digest('hex');
}

/** The first bytes of a stream, summed up as they pass. `passed` is told how many of them were taken. */
async function* piecesOf(
  stream: Readable,
  sizeBytes: number,
  sum: Hash,
  passed: (doneBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let doneBytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    const own = piece.subarray(0, sizeBytes - doneBytes);
    sum.update(own);
    yield own;
    doneBytes += own.byteLength;
    passed(doneBytes);
    if (doneBytes >= sizeBytes) return;
  }
}

/** Takes back an object that may have come to stand though the upload failed. What stood there before and still does, stays. */
async function takeBack(
  { session, file }: Upload,
  before: Standing | null,
  options: SwiftOptions,
): Promise<void> {
  await afterwards(options, async (signal) => {
    const { object } = session.place;
    const { md5 } = await file.facts();
    if (before === null) return removeObject(session, object, signal);
    if (before.etag === md5) return;
    if ((await standingAt(session, signal))?.etag === md5) await removeObject(session, object, signal);
  });
}

/** Clears up after an upload that failed or was stopped: for as long as a stall may last, and as far as it goes. */
async function afterwards(
  { stallTimeoutMs }: SwiftOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), stallTimeoutMs);
  await work(limit.signal).catch(() => undefined);
  clearTimeout(timer);
}
