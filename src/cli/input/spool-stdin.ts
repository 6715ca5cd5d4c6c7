import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { VencError } from '../../shared/errors.js';
import { freeBytes } from '../../shared/util/disk.js';
import { diskReason, systemCode } from '../../shared/util/system-code.js';

/** Where media on stdin is stored. */
export interface Spool {
  /** A temporary folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A request on stdin, or the file with the media that stdin had. */
type SpooledInput =
  | { readonly kind: 'request'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number };

/** So much stays free on the disk of the folder, and the space is checked after so many bytes. */
const reserveBytes = 64 << 20;
const checkedBytes = 16 << 20;

const requestStart = /^(?:\ufeff|\xef\xbb\xbf)?\s*[{[<]/;
const blank = /^(?:\xef?|\xef\xbb|\xef\xbb\xbf)\s*$/;

/**
 * Reads stdin: a request if its first character that is not white space is `{`, `[` or `<`, otherwise media, which is
 * written to a file. Rejects with `UsageError` if stdin is empty or cannot be read, with `OutOfSpaceError` if the disk
 * becomes full, and with the reason of the signal.
 */
export async function spoolStdin(stdin: Readable, { folder, signal }: Spool): Promise<SpooledInput> {
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chunks = readChunks(stdin, signal);
    const head: Buffer[] = [];
    let start = '';
    for (let item = await chunks.next(); item.done !== true; item = await chunks.next()) {
      head.push(item.value);
      start += item.value.toString('latin1').slice(0, reserveBytes);
      if (!blank.test(start)) break;
    }
    signal.throwIfAborted();
    if (blank.test(start))
      throw new VencError('UsageError', 'Nothing came from stdin: it is empty.', {
        hint: 'pipe a film or a request into venc: venc run - < film.mov',
      });
    if (requestStart.test(start)) {
      for await (const chunk of chunks) head.push(chunk);
      signal.throwIfAborted();
      return { kind: 'request', text: Buffer.concat(head).toString('utf8') };
    }
    const path = join(folder, 'stdin');
    const sizeBytes = await writeChunks(path, folder, head, chunks);
    signal.throwIfAborted();
    return { kind: 'file', path, sizeBytes };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function* readChunks(stdin: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer | string>) yield Buffer.from(chunk);
  } catch (error) {
    signal.throwIfAborted();
    throw new VencError('UsageError', `Stdin cannot be read: ${diskReason(error, 'read')}.`, {
      cause: error,
    });
  }
}

/** Writes the chunks to a file, and resolves to its size. */
async function writeChunks(
  path: string,
  folder: string,
  head: readonly Buffer[],
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const noSpace = (cause?: unknown) =>
    new VencError('OutOfSpaceError', `There is no space left in ${folder} for the film from stdin.`, {
      cause,
      hint: 'set TMPDIR to a folder on a larger disk',
    });
  const file = await open(path, 'wx', 0o600);
  let sizeBytes = 0;
  let nextCheck = 0;
  const write = async (chunk: Buffer) => {
    if (sizeBytes >= nextCheck) {
      if ((await freeBytes(folder)) < reserveBytes) throw noSpace();
      nextCheck = sizeBytes + checkedBytes;
    }
    await file.writeFile(chunk).catch((error: unknown) => {
      throw /^E(?:NOSPC|DQUOT|FBIG)$/.test(systemCode(error) ?? '') ? noSpace(error) : error;
    });
    sizeBytes += chunk.length;
  };
  try {
    for (const chunk of head) await write(chunk);
    for await (const chunk of chunks) await write(chunk);
    return sizeBytes;
  } finally {
    await file.close();
  }
}
