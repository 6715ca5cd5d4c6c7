import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { EncryptionDecision } from '../plan/decide/packaging.js';
import { transportWithCredentials } from '../transports/with-credentials.js';
import type { PipelineContext } from './pipeline-context.js';

const keyBytes = 16;

/** A new key for segments. */
export function randomKey(): Buffer {
  return randomBytes(keyBytes);
}

/**
 * The key with which the segments of an output are encrypted: that of the request, or that at its address. Null for random ones. Rejects with
 * `InvalidEncryptionSettingsError` if it cannot be downloaded or has another length than 16 bytes.
 */
export async function readKey(
  run: Run,
  context: PipelineContext,
  { output, scratch }: { readonly output: JobOutput; readonly scratch: string },
  { key, keyUrl }: EncryptionDecision,
): Promise<Buffer | null> {
  if (key !== null) return Buffer.from(key, 'hex');
  if (keyUrl === null) return null;
  const path = join(scratch, `key-${output.id}`);
  const invalid = (what: string, cause?: unknown) =>
    new VencError('InvalidEncryptionSettingsError', `The key ${withoutPassword(keyUrl)} ${what}.`, { cause });
  try {
    const owner = { accountId: run.job.accountId, credentials: run.job.input.credentials };
    const transport = transportWithCredentials(context, keyUrl, owner);
    if (transport.download === undefined)
      throw new TypeError('the scheme of the key does not support downloads');
    const { sizeBytes } = await transport.download(keyUrl, path, {
      signal: run.signal,
      onProgress: () => {},
    });
    if (sizeBytes !== keyBytes) throw invalid(`has ${sizeBytes} bytes instead of ${keyBytes}`);
    return await readFile(path);
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError') || isVencError(error, 'InvalidEncryptionSettingsError'))
      throw error;
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw invalid(`cannot be downloaded: ${why}`, error);
  } finally {
    await rm(path, { force: true });
  }
}
