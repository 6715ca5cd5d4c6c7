import { isObject } from '../../../src/shared/util/is-object.js';
import { backoffDelayMs } from '../../../src/shared/util/timing.js';
import { type Answer, ask, NoAnswerError } from './transfer.js';

/** An upload that cannot go on. Its message says what to do. */
export class UploadError extends Error {
  /** Whether another attempt, without changes, can succeed. */
  readonly isRetryable: boolean;

  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.isRetryable = isRetryable;
  }
}

/** What an upload reports. */
export interface UploadProgress {
  /** null if it is unchanged. */
  readonly sentBytes: number | null;
  /** Why it waits; null while it is sent. */
  readonly message: string | null;
}

/** How a file is uploaded. */
interface UploadOptions {
  /** Names the upload: the daemon knows it if it is continued. */
  readonly token: string;
  readonly isContinued: boolean;
  readonly signal: AbortSignal;
  readonly report: (progress: UploadProgress) => void;
}

/** The size of a part at first, and at most. Parts that take less than `quickMs` double. In bytes. */
const [firstPartBytes, maxPartBytes, minPartBytes] = [16 * 2 ** 20, 256 * 2 ** 20, 64 * 2 ** 10];
const quickMs = 2000;
/** How long to wait before a daemon that is storing a file is asked again, in milliseconds. */
const storingMs = 500;
/** The waits after failures, in milliseconds. */
const waits = { firstMs: 1000, maxMs: 15_000 };

/** A daemon that asks for such a wait cannot take the file now: its disk is full, for example. */
const lastingSeconds = 20;
/** How often it is asked again before others have their turn. */
const maxLasting = 20;

/** Uploads a file in parts, and continues behind the last byte that the daemon has. */
export class FileUpload {
  readonly #file: File;
  readonly #path: string;
  readonly #options: UploadOptions;
  readonly #signal: AbortSignal;
  #partBytes = firstPartBytes;
  /** Whether the daemon has received any of it. */
  #hasBegun = false;

  constructor(file: File, options: UploadOptions) {
    this.#file = file;
    this.#path = uploadPath(file, options.token);
    this.#options = options;
    this.#signal = options.signal;
  }

  /** Resolves to the URL of the complete file. Rejects with `UploadError`, or with the reason of the signal. */
  async run(): Promise<string> {
    let offset = this.#options.isContinued ? null : 0;
    for (let failures = 0; ; ) {
      try {
        const answer: Answer =
          offset === null
            ? await ask({ method: 'GET', path: this.#path, signal: this.#signal })
            : await this.#send(offset);
        const state = stateIn(answer, offset);
        if (state === null) {
          failures += 1;
          offset = null;
          await this.#waitAfter(answer, failures);
          continue;
        }
        if (state.url !== null) return state.url;
        if (state.received > (offset ?? 0)) failures = 0;
        if (state.received > 0) this.#hasBegun = true;
        if (offset === this.#file.size) await sleep(storingMs, this.#signal);
        offset = state.received;
        this.#options.report({ sentBytes: offset, message: null });
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        await requireReadable(this.#file, offset ?? 0);
        failures += 1;
        offset = null;
        await this.#waitForNetwork(failures);
      }
    }
  }

  async #send(offset: number): Promise<Answer> {
    const part = this.#file.slice(offset, offset + this.#partBytes);
    const query = new URLSearchParams({
      ...{ upload: this.#options.token, offset: String(offset), size: String(this.#file.size) },
    });
    const startedAt = Date.now();
    const answer = await ask({
      ...{ method: 'PUT', path: `${this.#path.split('?', 1)[0]}?${query}`, body: part },
      headers: { 'Content-Type': 'application/octet-stream' },
      signal: this.#signal,
      onSent: (bytes) =>
        this.#options.report({ sentBytes: offset + Math.min(bytes, part.size), message: null }),
    });
    // A proxy has a limit for the size of a body.
    if (answer.status === 413) this.#partBytes = Math.max(minPartBytes, this.#partBytes / 4);
    else if (Date.now() - startedAt < quickMs) this.#partBytes = Math.min(maxPartBytes, this.#partBytes * 2);
    return answer;
  }

  /** Waits after an answer with an error, unless it is final. */
  async #waitAfter(answer: Answer, failures: number): Promise<void> {
    const { status, messages, retryAfterSeconds } = answer;
    const message = messages.join(' ');
    if (status === 413 && this.#partBytes > minPartBytes) return;
    if (status === 409 && failures < 10) return sleep(waits.firstMs, this.#signal);
    if ((status === 429 || status === 503) && retryAfterSeconds !== null) {
      const isFull = /no space/.test(message);
      // The daemon was asked for space for the whole file. Others can have their turn.
      if (isFull && !this.#hasBegun)
        throw new UploadError(
          `${message} Free space there for ${this.#file.size} bytes, and then try again.`,
          true,
        );
      const advice = isFull ? ' Free space there, or cancel this upload.' : '';
      if (retryAfterSeconds >= lastingSeconds && failures > maxLasting)
        throw new UploadError(`${message} Correct that on its machine, and then try again.`, true);
      this.#options.report({
        sentBytes: null,
        message: `${message}${advice} Trying again in ${retryAfterSeconds} s.`,
      });
      return sleep(retryAfterSeconds * 1000, this.#signal);
    }
    if (status >= 500) {
      this.#options.report({ sentBytes: null, message: `${message} Trying again.` });
      return sleep(backoffDelayMs(failures, waits), this.#signal);
    }
    if (status === 401)
      throw new UploadError('The session has ended. Sign in again in another tab, and then try again.', true);
    throw new UploadError(message, status === 409 || status === 413);
  }

  async #waitForNetwork(failures: number): Promise<void> {
    const message = navigator.onLine
      ? 'The daemon does not answer. Trying again.'
      : 'There is no network. The upload goes on when it is back.';
    this.#options.report({ sentBytes: null, message });
    await sleepOrOnline(backoffDelayMs(failures, waits), this.#signal);
  }
}

/** Removes what the daemon has received of a file. Never rejects: it is removed after 24 hours anyway. */
export async function cancelUpload(file: File, token: string): Promise<void> {
  await ask({ method: 'DELETE', path: uploadPath(file, token) }).catch(() => null);
}

/** Why the name of a file cannot be sent; null if it can. */
export function nameProblem({ name }: File): string | null {
  return /\p{Surrogate}/u.test(name)
    ? 'Its name is not valid Unicode text. Rename it and choose it again.'
    : null;
}

function uploadPath({ name }: File, token: string): string {
  return `uploads/${encodeURIComponent(name)}?upload=${token}`;
}

/** How far an upload is; null for an error. An upload that the daemon does not know begins. */
function stateIn(
  { status, body }: Answer,
  offset: number | null,
): { readonly received: number; readonly url: string | null } | null {
  if (status === 404 && offset === null) return { received: 0, url: null };
  if (status !== 200 && status !== 201) return null;
  if (!isObject(body)) return null;
  const { received, url } = body;
  return { received: Number(received ?? 0), url: typeof url === 'string' ? url : null };
}

/** Rejects with `UploadError` if a file was changed or is gone, which looks like a broken connection. */
async function requireReadable(file: File, offset: number): Promise<void> {
  try {
    await file.slice(offset, offset + 1).arrayBuffer();
  } catch {
    throw new UploadError('The file was changed, moved or removed meanwhile. Choose it again.', false);
  }
}

/** Waits; rejects with the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits until the network is back, or the time is over. */
async function sleepOrOnline(ms: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const onOnline = () => woken.abort();
  addEventListener('online', onOnline);
  try {
    await sleep(ms, AbortSignal.any([signal, woken.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (!woken.signal.aborted) throw error;
  } finally {
    removeEventListener('online', onOnline);
  }
}
