import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { settleWithin, timeoutSignal } from '../../../src/shared/util/timing.js';
import type { BucketFolder } from './bucket-folder.js';

/** How long a request that a client waits for may take, in milliseconds, all attempts included. */
export const maxRequestMs = 15_000;
/** How long the check of a bucket may take, in milliseconds. */
const maxCheckMs = 5_000;
/** How long the result of a check is reused, in milliseconds. */
const checkTtlMs = { ok: 10_000, failed: 2_000 } as const;

/**
 * Checks a bucket before a daemon starts: lists, writes, reads and deletes in it. Rejects with `UsageError` if it is
 * missing, or rejects the keys or an operation. Resolves to the error if the server cannot be reached or fails: the
 * daemon starts nevertheless, and continues when the server is back.
 */
export async function checkBucket(folder: BucketFolder, name: string): Promise<VencError | null> {
  const signal = timeoutSignal(maxRequestMs);
  const path = `.check/${name}`;
  const steps = [
    ['list it (s3:ListBucket)', () => folder.checkListing(signal)],
    ['write to it (s3:PutObject)', () => folder.writeText(path, 'venc', signal)],
    ['read from it (s3:GetObject)', () => folder.readText(path, signal)],
    ['delete from it (s3:DeleteObject)', () => folder.remove(path, signal)],
  ] as const;
  for (const [operation, run] of steps) {
    try {
      await run();
    } catch (error) {
      const reason = usageReason(folder, error, operation);
      if (reason !== null) throw new VencError('UsageError', `--hosted: ${reason}`, { cause: error });
      return toVencError(error);
    }
  }
  return null;
}

function usageReason({ host, location }: BucketFolder, error: unknown, operation: string): string | null {
  if (!isVencError(error)) return null;
  const { bucket, name } = location;
  switch (error.errorClass) {
    case 'FileNotFoundError':
      return `there is no bucket ${bucket} at ${host}. Create it, or correct the name and AWS_ENDPOINT_URL_S3.`;
    case 'InvalidUsernameOrPasswordError':
      return `${host} did not accept the keys for ${bucket}. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the keys in the URL.`;
    case 'DownloadAccessDeniedError':
    case 'UploadAccessDeniedError':
      return `${host} denies access to ${name}: the keys may not ${operation}. Grant this permission to them.`;
    default:
      return null;
  }
}

/** A check of a bucket. `ended` is null while it runs. Times are those of a clock that is never set back. */
interface Check {
  readonly startedAt: number;
  readonly result: Promise<string | null>;
  ended: { readonly at: number; readonly isOk: boolean } | null;
}

/** Whether a bucket can be used, as `/health` and the requests and transfers of hosted files ask. */
export class BucketAvailability {
  readonly #folder: BucketFolder;
  readonly #log: Log;
  #latest: Check | null = null;
  #isReported = false;

  constructor(folder: BucketFolder, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /**
   * Why the bucket cannot be used, as one sentence without names; null if it can. Concurrent calls share one check.
   * With a limit it resolves in time: a bucket that has not answered by then counts as one that cannot be reached.
   */
  problem(maxWaitMs?: number): Promise<string | null> {
    const check = this.#latest !== null && isUsable(this.#latest) ? this.#latest : this.#start();
    if (maxWaitMs === undefined) return check.result;
    const waitedMs = performance.now() - check.startedAt;
    return settleWithin(check.result, Math.max(0, maxWaitMs - waitedMs), unavailable(null).message);
  }

  /**
   * Notes the failure of a request, so that the next call of `problem` checks again. Returns the error for the client.
   */
  failed(error: unknown): VencError {
    this.#latest = null;
    return unavailable(error);
  }

  /** Writes once to the log that the bucket cannot be used. */
  report(error: VencError): void {
    if (!this.#isReported) this.#log('warn', `The bucket of hosted files cannot be used: ${error.message}`);
    this.#isReported = true;
  }

  #start(): Check {
    const check: Check = { startedAt: performance.now(), result: this.#check(), ended: null };
    this.#latest = check;
    void check.result.then((problem) => {
      check.ended = { at: performance.now(), isOk: problem === null };
    });
    return check;
  }

  async #check(): Promise<string | null> {
    try {
      await this.#folder.checkListing(timeoutSignal(maxCheckMs));
      if (this.#isReported) this.#log('info', 'The bucket of hosted files can be used again.');
      this.#isReported = false;
      return null;
    } catch (error) {
      this.report(toVencError(error));
      return unavailable(error).message;
    }
  }
}

/** Whether the result of a check is used again, or that of one that runs. */
function isUsable({ ended }: Check): boolean {
  return ended === null || performance.now() - ended.at < (ended.isOk ? checkTtlMs.ok : checkTtlMs.failed);
}

/** What a client or a reader of `/health` may know: neither names nor hosts. */
const sentences: Readonly<Record<string, string>> = {
  FileNotFoundError: 'does not exist',
  InvalidUsernameOrPasswordError: 'does not accept the keys of the daemon',
  DownloadAccessDeniedError: 'denies access to the daemon',
  UploadAccessDeniedError: 'denies access to the daemon',
};

function unavailable(error: unknown): VencError {
  if (isVencError(error, 'UnavailableError')) return error;
  const predicate = sentences[toVencError(error).errorClass] ?? 'cannot be reached';
  const message = `The bucket of hosted files and uploads (--hosted) ${predicate}; the log of the daemon says more.`;
  return new VencError('UnavailableError', message, { cause: error });
}

function toVencError(error: unknown): VencError {
  if (isVencError(error)) return error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const message = isTimeout ? 'its server did not answer in time.' : String(error);
  return new VencError('DownloadTimeoutError', message, { cause: error });
}
