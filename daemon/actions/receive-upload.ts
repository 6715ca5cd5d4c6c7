import type { Readable } from 'node:stream';
import { invalidRequest } from '../../src/shared/errors.js';
import { fileRefUrl, validateFileName } from '../hosted-files/file-ref.js';
import { type AppContext, requireHealthy } from './app-context.js';

/** An upload that is being received. */
interface UploadRequest {
  readonly name: string;
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** The declared size; 0 if the client declares none. */
  readonly declaredBytes: number;
}

/**
 * Stores a body as a file that the same account can use as an input for 24 hours. Resolves to its `upload:`
 * URL when the file is complete and durable.
 */
export async function receiveUpload(
  appContext: Pick<AppContext, 'uploads' | 'checkHealth'>,
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
