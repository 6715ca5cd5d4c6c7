import { isVencError, VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import type { Client } from '../../client/client.js';
import { listenForEnd } from '../interrupt.js';
import type { Io } from '../io.js';
import { shellLine } from '../print/shell-words.js';
import { type DownloadOptions, downloadJob } from './download-job.js';

/**
 * Fetches what a job that has just ended has made, and tells the exit code of both. A job that failed has its own code, whether or not
 * there was something to fetch.
 */
export async function downloadEnded(
  client: Client,
  id: number,
  io: Io,
  options: Omit<DownloadOptions, 'signal'> & { readonly code: ExitCode },
): Promise<ExitCode> {
  const { signal, dispose } = listenForEnd(io);
  try {
    await downloadJob(await client.job(id, signal), client.target, io, { ...options, signal });
  } catch (error) {
    if (isVencError(error, 'InterruptedError')) {
      const again = shellLine(['venc', 'download', String(id), '--out', options.folder]);
      throw new VencError('InterruptedError', error.message, { hint: `to go on: ${again}` });
    }
    // With --force the same command would encode it all once more.
    if (isVencError(error, 'UsageError')) {
      const again = shellLine(['venc', 'download', String(id)]);
      throw new VencError('UsageError', error.message, {
        hint: `the job has ended: ${again} --force, or with --out another folder`,
      });
    }
    if (options.code === exitCodes.done || !isVencError(error, 'NotFoundError')) throw error;
  } finally {
    dispose();
  }
  return options.code;
}
