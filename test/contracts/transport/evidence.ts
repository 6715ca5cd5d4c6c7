import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Transfer } from '../../../daemon/transfer/transfer.js';
import { isVencError, type VencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';
import { secret } from './transport-harness.js';

const base = tempFolder();

/** Creates a folder for one test. */
export function scratchFolder(): string {
  return mkdtempSync(join(base, 'scratch-'));
}

/** Pseudorandom bytes, the same for the same size. */
export function sampleBytes(sizeBytes: number): Buffer {
  const block = createHash('sha512').update(String(sizeBytes)).digest();
  // A prime length, so that no two chunks of a usual size are equal.
  return Buffer.alloc(sizeBytes, block.subarray(0, 61));
}

/** Size and MD5, computed without the code under test. */
export function factsOf(bytes: Buffer): { readonly sizeBytes: number; readonly md5: string } {
  return { sizeBytes: bytes.byteLength, md5: createHash('md5').update(bytes).digest('hex') };
}

/** Default transfer options: no progress and no cancel. */
export function transferOf(parts: Partial<Transfer> = {}): Transfer {
  return { signal: new AbortController().signal, onProgress: () => undefined, ...parts };
}

/** Lists everything in a folder, recursively. */
export function contentsOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

/** Returns the error that a promise rejects with. Fails if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('it should have failed'),
    (error: unknown) => error,
  );
}

/** Returns the `VencError` that a promise rejects with. Checks that it contains no secret. */
export async function failureOf(promise: Promise<unknown>): Promise<VencError> {
  const error = await rejectionOf(promise);
  if (!isVencError(error)) throw error;
  assert.not.match([error.message, error.hint, ...error.messages].join('\n'), secret);
  assert.not.match(String(error.stack), secret);
  return error;
}
