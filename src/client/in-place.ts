import { type FileHandle, open, realpath } from 'node:fs/promises';
import { fieldsOf, readText } from '../shared/client/coerce.js';
import { isVencError, type VencError } from '../shared/errors.js';
import type { InPlaceChallenge } from '../shared/records.js';
import { isObject } from '../shared/util/is-object.js';
import { proofOfReading, readRanges } from '../shared/util/read-proof.js';
import type { Client } from './client.js';
import { isNotFound } from './network-errors.js';
import { isLocalUrl } from './target.js';

/** The URL of a file that the service reads where it is, or why it does not, as a sentence. */
type InPlaceAnswer = { readonly url: string } | { readonly reason: string };

/** A service may ask for this many bytes of a file at most. */
const maxProofBytes = 16 * 1024 * 1024;
/** Errors after which an upload would fail as well. */
const finalErrors: ReadonlySet<string> = new Set([
  'UnreachableError',
  'UnauthorizedError',
  'InterruptedError',
]);

/**
 * Offers a file to a daemon on this machine, to be read where it is, and proves that this process can read it. Rejects
 * if the service cannot be reached or rejects the key.
 */
export async function offerInPlace(
  client: Client,
  path: string,
  signal: AbortSignal,
): Promise<InPlaceAnswer> {
  const { isOwnDaemon, url } = client.target;
  // The name of a file is no concern of another machine.
  if (isOwnDaemon !== true && !isLocalUrl(url)) return { reason: 'The service is on another machine.' };
  const realPath = await realpath(path);
  if (realPath.includes('\ufffd')) return { reason: 'Its path is not valid UTF-8.' };
  const file = await open(realPath);
  try {
    return await prove(client, { path: realPath, file }, signal);
  } catch (error) {
    if (error instanceof RangeError) return { reason: 'It became shorter meanwhile.' };
    if (!isVencError(error) || finalErrors.has(error.errorClass)) throw error;
    return { reason: reasonOf(error) };
  } finally {
    await file.close();
  }
}

async function prove(
  { call }: Client,
  { path, file }: { readonly path: string; readonly file: FileHandle },
  signal: AbortSignal,
): Promise<InPlaceAnswer> {
  const { size: sizeBytes } = await file.stat();
  const offered = await call('offerInPlace', { body: { path, size: sizeBytes }, signal });
  const challenge = readChallenge(offered.body, sizeBytes);
  if (challenge === null) return { reason: 'The service asks for what is not in the file.' };
  const { token, key, ranges } = challenge;
  const proof = proofOfReading(key, { path, sizeBytes }, await readRanges(file, ranges));
  const proven = await call('proveInPlace', { values: { token }, body: { proof }, signal });
  const url = readText(fieldsOf(proven.body).url);
  return url === null ? { reason: 'The service did not return its URL.' } : { url };
}

/** The challenge in an answer; null if it is not one for a file of this size. */
function readChallenge(body: unknown, sizeBytes: number): InPlaceChallenge | null {
  const { token, key, ranges } = fieldsOf(body);
  if (typeof token !== 'string' || typeof key !== 'string' || !Array.isArray(ranges)) return null;
  if (token === '' || !/^[0-9a-f]{32,128}$/.test(key)) return null;
  const read = ranges.flatMap((range) => {
    const { offset, length } = isObject(range) ? range : {};
    const isRange = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
    return isRange ? [{ offset: Number(offset), length: Number(length) }] : [];
  });
  const isInside = read.every(
    ({ offset, length }) => offset >= 0 && length > 0 && offset + length <= sizeBytes,
  );
  const total = read.reduce((sum, { length }) => sum + length, 0);
  return isInside && read.length === ranges.length && total <= maxProofBytes
    ? { token, key, ranges: read }
    : null;
}

function reasonOf(error: VencError): string {
  return isNotFound(error) ? 'This service does not read files in place.' : error.message;
}
