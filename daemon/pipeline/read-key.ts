import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { decideEncryption } from '../plan/decide/packaging.js';
import { createFileFetcher } from './fetch-file.js';
import type { PipelineContext } from './pipeline-context.js';
import { runStage } from './stages.js';

const keyBytes = 16;
/** A file that is this large is not a key, and not downloaded to its end. */
const maxBytes = 1_000_000;

/** A new key for segments. */
export function randomKey(): Buffer {
  return randomBytes(keyBytes);
}

/**
 * Reads the key with which the segments of an output are encrypted: that of the request, or that at its address, which
 * is downloaded once for all outputs of the job. Its `key` is null for random ones, and if the output is not encrypted.
 */
export type ReadKey = (run: Run, output: JobOutput) => Promise<{ readonly key: Buffer | null } | null>;

/**
 * Creates the reader of a job. If a key cannot be downloaded or has another length than 16 bytes, the output fails
 * (`InvalidEncryptionSettingsError`) and null is returned.
 */
export function createKeyReader(context: PipelineContext, scratch: string): ReadKey {
  const invalid = (url: string, what: string, cause?: unknown) =>
    new VencError('InvalidEncryptionSettingsError', `The key ${withoutPassword(url)} ${what}.`, { cause });
  const fetchKey = createFileFetcher<Buffer>(context, {
    scratch,
    prefix: 'key',
    maxBytes,
    read: (path) => readFile(path),
    toError: (url, error) => {
      const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
      return invalid(url, `cannot be downloaded: ${why}`, error);
    },
  });
  return (run, output) =>
    runStage(
      run,
      async () => {
        const { key = null, keyUrl = null } = decideEncryption(output.settings) ?? {};
        if (key !== null) return { key: Buffer.from(key, 'hex') };
        if (keyUrl === null) return { key: null };
        const bytes = await fetchKey(run, keyUrl, run.job.input.credentials);
        if (bytes.length !== keyBytes)
          throw invalid(keyUrl, `has ${bytes.length} bytes instead of ${keyBytes}`);
        return { key: bytes };
      },
      'InvalidEncryptionSettingsError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
}
