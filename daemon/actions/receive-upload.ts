import type { Readable } from 'node:stream';
import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import { fileRefUrl, validateFileName } from '../hosted-files/file-ref.js';
import type { UploadKey, UploadState } from '../hosted-files/unfinished-uploads.js';
import type { Account } from '../store/account-store.js';
import { type AppContext, requireHealthy } from './app-context.js';

type UploadContext = Pick<AppContext, 'uploads' | 'unfinishedUploads' | 'checkHealth'>;
type Owner = Pick<Account, 'id'>;

/** The body of a request that uploads a file, or a part of one. */
interface UploadBody {
  readonly body: Readable;
  readonly signal: AbortSignal;
  /** The length that the client declared; 0 if it declared none. */
  readonly declaredBytes: number;
}

/** A part of an upload. */
interface UploadPart extends UploadBody {
  readonly name: string;
  /** Names the upload among those of the account. The client has chosen it. */
  readonly token: string;
  /** Number of bytes before this part. */
  readonly offset: number;
  /** Size of the whole file. */
  readonly sizeBytes: number;
}

/** How far an upload is. `url` is absent until the file is complete and durable. */
interface UploadRecord {
  readonly received: number;
  readonly size: number;
  readonly url?: string;
}

const tokenPattern = /^[A-Za-z0-9_-]{32,128}$/;

/** Receives a whole file. Resolves to its `upload:` URL when the file is complete and durable. */
export async function receiveUpload(
  appContext: UploadContext,
  account: Owner,
  { name, body, signal, declaredBytes }: UploadBody & Pick<UploadPart, 'name'>,
): Promise<string> {
  requireName(name);
  await requireHealthy(appContext);
  const fileRef = await appContext.uploads.receive(body, name, account.id, signal, declaredBytes);
  return fileRefUrl('upload', fileRef);
}

/**
 * Receives a part of a file. With the last one the record has the URL, unless storing the file takes longer than some
 * seconds: an empty part at the end asks again. Rejects with `ConflictError` if the part does not begin where the file
 * ends.
 */
export async function receiveUploadPart(
  appContext: UploadContext,
  account: Owner,
  { name, token, offset, sizeBytes, body, signal, declaredBytes }: UploadPart,
): Promise<UploadRecord> {
  // The body may fail before the first read, and an unhandled 'error' event would end the daemon.
  body.on('error', () => undefined);
  const key = uploadKey(account, name, token);
  if (offset > sizeBytes)
    throw invalidRequest([`offset must not be greater than size, which is ${sizeBytes}`]);
  if (offset + declaredBytes > sizeBytes)
    throw invalidRequest([
      `size is ${sizeBytes}, and offset plus the Content-Length is ${offset + declaredBytes}`,
    ]);
  await requireHealthy(appContext);
  const { uploads, unfinishedUploads } = appContext;
  try {
    return recordOf(await unfinishedUploads.receive(key, { offset, sizeBytes, body, signal }));
  } catch (error) {
    // A bucket takes a whole file without space on the disk of the daemon.
    const isWhole = offset === 0 && declaredBytes === sizeBytes && !body.readableDidRead;
    if (uploads.usesDisk || !isWhole || !isVencError(error, 'OutOfSpaceError')) throw error;
    const url = await receiveUpload(appContext, account, { name, body, signal, declaredBytes });
    return { received: sizeBytes, size: sizeBytes, url };
  }
}

/** How far an upload is. Rejects with `NotFoundError` if the account has none with this name and token. */
export function findUpload(
  { unfinishedUploads }: Pick<AppContext, 'unfinishedUploads'>,
  account: Owner,
  { name, token }: Pick<UploadPart, 'name' | 'token'>,
): UploadRecord {
  const state = unfinishedUploads.find(uploadKey(account, name, token));
  if (state === null) throw noUpload('There is no upload of this name and token. Begin it with offset=0.');
  return recordOf(state);
}

/** Removes what was received of an upload. Rejects with `NotFoundError` if there is none, or if it is complete. */
export async function cancelUpload(
  { unfinishedUploads }: Pick<AppContext, 'unfinishedUploads'>,
  account: Owner,
  { name, token }: Pick<UploadPart, 'name' | 'token'>,
): Promise<void> {
  if (await unfinishedUploads.cancel(uploadKey(account, name, token))) return;
  throw noUpload('There is no unfinished upload of this name and token.');
}

function recordOf({ receivedBytes, sizeBytes, ref }: UploadState): UploadRecord {
  const url = ref === null ? {} : { url: fileRefUrl('upload', ref) };
  return { received: receivedBytes, size: sizeBytes, ...url };
}

function uploadKey({ id }: Owner, name: string, token: string): UploadKey {
  requireName(name);
  if (!tokenPattern.test(token))
    throw invalidRequest([
      'upload must have 32 to 128 characters, each a letter, a digit, - or _: choose them at random for each file',
    ]);
  return { ownerId: id, name, token };
}

function requireName(name: string): void {
  const validationError = validateFileName(name);
  if (validationError !== null) throw invalidRequest([`the file name ${validationError}`]);
}

function noUpload(message: string): VencError {
  return new VencError('NotFoundError', message);
}
