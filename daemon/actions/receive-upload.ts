import type { Readable } from 'node:stream';
import { invalidRequest } from '../../src/shared/errors.js';
import { fileRefUrl, validateFileName } from '../hosted-files/file-ref.js';
import type { Workshop } from './app-context.js';
import { refuseWhenTroubled } from './reject-when-unhealthy.js';

/** A body on its way in. */
export interface Upload {
  readonly name: string;
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** How long the sender says it is; 0 where that is not said. */
  readonly announcedBytes: number;
}

/**
 * Keeps a body as a file that the same account can name as an input for 24 hours. Resolves to its `upload:` URL when
 * it is whole and durable.
 */
export async function receiveUpload(
  workshop: Workshop,
  accountId: string,
  upload: Upload,
): Promise<{ readonly url: string }> {
  const { name, body, signal, announcedBytes } = upload;
  const complaint = validateFileName(name);
  if (complaint !== null) throw invalidRequest([`the file name ${complaint}`]);
  await refuseWhenTroubled(workshop);
  const place = await workshop.uploads.receive(body, name, accountId, signal, announcedBytes);
  return { url: fileRefUrl('upload', place) };
}
