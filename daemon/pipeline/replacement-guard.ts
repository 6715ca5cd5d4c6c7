import { VencError } from '../../src/shared/errors.js';
import { fileIdentity, isSameFile } from '../../src/shared/util/disk.js';
import type { Job, JobOutput } from '../jobs/job.js';
import { sourceUrlsOf } from '../jobs/source-urls.js';
import type { ReplacementGuard } from '../transfer/transfer.js';
import { existingFiles, localPath, writtenNames } from './written-files.js';

/** What a guard needs. */
interface ReplacementGuardOptions {
  readonly outputId: number;
  /** The job as it is now. */
  readonly job: () => Pick<Job, 'input' | 'outputs'>;
  /** Stores identities of files in the record of the output. Resolves once that survives a crash. */
  readonly store: (files: readonly string[]) => Promise<unknown>;
}

/**
 * Guards the files of this machine against the deliveries of an output. It may replace the files that it delivered
 * itself, in this run or an earlier one, and other files only with `overwrite`; never a file that its job reads or that
 * another output of its job delivered.
 */
export function createReplacementGuard({ outputId, job, store }: ReplacementGuardOptions): ReplacementGuard {
  let pending: string[] = [];
  let next: Promise<unknown> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return {
    requireReplaceable: (file, name) => requireReplaceable(job(), outputId, { file, name }),
    async remember(file) {
      if (isDeliveredBy(outputOf(job(), outputId), file)) return;
      pending.push(file);
      // Files that come while others are stored are stored together: an output may have thousands.
      next ??= last
        .catch(() => undefined)
        .then(() => {
          const files = pending;
          pending = [];
          last = next ?? last;
          next = null;
          return store(files);
        });
      await next;
    },
  };
}

/**
 * Rejects with `UploadFailureError` if an output cannot be delivered because of a file on this machine: so it fails
 * before it is encoded. With a `secondary_url` it can, unless there is such a file, too.
 */
export async function requireFreePlaces(
  job: Pick<Job, 'input' | 'outputs'>,
  output: JobOutput,
): Promise<void> {
  const { destination, url, secondary } = output;
  const places = [{ destination, url }, ...(secondary === undefined ? [] : [secondary])];
  const errors: unknown[] = [];
  for (const place of places) {
    try {
      for (const names of writtenNames(output, place)) {
        // Whether there will be captions depends on the input.
        const found = (await existingFiles(names)).filter(
          ({ name }) => names.what !== 'parts' || !/\.vtt$/.test(name),
        );
        for (const file of found) await requireReplaceable(job, output.id, file);
      }
      return;
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

/** Whether a file is one that an output delivered. */
export function isDeliveredBy({ deliveredFiles = [] }: JobOutput, file: string): boolean {
  return deliveredFiles.some((own) => isSameFile(own, file));
}

async function requireReplaceable(
  job: Pick<Job, 'input' | 'outputs'>,
  outputId: number,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<void> {
  const reject = (reason: string): never => {
    throw new VencError('UploadFailureError', `${name} was not replaced: ${reason}.`);
  };
  const output = outputOf(job, outputId);
  if (await isOneOf(file, [job.input.url])) reject('it is the input of the job');
  if (
    await isOneOf(
      file,
      job.outputs.flatMap(({ settings }) => sourceUrlsOf(settings)),
    )
  )
    reject('the job reads it');
  if (isDeliveredBy(output, file)) return;
  const other = job.outputs.find((one) => one !== output && isDeliveredBy(one, file));
  if (other !== undefined) reject(`it is a file of output ${other.label ?? other.id} of the job`);
  if (output.settings.overwrite !== true)
    reject('it exists, and this job did not make it. Set overwrite (--force), or name another file');
}

async function isOneOf(file: string, urls: readonly string[]): Promise<boolean> {
  for (const url of urls) {
    const path = localPath(url);
    const found = path === null ? null : await fileIdentity(path);
    if (found !== null && isSameFile(found, file)) return true;
  }
  return false;
}

function outputOf(job: Pick<Job, 'outputs'>, outputId: number): JobOutput {
  const output = job.outputs.find(({ id }) => id === outputId);
  if (output === undefined) throw new TypeError('a job lost an output');
  return output;
}
