import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { mapLocalDiskError, outOfSpaceError } from './disk-errors.js';

/**
 * A compression of a file for its transfer that can be undone (`Content-Encoding`). Node.js 20 has no decoder for zstd.
 */
export type ContentEncoding = 'gzip' | 'deflate' | 'br';

/** Creates a decoder for a file that begins with these bytes; null if they do not have that encoding. */
const decoders: Readonly<Record<ContentEncoding, (start: Buffer) => Transform | null>> = {
  gzip: (start) => (start[0] === 0x1f && start[1] === 0x8b ? zlib.createGunzip() : null),
  // Some servers omit the header of zlib.
  deflate: (start) => (isZlib(start) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
};

function isZlib(start: Buffer): boolean {
  return ((start[0] ?? 0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0;
}

/** Whether files with this encoding can be decoded. */
export function isContentEncoding(name: string): name is ContentEncoding {
  return Object.hasOwn(decoders, name);
}

/**
 * A file may grow by this factor when it is decoded, and up to this size in any case. Real films hardly grow at all.
 */
const maxGrowth = 100;
const alwaysAllowedBytes = 1024 ** 3;
/** How often the free space is checked, in bytes. */
const checkIntervalBytes = 64 * 1024 ** 2;

/**
 * Decodes a file into `toPath`. Resolves to false, and leaves the file as it is, if it does not have the encoding
 * although its server said so. Rejects with `DownloadFailureError` if it is damaged or grows too much, with
 * `OutOfSpaceError` if it does not fit, and with the reason of the signal.
 */
async function decodeFile(
  path: string,
  toPath: string,
  { encoding, maxBytes = Number.POSITIVE_INFINITY, signal }: DecodeOptions,
): Promise<boolean> {
  const { start, sizeBytes } = await readStart(path);
  const decoder = sizeBytes < start.byteLength ? null : decoders[encoding](start);
  if (decoder === null) return false;
  const limitBytes = Math.min(maxBytes, Math.max(alwaysAllowedBytes, sizeBytes * maxGrowth));
  let doneBytes = 0;
  let checkedBytes = 0;
  async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      doneBytes += chunk.byteLength;
      if (doneBytes > limitBytes) throw tooLarge(encoding, sizeBytes, limitBytes);
      if (doneBytes - checkedBytes >= checkIntervalBytes) {
        checkedBytes = doneBytes;
        if ((await freeBytes(dirname(toPath))) < checkIntervalBytes) throw outOfSpaceError();
      }
      yield chunk;
    }
  }
  const target = await open(toPath, 'wx', 0o600);
  try {
    await pipeline(createReadStream(path), decoder, limited, target.createWriteStream(), { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isVencError(error)) throw error;
    if (!/^(?:Z_|ERR_(?:_?ZLIB|BROTLI|ZSTD|PADDING|_ERROR))/.test(systemCode(error) ?? 'Z_'))
      throw mapLocalDiskError(error, 'download');
    throw new VencError(
      'DownloadFailureError',
      `The file cannot be decoded: its ${encoding} is damaged or incomplete.`,
      {
        cause: error,
      },
    );
  } finally {
    await target.close().catch(() => undefined);
  }
}

/** How a file is decoded. */
interface DecodeOptions {
  readonly encoding: ContentEncoding;
  /** Maximum size of the decoded file. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Decodes a downloaded file in its place. Resolves to where the bytes are as they were received: at `path` itself if
 * they do not have the encoding.
 */
export async function decodeInPlace(path: string, options: DecodeOptions): Promise<string> {
  const received = `${path}.received`;
  await rename(path, received);
  if (await decodeFile(received, path, options)) return received;
  await rename(received, path);
  return path;
}

async function readStart(path: string): Promise<{ readonly start: Buffer; readonly sizeBytes: number }> {
  const handle = await open(path, 'r');
  try {
    const start = Buffer.alloc(4);
    await handle.read(start, 0, start.byteLength, 0);
    return { start, sizeBytes: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
}

function tooLarge(encoding: ContentEncoding, sizeBytes: number, limitBytes: number): VencError {
  const message = `The file has ${formatBytes(sizeBytes)} of ${encoding}, and more than ${formatBytes(limitBytes)} when it is decoded, which is the limit.`;
  return new VencError('DownloadFailureError', message);
}
