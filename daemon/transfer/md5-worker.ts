import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** A message to the worker about one file. */
export type Md5WorkerRequest =
  /** The bytes before `toByte` are written. */
  | {
      readonly fileId: number;
      readonly type: 'reach';
      readonly path: string;
      readonly toByte: number;
    }
  /** Requests the MD5 once all of these bytes are hashed. */
  | { readonly fileId: number; readonly type: 'digest' }
  | { readonly fileId: number; readonly type: 'end' };

/** The answer of the worker; `md5` is null if the file could not be read. */
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

/** Small enough to stay in the CPU cache between reading and hashing. */
const buffer = Buffer.allocUnsafeSlow(1 << 18);
/** Open files by ID; null for files that cannot be read. */
const files = new Map<number, HashedFile | null>();
let isProcessing = false;

/** Hashes one buffer of each file in turn. Messages are processed between two rounds. */
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
