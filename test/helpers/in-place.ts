import { open, stat } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import type { InPlaceChallenge } from '../../src/shared/records.js';
import { proofOfReading, readRanges } from '../../src/shared/util/read-proof.js';
import type { TestDaemon } from './daemon.js';

/** A daemon to send requests to. */
type Requests = Pick<TestDaemon, 'request'>;

/** Offers a file of this machine; resolves to the challenge. */
export async function offerFile(
  { request }: Requests,
  path: string,
  size?: number,
): Promise<InPlaceChallenge> {
  const body = JSON.stringify({ path, size: size ?? (await stat(path)).size });
  const response = await request('/v2/offers', { method: 'POST', body });
  assert.is(response.status, 201);
  return (await response.json()) as InPlaceChallenge;
}

/** The proof for a challenge about the file at `path`, with the bytes of the file at `read`. */
export async function proofFor(
  { key, ranges }: Pick<InPlaceChallenge, 'key' | 'ranges'>,
  path: string,
  read = path,
): Promise<string> {
  const file = await open(read);
  try {
    const { size: sizeBytes } = await file.stat();
    return proofOfReading(key, { path, sizeBytes }, await readRanges(file, ranges));
  } finally {
    await file.close();
  }
}

/** Sends a proof. */
export function sendProof({ request }: Requests, token: string, proof: string): Promise<Response> {
  return request(`/v2/offers/${token}`, { method: 'PUT', body: JSON.stringify({ proof }) });
}

/** Offers a file and proves that it can be read; resolves to its URL for a create. */
export async function proveFile(daemon: Requests, path: string): Promise<string> {
  const challenge = await offerFile(daemon, path);
  const response = await sendProof(daemon, challenge.token, await proofFor(challenge, path));
  assert.is(response.status, 200, await response.clone().text());
  return ((await response.json()) as { url: string }).url;
}
