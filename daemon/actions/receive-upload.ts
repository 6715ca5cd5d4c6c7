import type { Readable } from 'node:stream';
import { invalidRequest } from '../../src/api/errors.js';
import { refuseWhenTroubled } from './refuse-when-troubled.js';
import type { Workshop } from './workshop.js';

/** Greatest length of a file name in bytes. */
const maxNameBytes = 255;

/**
 * Keeps a body as a file that the same account can name as an input for 24 hours. Resolves to its `upload:` URL when
 * it is whole and durable.
 */
export async function receiveUpload(
  workshop: Workshop,
  accountId: string,
  upload: { readonly name: string; readonly body: Readable; readonly signal: AbortSignal },
): Promise<{ readonly url: string }> {
  const { name, body, signal } = upload;
  if (!isFileName(name)) {
    throw invalidRequest([
      `the file name must be 1 to ${maxNameBytes} bytes long, without slashes and control characters`,
    ]);
  }
  await refuseWhenTroubled(workshop);
  const place = await workshop.uploads.receive(body, name, accountId, signal);
  return { url: `upload://${place.token}/${encodeURIComponent(place.name)}` };
}

function isFileName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return Buffer.byteLength(name) <= maxNameBytes && !/[/\p{Cc}]/u.test(name);
}
