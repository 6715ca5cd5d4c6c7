import type { Client } from '../../client/client.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { reportError } from '../terminal/report-error.js';
import { type DownloadOptions, downloadJob } from './download-job.js';

/**
 * Downloads the files of jobs that have just ended. A failed job may have no files. The error of one of several jobs is
 * reported, and the others are still downloaded; resolves to the exit code of the first error. Rejects with the error
 * of a single job.
 */
export async function downloadFinishedJobs(
  client: Client,
  ids: readonly number[],
  io: Io,
  options: Omit<DownloadOptions, 'signal' | 'usedNames'>,
): Promise<ExitCode> {
  const { signal, dispose } = listenForInterrupt(io);
  const usedNames = new Set<string>();
  let code: ExitCode = exitCodes.done;
  try {
    for (const [index, id] of ids.entries()) {
      try {
        const job = await client.job(id, signal);
        await downloadJob(job, client.target, io, { ...options, signal, usedNames }).catch(
          (error: unknown) => {
            if (job.state === 'finished' || !isVencError(error, 'NotFoundError')) throw error;
          },
        );
      } catch (error) {
        if (isVencError(error, 'InterruptedError'))
          throw interruptedError(error, ids.slice(index), options.folder);
        const hintedError = withRetryHint(error, id);
        if (ids.length === 1 || signal.aborted || !isVencError(hintedError)) throw hintedError;
        code = reportError(io, hintedError, `Job ${id}`, code);
      }
    }
  } finally {
    dispose();
  }
  return code;
}

function interruptedError(error: VencError, ids: readonly number[], folder: string): VencError {
  const retryCommand = shellLine(['venc', 'download', ...ids.map(String), '--out', folder]);
  return new VencError('InterruptedError', error.message, { hint: `to continue: ${retryCommand}` });
}

/** Replaces the hint: repeating the submit with --force would encode everything again. */
function withRetryHint(error: unknown, id: number): unknown {
  if (!isVencError(error, 'UsageError')) return error;
  const retryCommand = shellLine(['venc', 'download', String(id)]);
  return new VencError('UsageError', error.message, {
    hint: `the job has ended: ${retryCommand} --force, or with --out another folder`,
  });
}
