import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { createOnce } from '../../src/shared/util/collections.js';
import type { Run } from '../jobs/run.js';
import { decodeInPlace } from '../transfer/decode-file.js';
import { transportWithCredentials } from '../transports/services.js';
import { repeatAfterCut } from './confirmed-claim.js';
import type { PipelineContext } from './pipeline-context.js';

/** The kind of files that a fetcher downloads. */
interface FetchedKind<T> {
  readonly scratch: string;
  /** What the names of the files in the scratch folder begin with. */
  readonly prefix: string;
  /** The size in bytes above which a download is ended; absent for no limit. */
  readonly maxBytes?: number;
  /** Reads a downloaded file. */
  readonly read: (path: string, signal: AbortSignal) => Promise<T>;
  /** The error that replaces one of the download or of `read`. */
  readonly toError: (url: string, error: unknown) => VencError;
}

/**
 * Returns a function that downloads a file that outputs need besides the input, with the saved credentials of a name,
 * and reads it. Each file is downloaded once for all outputs of the job. The downloads use the transports of inputs,
 * and so their rules for addresses.
 */
export function createFileFetcher<T>(
  context: PipelineContext,
  kind: FetchedKind<T>,
): (run: Run, url: string, credentials: string | undefined) => Promise<T> {
  const once = createOnce<T>();
  let count = 0;
  return (run, url, credentials) =>
    once(JSON.stringify([url, credentials]), () => {
      const path = join(kind.scratch, `${kind.prefix}-${count++}`);
      return fetchFile(run, context, { url, credentials, path }, kind);
    });
}

async function fetchFile<T>(
  run: Run,
  context: PipelineContext,
  from: { readonly url: string; readonly credentials: string | undefined; readonly path: string },
  { maxBytes = Number.POSITIVE_INFINITY, read, toError }: FetchedKind<T>,
): Promise<T> {
  const tooLarge = new AbortController();
  try {
    const owner = { accountId: run.job.accountId, credentials: from.credentials };
    const transport = transportWithCredentials(context, from.url, owner);
    const { download } = transport;
    if (download === undefined) throw new TypeError('its scheme does not support downloads');
    const checkSize = (bytes: number) => {
      if (bytes <= maxBytes) return;
      tooLarge.abort(
        new VencError('DownloadFailureError', `the file has more than ${Math.round(maxBytes / 1e6)} MB`),
      );
    };
    checkSize((maxBytes === Number.POSITIVE_INFINITY ? null : await sizeOf(transport, from.url, run)) ?? 0);
    tooLarge.signal.throwIfAborted();
    const signal = AbortSignal.any([run.signal, tooLarge.signal]);
    const { sizeBytes, encoding } = await repeatAfterCut({ ...run, signal }, () =>
      download(from.url, from.path, { signal, onProgress: checkSize }),
    );
    checkSize(sizeBytes);
    tooLarge.signal.throwIfAborted();
    if (encoding !== undefined) await decodeInPlace(from.path, { encoding, maxBytes, signal: run.signal });
    return await read(from.path, run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError')) throw error;
    throw toError(from.url, tooLarge.signal.aborted ? tooLarge.signal.reason : error);
  }
}

/** The size of a file, if its server reports it. */
async function sizeOf(
  { sizeOf: read }: ReturnType<typeof transportWithCredentials>,
  url: string,
  { signal }: Run,
): Promise<number | null> {
  return (await read?.(url, signal)) ?? null;
}
