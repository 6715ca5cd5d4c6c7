import { fieldsOf, readNumber, readText } from '../shared/client/coerce.js';
import { delayAfterError } from '../shared/client/retry-delay.js';
import { isVencError, VencError } from '../shared/errors.js';
import { randomToken } from '../shared/util/random-token.js';
import { abortableSleep, backoffDelayMs, timeoutSignal } from '../shared/util/timing.js';
import type { Caller } from './call.js';
import { isRefused } from './network-errors.js';

/** A file to upload to the service. */
export interface Upload {
  readonly name: string;
  readonly sizeBytes: number;
  /** The bytes of the file from an offset on, as far as its size says. */
  readonly read: (offset: number) => AsyncIterable<Uint8Array>;
  /** Whether the service is a `venc daemon`, at which an upload can be continued. */
  readonly isContinued: boolean;
}

/** How far the service is with an upload. The URL is null until the file is complete. */
interface UploadState {
  readonly receivedBytes: number;
  readonly url: string | null;
}

/** Maximum number of consecutive attempts without new bytes. A daemon that is restarted is back before the last one. */
const maxAttempts = 10;
const backoff = { firstMs: 500, maxMs: 5000 };
/** How long to wait before a daemon that is storing a file is asked again, in milliseconds. */
const storingDelayMs = 500;
/** How long the cancelling of an upload may take, in milliseconds. */
const maxCancelMs = 2000;

/**
 * Uploads a file, and resolves to its URL. After a broken connection the upload continues behind the last byte that the
 * daemon has. A daemon of an earlier version ignores the parameters of parts, and takes the first one, which is the
 * whole file, as it did before; a broken connection is then an error.
 */
export async function upload(
  caller: Pick<Caller, 'call' | 'relocate'>,
  file: Upload,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!file.isContinued) {
    const { name, sizeBytes, read } = file;
    const content = { sizeBytes, content: read(0) };
    const response = await caller.call('upload', { values: { name }, content, signal });
    return requireUrl(stateIn(response.body).url);
  }
  return new ContinuedUpload(caller, file, signal).run();
}

/** An upload that is continued after a failure. */
class ContinuedUpload {
  readonly #caller: Pick<Caller, 'call' | 'relocate'>;
  readonly #file: Upload;
  readonly #signal: AbortSignal | undefined;
  readonly #token = randomToken();
  /** Whether bytes have been sent. */
  #hasBegun = false;

  constructor(caller: Pick<Caller, 'call' | 'relocate'>, file: Upload, signal: AbortSignal | undefined) {
    this.#caller = caller;
    this.#file = file;
    this.#signal = signal;
  }

  async run(): Promise<string> {
    try {
      return await this.#run();
    } catch (error) {
      // What was received would stay for a day.
      if (this.#hasBegun) await this.#cancel();
      throw error;
    }
  }

  async #run(): Promise<string> {
    const { sizeBytes } = this.#file;
    let receivedBytes = 0;
    let failure: VencError | null = null;
    for (let failures = 0; ; ) {
      try {
        if (failure !== null) {
          const state = await this.#ask(failure);
          if (state.url !== null) return state.url;
          if (state.receivedBytes > receivedBytes) failures = 0;
          receivedBytes = Math.min(state.receivedBytes, sizeBytes);
          failure = null;
        }
        const { url, receivedBytes: nextBytes } = await this.#send(receivedBytes);
        if (url !== null) return url;
        if (nextBytes < sizeBytes) throw withoutUrl();
        // The daemon is storing the file.
        receivedBytes = nextBytes;
        failures = 0;
        await abortableSleep(storingDelayMs, this.#signal);
      } catch (error) {
        failures += 1;
        failure = await this.#waitAfter(error, failures, failure !== null || receivedBytes > 0);
      }
    }
  }

  async #send(offset: number): Promise<UploadState> {
    const { name, sizeBytes } = this.#file;
    const content = { sizeBytes: sizeBytes - offset, content: this.#read(offset) };
    const query = { upload: this.#token, offset, size: sizeBytes };
    const { body } = await this.#caller.call('upload', {
      ...{ values: { name }, query, content },
      signal: this.#signal,
    });
    return stateIn(body);
  }

  async *#read(offset: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#file.read(offset)) {
      yield chunk;
      this.#hasBegun = true;
    }
  }

  /** Waits before the next attempt, and resolves to the error. Rethrows it if it is final, or if nothing was sent. */
  async #waitAfter(error: unknown, failures: number, hasReached: boolean): Promise<VencError> {
    this.#signal?.throwIfAborted();
    if (!isVencError(error) || !this.#hasBegun || failures >= maxAttempts) throw error;
    const isBroken = error.errorClass === 'UnreachableError' && (hasReached || !isRefused(error));
    const isWrongOffset = error.errorClass === 'ConflictError';
    const waitMs = delayAfterError(error, backoffDelayMs(failures, backoff));
    if (waitMs === null || !(isBroken || isWrongOffset || error.entry.retryable)) throw error;
    await abortableSleep(waitMs, this.#signal);
    await this.#caller.relocate();
    return error;
  }

  /** Asks where the next part begins. Rejects with the error of the last part if the daemon cannot continue uploads. */
  async #ask(failure: VencError): Promise<UploadState> {
    const options = { values: { name: this.#file.name }, query: { upload: this.#token } };
    try {
      return stateIn((await this.#caller.call('uploadState', { ...options, signal: this.#signal })).body);
    } catch (error) {
      // The daemon did not see the beginning, or it is another one.
      if (isVencError(error, 'NotFoundError')) return { receivedBytes: 0, url: null };
      throw isVencError(error, 'MethodNotAllowedError') ? failure : error;
    }
  }

  async #cancel(): Promise<void> {
    const options = { values: { name: this.#file.name }, query: { upload: this.#token } };
    await this.#caller
      .call('cancelUpload', { ...options, signal: timeoutSignal(maxCancelMs) })
      .catch(() => {});
  }
}

function stateIn(body: unknown): UploadState {
  const { url, received } = fieldsOf(body);
  return { url: readText(url), receivedBytes: readNumber(received) ?? 0 };
}

function requireUrl(url: string | null): string {
  if (url !== null) return url;
  throw withoutUrl();
}

function withoutUrl(): VencError {
  return new VencError('UnreachableError', 'The service accepted the file but did not return its URL.');
}
