import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '../../client/client.js';
import { isVencError, VencError } from '../../shared/errors.js';
import type { FileToUpload } from '../input/files.js';

/** What goes with an upload. */
export interface UploadFileOptions {
  /** Ends it; the service keeps nothing then. */
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
}

/**
 * Uploads a file and gives the address to submit. Rejects with `UsageError` where the service takes no uploads, which
 * are an addition of our own daemon, or where the file cannot be read to its end.
 */
export async function uploadFile(
  client: Client,
  { path, sizeBytes }: FileToUpload,
  { signal, onProgress }: UploadFileOptions,
): Promise<string> {
  let sentBytes = 0;
  async function* content() {
    // A file that grows meanwhile is sent as long as it was announced.
    const end = { end: Math.max(0, sizeBytes - 1) };
    if (sizeBytes === 0) return;
    for await (const chunk of createReadStream(path, end) as AsyncIterable<Buffer>) {
      yield chunk;
      sentBytes += chunk.length;
      onProgress(sentBytes);
    }
    if (sentBytes < sizeBytes)
      throw new VencError('UsageError', `${path} became shorter while it was uploaded.`);
  }
  try {
    return await client.upload({ name: basename(path), sizeBytes, content: content() }, signal);
  } catch (error) {
    throw isVencError(error, 'NotFoundError') || isVencError(error, 'MethodNotAllowedError')
      ? new VencError('UsageError', 'This service does not support uploads.', {
          cause: error,
          hint: 'name a folder that the service can fetch from with --stage, or submit the URL of the file',
        })
      : error;
  }
}
