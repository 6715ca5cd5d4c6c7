import { messagesOf, root } from './call.js';

/** An answer of the daemon, also one that reports an error. */
export interface Answer {
  readonly status: number;
  /** The JSON of the answer; null for an answer without one. */
  readonly body: unknown;
  /** What is wrong, as the daemon says it; empty for an answer without an error. */
  readonly messages: readonly string[];
  readonly retryAfterSeconds: number | null;
}

/** A request that can carry a part of a file. */
interface TransferRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Its path below `/ui/api/`. */
  readonly path: string;
  readonly body?: Blob | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called with the bytes of the body that were sent so far. */
  readonly onSent?: (bytes: number) => void;
}

/** A request that got no answer: the connection broke off, or nothing was sent or received for some time. */
export class NoAnswerError extends Error {}

/** A request in which nothing is sent or received for this long is given up, in milliseconds: a laptop was asleep. */
const stallMs = 60_000;
const checkMs = 5000;

/**
 * Sends a request with `XMLHttpRequest`, which reports how much of a body was sent. Unlike `send`, an ended session does
 * not load the document again: its files would be lost. Rejects with `NoAnswerError`, or with the reason of the signal.
 */
export function ask({ method, path, body, headers, signal, onSent }: TransferRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    let activeAt = Date.now();
    const watch = setInterval(() => {
      if (Date.now() - activeAt > stallMs) request.abort();
    }, checkMs);
    const onAbort = () => request.abort();
    signal?.addEventListener('abort', onAbort);
    const onEnd = () => {
      clearInterval(watch);
      signal?.removeEventListener('abort', onAbort);
    };
    const onFailure = () => {
      onEnd();
      reject(signal?.aborted === true ? signal.reason : new NoAnswerError());
    };
    request.upload.onprogress = ({ loaded }) => {
      activeAt = Date.now();
      onSent?.(loaded);
    };
    request.onprogress = () => {
      activeAt = Date.now();
    };
    request.onload = () => {
      onEnd();
      resolve(answerOf(request));
    };
    request.onerror = onFailure;
    request.onabort = onFailure;
    request.open(method, `${root}api/${path}`);
    for (const [name, value] of Object.entries({ 'X-Venc': '1', Accept: 'application/json', ...headers }))
      request.setRequestHeader(name, value);
    request.send(body ?? null);
  });
}

function answerOf(request: XMLHttpRequest): Answer {
  const { status, responseText } = request;
  const isOk = status >= 200 && status < 300;
  const seconds = Number(request.getResponseHeader('Retry-After') ?? Number.NaN);
  return {
    status,
    body: jsonOf(responseText),
    messages: isOk ? [] : (messagesOf(responseText) ?? [`The daemon answered ${status}.`]),
    retryAfterSeconds: Number.isNaN(seconds) ? null : seconds,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
