import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** What the thread is told of a file, which has a number. */
export type Md5WorkerRequest =
  /** Its bytes before `toByte` are written. */
  | {
      readonly fileId: number;
      readonly type: 'reach';
      readonly path: string;
      readonly toByte: number;
    }
  /** To be answered when all of those are summed. */
  | { readonly fileId: number; readonly type: 'digest' }
  | { readonly fileId: number; readonly type: 'end' };

/** Null where the file could not be read. */
export interface Md5WorkerResponse {
  readonly fileId: number;
  readonly md5: string | null;
}

interface HashedFile {
  readonly descriptor: number;
  readonly hash: Hash;
  hashedBytes: number;
  toByte: number;
  isDigestRequested: boolean;
}

/** Small enough to stay in the processor's cache between reading and summing. */
const buffer = Buffer.allocUnsafeSlow(1 << 18);
/** Null for those that cannot be read. */
const files = new Map<number, HashedFile | null>();
let isProcessing = false;

/** A little of each file in turn; orders are heard in between. */
function processFiles(): void {
  isProcessing = false;
  for (const [fileId, file] of files) {
    if (file !== null && file.hashedBytes < file.toByte) {
      isProcessing = true;
      if (!hashNextBytes(file)) markFailed(fileId, file);
    } else if (file?.isDigestRequested === true) {
      file.isDigestRequested = false;
      respond({ fileId, md5: file.hash.copy().digest('hex') });
    }
  }
  if (isProcessing) setImmediate(processFiles);
}

function hashNextBytes(file: HashedFile): boolean {
  try {
    const bytesToRead = Math.min(buffer.byteLength, file.toByte - file.hashedBytes);
    const bytes = readSync(file.descriptor, buffer, 0, bytesToRead, file.hashedBytes);
    file.hash.update(buffer.subarray(0, bytes));
    file.hashedBytes += bytes;
    return bytes > 0;
  } catch {
    return false;
  }
}

function markFailed(fileId: number, file: HashedFile): void {
  closeSync(file.descriptor);
  files.set(fileId, null);
  if (file.isDigestRequested) respond({ fileId, md5: null });
}

function openForHashing(path: string): HashedFile | null {
  try {
    return {
      descriptor: openSync(path, 'r'),
      hash: createHash('md5'),
      hashedBytes: 0,
      toByte: 0,
      isDigestRequested: false,
    };
  } catch {
    return null;
  }
}

function respond(response: Md5WorkerResponse): void {
  parentPort?.postMessage(response);
}

parentPort?.on('message', (request: Md5WorkerRequest) => {
  const { fileId, type } = request;
  if (type === 'reach' && !files.has(fileId)) files.set(fileId, openForHashing(request.path));
  const file = files.get(fileId) ?? null;
  if (type === 'end') {
    files.delete(fileId);
    if (file !== null) closeSync(file.descriptor);
  } else if (file === null) {
    if (type === 'digest') respond({ fileId, md5: null });
  } else {
    if (type === 'reach') file.toByte = request.toByte;
    else file.isDigestRequested = true;
    if (!isProcessing) processFiles();
  }
});
