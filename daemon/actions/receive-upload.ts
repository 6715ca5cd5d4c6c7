import type { Readable } from 'node:stream';
import { invalidRequest } from '../../src/shared/errors.js';
import { fileRefUrl, validateFileName } from '../hosted-files/file-ref.js';
import type { AppContext } from './app-context.js';
import { requireHealthy } from './require-healthy.js';

/** A body on its way in. */
export interface UploadRequest {
  readonly name: string;
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** How long the sender says it is; 0 where that is not said. */
  readonly declaredBytes: number;
}

/**
 * Keeps a body as a file that the same account can name as an input for 24 hours. Resolves to its `upload:` URL when
 * it is whole and durable.
 */
export async function receiveUpload(
  appContext: AppContext,
  accountId: string,
  upload: UploadRequest,
): Promise<{ readonly url: string }> {
  const { name, body, signal, declaredBytes } = upload;
  const validationError = validateFileName(name);
  if (validationError !== null) throw invalidRequest([`the file name ${validationError}`]);
  await requireHealthy(appContext);
  const fileRef = await appContext.uploads.receive(body, name, accountId, signal, declaredBytes);
  return { url: fileRefUrl('upload', fileRef) };
}
