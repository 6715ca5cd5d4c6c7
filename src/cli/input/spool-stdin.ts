import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { VencError } from '../../shared/errors.js';
import { diskReason } from '../../shared/util/system-code.js';
import { writeChunks } from '../../shared/util/write-chunks.js';

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

/** The most white space before a request. */
const maxBlankBytes = 64 << 20;

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
      start += item.value.toString('latin1').slice(0, maxBlankBytes);
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
    const sizeBytes = await writeChunks(path, withHead(head, chunks), 'the film from stdin');
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

async function* withHead(head: readonly Buffer[], chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  yield* chunks;
}
