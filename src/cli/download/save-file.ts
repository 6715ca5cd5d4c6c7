import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeNetworkError } from '../../client/network-errors.js';
import { openFile } from '../../client/open-file.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { humanSize } from '../../shared/text/units.js';
import { diskReason, systemCode } from '../../shared/util/system-code.js';
import { backoffDelayMs } from '../../shared/util/timing.js';
import type { FileToSave } from './download-names.js';

/** Options for a download. */
interface SaveOptions {
  readonly signal: AbortSignal;
  /** Called with the bytes downloaded so far and the total; null if unknown. */
  readonly onProgress: (doneBytes: number, totalBytes: number | null) => void;
  /** Milliseconds before the first retry; the delay doubles from there. */
  readonly retryDelayMs?: number;
}

/** Maximum number of consecutive attempts without new bytes. */
const maxAttempts = 5;
/** Maximum delay between two attempts, in milliseconds. */
const maxDelayMs = 30_000;

/**
 * Downloads a file to `path` through `path.part`. A part from an earlier run is continued if the service reports the
 * MD5 of the whole file, which verifies the result; if it does not match, the file is downloaded again from the start.
 * Broken connections are retried. After an abort or a failure, a part stays only if the next run can continue it.
 * Rejects like `openFile`, and with `InUseError` if another program wrote the same part.
 */
export async function saveFile(file: FileToSave, path: string, options: SaveOptions): Promise<void> {
  const partPath = `${path}.part`;
  const part = await PartFile.open(partPath, file.md5 !== null).catch((error: unknown) => {
    throw toDownloadError(error, file);
  });
  try {
    const isContinued = part.sizeBytes > 0;
    await download(part, file, options);
    if (!isComplete(part, file) && isContinued) {
      await part.restart();
      await download(part, file, options);
    }
    if (!isComplete(part, file)) {
      await part.restart();
      throw new VencError(
        'UnreachableError',
        `The download of ${file.name} does not match the size or MD5 that the service reports.`,
        { hint: 'its size or MD5 differs; download it again, or see venc show' },
      );
    }
    if (!(await part.isUnmodified(partPath))) throw inUseError(file);
  } catch (error) {
    const isResumable = part.sizeBytes > 0 && file.md5 !== null;
    if (!isResumable && (await part.isAt(partPath))) await unlink(partPath).catch(() => {});
    throw options.signal.aborted
      ? interruptedError(isResumable ? { partPath, sizeBytes: part.sizeBytes } : null)
      : error;
  } finally {
    await part.close();
  }
  await rename(partPath, path).catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? inUseError(file) : error;
  });
}

function inUseError({ name }: FileToSave): VencError {
  return new VencError(
    'InUseError',
    `Another program downloaded ${name} to the same file at the same time.`,
    { hint: 'check whether the file exists now; if not, download it again' },
  );
}

function interruptedError(
  partialDownload: { readonly partPath: string; readonly sizeBytes: number } | null,
): VencError {
  if (partialDownload === null) return new VencError('InterruptedError', 'Interrupted.');
  const { partPath, sizeBytes } = partialDownload;
  return new VencError('InterruptedError', `Interrupted. ${partPath} holds ${humanSize(sizeBytes)} of it.`, {
    hint: 'run the same command again to continue from there',
  });
}

function isComplete(part: PartFile, { sizeBytes, md5 }: FileToSave): boolean {
  return (sizeBytes === null || sizeBytes === part.sizeBytes) && (md5 === null || md5 === part.md5());
}

async function download(
  part: PartFile,
  file: FileToSave,
  { signal, onProgress, retryDelayMs = 500 }: SaveOptions,
) {
  let version: string | null = null;
  for (let failures = 0; ; ) {
    const previousBytes = part.sizeBytes;
    try {
      const opened = await openFile(file.url, { fromByte: part.sizeBytes, version }, signal);
      version = opened.version;
      if (opened.fromByte !== part.sizeBytes) await part.restart();
      onProgress(part.sizeBytes, opened.totalBytes);
      for await (const chunk of opened.content as AsyncIterable<Buffer>) {
        await part.write(chunk);
        onProgress(part.sizeBytes, opened.totalBytes);
      }
      if (opened.totalBytes === null || part.sizeBytes >= opened.totalBytes) return;
      throw new VencError(
        'UnreachableError',
        `${new URL(file.url).host} closed the connection during the download.`,
      );
    } catch (error) {
      signal.throwIfAborted();
      failures = part.sizeBytes > previousBytes ? 1 : failures + 1;
      const isTransient =
        !isVencError(error) || error.entry.retryable || error.errorClass === 'UnreachableError';
      if (isDiskError(error) || !isTransient || failures >= maxAttempts) throw toDownloadError(error, file);
      // Without a version from the server or an MD5, a part cannot be continued.
      if (version === null && file.md5 === null) await part.restart();
      await sleep(backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: maxDelayMs }), undefined, {
        signal,
      }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

function isDiskError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'syscall' in error &&
    /^(write|open|ftruncate|read|unlink)$/.test(String(error.syscall))
  );
}

function toDownloadError(error: unknown, { name, url }: FileToSave): unknown {
  if (isVencError(error)) return error;
  const message = isDiskError(error)
    ? `${name}.part cannot be written: ${diskReason(error, 'write')}.`
    : `The download from ${new URL(url).host} failed: ${describeNetworkError(error)}.`;
  return new VencError(isDiskError(error) ? 'UsageError' : 'UnreachableError', message, { cause: error });
}

/**
 * A partial download, written in order and hashed as it arrives. Writes use explicit positions, so that two programs
 * that download the same file write the same bytes instead of appending to each other.
 */
class PartFile {
  private constructor(
    private readonly handle: FileHandle,
    private hash: Hash,
    private size: number,
  ) {}

  /** Opens the part at a path. Keeps and hashes its content if `isKept`. */
  static async open(path: string, isKept: boolean): Promise<PartFile> {
    if (!isKept) await unlink(path).catch(() => {});
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    const part = new PartFile(handle, createHash('md5'), 0);
    try {
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) part.append(chunk);
      return part;
    } catch (error) {
      await part.close();
      throw error;
    }
  }

  get sizeBytes(): number {
    return this.size;
  }

  md5(): string {
    return this.hash.copy().digest('hex');
  }

  async write(chunk: Buffer): Promise<void> {
    for (let done = 0; done < chunk.byteLength; ) {
      const position = this.size + done;
      done += (await this.handle.write(chunk, done, chunk.byteLength - done, position)).bytesWritten;
    }
    this.append(chunk);
  }

  /** Whether the path still refers to this file. */
  async isAt(path: string): Promise<boolean> {
    const [ownStat, pathStat] = await Promise.all([this.handle.stat(), stat(path).catch(() => null)]);
    return pathStat !== null && pathStat.ino === ownStat.ino && pathStat.dev === ownStat.dev;
  }

  /** Whether the path still refers to this file and its size is what was written. */
  async isUnmodified(path: string): Promise<boolean> {
    return (await this.isAt(path)) && (await this.handle.stat()).size === this.size;
  }

  private append(chunk: Buffer): void {
    this.hash.update(chunk);
    this.size += chunk.byteLength;
  }

  async restart(): Promise<void> {
    await this.handle.truncate(0);
    this.hash = createHash('md5');
    this.size = 0;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
