import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FileFacts } from '../../jobs/job.js';
import { contentTypeOf } from '../../transfer/content-type.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { createProgressReporter, type ProgressReporter, type Transfer } from '../../transfer/transfer.js';
import { transientError } from '../../transfer/transfer-error.js';
import { UploadSource } from '../../transfer/upload-source.js';
import { withCleanupLimit } from '../../transfer/with-retry.js';
import {
  type ObjectState,
  readObjectState,
  readSegmentsPrefix,
  removeSegments,
  removeSwiftObject,
  segmentName,
  segmentsPrefix,
} from './segments.js';
import type { SwiftCall, SwiftOptions, SwiftSession } from './swift-session.js';

const gib = 1024 ** 3;

/** A running upload. */
interface SwiftUpload {
  readonly session: SwiftSession;
  readonly file: UploadSource;
  readonly progress: ProgressReporter;
  readonly signal: AbortSignal;
  /** Headers of the object, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A segment of a large object, with the field names of a manifest. */
interface Segment {
  readonly path: string;
  readonly etag: string;
  readonly size_bytes: number;
}

/**
 * Uploads a file as one object, or, if it exceeds the maximum size, as segments and a manifest, which is created last.
 * The object appears only when it is complete. The MD5 that the service reports is compared with the local one.
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
  const file = await UploadSource.open(fromPath).catch((error: unknown) => {
    throw mapLocalDiskError(error, 'upload');
  });
  try {
    return await uploadFile(
      { session, file, progress: createProgressReporter(transfer), signal, headers: transfer.headers ?? {} },
      to,
      options,
    );
  } finally {
    await file.close();
  }
}

async function uploadFile(upload: SwiftUpload, to: string, options: SwiftOptions): Promise<FileFacts> {
  const { session, file, signal } = upload;
  // This request also detects an expired token before the upload begins.
  const previousState = await readObjectState(session, signal);
  const replacedPrefix = previousState?.isLarge === true ? await readSegmentsPrefix(session, signal) : null;
  try {
    if (file.sizeBytes <= (options.maxObjectBytes ?? 5 * gib))
      await putSingleObject(upload, previousState, options);
    else await putLargeObject(upload, to, options);
  } catch (error) {
    signal.throwIfAborted();
    throw mapLocalDiskError(error, 'upload');
  }
  // Delete the segments of the replaced object. The upload succeeds even if that fails.
  if (replacedPrefix !== null) await removeSegments(session, replacedPrefix, signal).catch(() => undefined);
  upload.progress.complete(file.sizeBytes);
  return file.facts();
}

async function putSingleObject(
  upload: SwiftUpload,
  previousState: ObjectState | null,
  options: SwiftOptions,
): Promise<void> {
  const { session, file, signal } = upload;
  const { object } = session.location;
  try {
    await putObject(upload, { object, fromByte: 0, sizeBytes: file.sizeBytes });
    signal.throwIfAborted();
  } catch (error) {
    // All bytes were sent, so the object may exist.
    if (file.bytesTransferred === file.sizeBytes) await rollBack(upload, previousState, options);
    throw error;
  }
}

async function putLargeObject(upload: SwiftUpload, to: string, options: SwiftOptions): Promise<void> {
  const { session, file, signal } = upload;
  const segmentBytes = options.segmentBytes ?? gib;
  const prefix = segmentsPrefix();
  const segments: Segment[] = [];
  const removeEntry = await options.cleanupJournal.add({ url: to, name: prefix });
  try {
    for (let fromByte = 0; fromByte < file.sizeBytes; fromByte += segmentBytes) {
      const object = segmentName(prefix, segments.length);
      const sizeBytes = Math.min(segmentBytes, file.sizeBytes - fromByte);
      const etag = await putObject(upload, { object, fromByte, sizeBytes });
      segments.push({ path: `/${session.location.container}/${object}`, etag, size_bytes: sizeBytes });
    }
    signal.throwIfAborted();
    await putManifest(upload, segments);
    signal.throwIfAborted();
    await removeEntry();
  } catch (error) {
    await withCleanupLimit(options, async (cleanupSignal) => {
      // The manifest may exist although its response was lost.
      if ((await readSegmentsPrefix(session, cleanupSignal)) === prefix)
        await removeSwiftObject(session, session.location.object, cleanupSignal);
      for (const index of segments.keys())
        await removeSwiftObject(session, segmentName(prefix, index), cleanupSignal);
      await removeSwiftObject(session, segmentName(prefix, segments.length), cleanupSignal);
      await removeSegments(session, prefix, cleanupSignal);
      await removeEntry();
    }).catch(() => undefined);
    throw error;
  }
}

async function putManifest(
  { session, signal, headers }: SwiftUpload,
  segments: readonly Segment[],
): Promise<void> {
  const etag = createHash('md5')
    .update(segments.map((segment) => segment.etag).join(''))
    .digest('hex');
  await session.call(
    {
      method: 'PUT',
      query: '?multipart-manifest=put',
      headers: {
        'content-type': contentTypeOf(session.location.object),
        ...headers,
        accept: 'application/json',
        etag,
      },
      body: () => JSON.stringify(segments),
    },
    signal,
  );
}

/**
 * Uploads a part of the file, or all of it, as one object. Resolves to the MD5 of the sent bytes, which the service has
 * confirmed.
 */
async function putObject(
  { session, file, progress, signal, headers: objectHeaders }: SwiftUpload,
  { object, fromByte, sizeBytes }: { object: string; fromByte: number; sizeBytes: number },
): Promise<string> {
  let highWaterMarkBytes = 0;
  let md5 = createHash('md5');
  const call: SwiftCall = {
    method: 'PUT',
    object,
    headers: {
      'content-type': contentTypeOf(session.location.object),
      ...(object === session.location.object ? objectHeaders : {}),
      'content-length': String(sizeBytes),
    },
    body: (reportActivity) => {
      md5 = createHash('md5');
      const chunks = chunksOf(file.bytesFrom(fromByte), sizeBytes, md5, (doneBytes) => {
        reportActivity();
        highWaterMarkBytes = Math.max(highWaterMarkBytes, doneBytes);
        progress.update(fromByte + doneBytes, file.sizeBytes);
      });
      return Readable.from(chunks, { objectMode: false });
    },
    validate: ({ headers }) => {
      if (headers.etag?.replaceAll('"', '') === md5.copy().digest('hex')) return null;
      const message = `${session.location.authUrl.hostname} stored different bytes than were sent.`;
      return transientError('UploadFailureError', message);
    },
    highWaterMarkBytes: () => highWaterMarkBytes,
  };
  await session.call(call, signal);
  return md5.digest('hex');
}

/**
 * The first `sizeBytes` bytes of a stream, which are hashed on the way. `onBytes` gets the number of consumed bytes.
 */
async function* chunksOf(
  stream: Readable,
  sizeBytes: number,
  md5: Hash,
  onBytes: (doneBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let doneBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const slice = chunk.subarray(0, sizeBytes - doneBytes);
    md5.update(slice);
    yield slice;
    doneBytes += slice.byteLength;
    onBytes(doneBytes);
    if (doneBytes >= sizeBytes) return;
  }
}

/** Deletes an object that may exist although its upload failed. A previous object that still exists is kept. */
async function rollBack(
  { session, file }: SwiftUpload,
  previousState: ObjectState | null,
  options: SwiftOptions,
): Promise<void> {
  await withCleanupLimit(options, async (signal) => {
    const { object } = session.location;
    const { md5 } = await file.facts();
    if (previousState === null) return removeSwiftObject(session, object, signal);
    if (previousState.etag === md5) return;
    if ((await readObjectState(session, signal))?.etag === md5)
      await removeSwiftObject(session, object, signal);
  }).catch(() => undefined);
}
