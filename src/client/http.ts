import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { VencError } from '../api/errors.js';
import { redact } from '../api/redact.js';

/** One request as it goes out. A `body` that is no text is streamed, and its length must be in the headers. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to it, whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Seconds without a byte in either direction after which a service counts as unreachable. */
const idleTimeoutSeconds = 60;
/** Greatest answer that is read; a page of 50 jobs with 50 outputs each stays far below. */
const maxAnswerBytes = 64 * 1024 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to its network',
};

/**
 * Sends one request and reads the whole answer, whatever its status. A connection of its own each time: commands are
 * short, and an idle kept-alive socket would hold the process open. Redirects are not followed, as they would carry the key elsewhere.
 * Rejects with `UnreachableError`, or with `InterruptedError` when the signal ended it.
 */
export async function exchange(outgoing: HttpRequest): Promise<HttpAnswer> {
  const start = outgoing.url.protocol === 'https:' ? (await import('node:https')).request : request;
  outgoing.signal?.throwIfAborted();
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const connection = start(outgoing.url, {
        method: outgoing.method,
        headers: outgoing.headers,
        agent: false,
        ...(outgoing.signal === undefined ? {} : { signal: outgoing.signal }),
      });
      let isAnswered = false;
      connection.setTimeout(idleTimeoutSeconds * 1000, () =>
        connection.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      );
      connection.on('response', (response) => {
        isAnswered = true;
        readAll(response).then(resolve, reject);
      });
      connection.on('error', (error) => {
        // A refused upload is answered before its body has been read: the answer counts, not the broken pipe.
        if (!isAnswered) reject(error);
      });
      sendBody(connection, outgoing.body).catch((error: unknown) => {
        if (isAnswered) return;
        reject(error);
        connection.destroy();
      });
    });
  } catch (error) {
    throw outgoing.signal?.aborted === true ? outgoing.signal.reason : unreachable(outgoing.url, error);
  }
}

async function sendBody(connection: ClientRequest, body: HttpRequest['body']): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    connection.end(body);
    return;
  }
  const { pipeline } = await import('node:stream/promises');
  await pipeline(body, connection);
}

async function readAll(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxAnswerBytes) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function unreachable(url: URL, error: unknown): unknown {
  if (error instanceof VencError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? redact(error instanceof Error ? error.message : String(error));
  return new VencError('UnreachableError', `The service at ${url.origin} could not be reached: ${reason}.`, {
    cause: error,
  });
}
