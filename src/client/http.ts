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

/** The answer to it, as soon as its head has come. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes, for who does not want it whole. The connection is there until it is read to its end or destroyed. */
  readonly content: IncomingMessage;
  /** Resolves to the whole body. Rejects as {@link exchange} does. */
  text(): Promise<string>;
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
 * Sends one request and resolves when its answer begins, whatever its status. A connection of its own each time: commands are
 * short, and an idle kept-alive socket would hold the process open. Redirects are not followed, as they would carry the key elsewhere.
 * Rejects with `UnreachableError`, or with `InterruptedError` when the signal ended it.
 */
export async function exchange(outgoing: HttpRequest): Promise<HttpAnswer> {
  const content = await orFailure(outgoing, () => begin(outgoing));
  return {
    status: content.statusCode ?? 0,
    headers: content.headers,
    content,
    text: () => orFailure(outgoing, () => readAll(content)),
  };
}

async function orFailure<T>({ url, signal }: HttpRequest, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : unreachable(url, error);
  }
}

async function begin(outgoing: HttpRequest): Promise<IncomingMessage> {
  const start = outgoing.url.protocol === 'https:' ? (await import('node:https')).request : request;
  outgoing.signal?.throwIfAborted();
  return new Promise<IncomingMessage>((resolve, reject) => {
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
      // Whoever reads the body learns of it; until somebody does, it must not end the program.
      response.on('error', () => {});
      resolve(response);
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
}

async function sendBody(connection: ClientRequest, body: HttpRequest['body']): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    connection.end(body);
    return;
  }
  const { pipeline } = await import('node:stream/promises');
  await pipeline(body, connection);
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxAnswerBytes) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unreachable(url: URL, error: unknown): unknown {
  if (error instanceof VencError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? redact(error instanceof Error ? error.message : String(error));
  return new VencError('UnreachableError', `The service at ${url.origin} could not be reached: ${reason}.`, {
    cause: error,
  });
}
