import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { decodeResponseBody } from './decode-response-body.js';
import { toNetworkError } from './network-errors.js';

/** One request as it goes out. A `body` that is no text is streamed, and its length must be in the headers. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to it, as soon as its head has come. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes, for who does not want it whole. The connection is there until it is read to its end or destroyed. */
  readonly content: IncomingMessage;
  /** Resolves to the whole body. Rejects as {@link exchange} does. */
  text(): Promise<string>;
}

/** Seconds without a byte in either direction after which a service counts as unreachable. */
const idleTimeoutSeconds = 60;
/** Seconds that a connection may take to stand. */
const connectTimeoutSeconds = 20;
/** Greatest answer that is read; a page of 50 jobs with 50 outputs each stays far below. */
const maxResponseBytes = 64 * 1024 * 1024;

/**
 * Sends one request and resolves when its answer begins, whatever its status. A connection of its own each time: commands are
 * short, and an idle kept-alive socket would hold the process open. Redirects are not followed, as they would carry the key elsewhere.
 * Rejects with `UnreachableError`, or with `InterruptedError` when the signal ended it.
 */
export async function sendHttpRequest(httpRequest: HttpRequest): Promise<HttpResponse> {
  const { url, signal } = httpRequest;
  const content = await startRequest(httpRequest);
  return {
    status: content.statusCode ?? 0,
    headers: content.headers,
    content,
    text: async () => {
      try {
        return await decodeResponseBody(
          { bytes: await readAll(content), headers: content.headers },
          maxResponseBytes,
        );
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : toNetworkError(url, error, true);
      }
    },
  };
}

async function startRequest(httpRequest: HttpRequest): Promise<IncomingMessage> {
  const { url, signal } = httpRequest;
  const createRequest = url.protocol === 'https:' ? (await import('node:https')).request : request;
  signal?.throwIfAborted();
  const proxyOptions = await loadProxyOptions(url, signal);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const connection = createRequest(url, {
      method: httpRequest.method,
      // A proxy tunnel is a connection of its own and needs no agent; an agent would ignore it.
      ...(proxyOptions.createConnection === undefined ? { agent: false } : {}),
      timeout: connectTimeoutSeconds * 1000,
      ...(signal === undefined ? {} : { signal }),
      ...proxyOptions,
      headers: { ...httpRequest.headers, ...proxyOptions.headers },
    });
    let isConnected = false;
    let isWritten = false;
    let hasResponse = false;
    const fail = (error: unknown) =>
      reject(signal?.aborted === true ? signal.reason : toNetworkError(url, error, isConnected && isWritten));
    connection.setTimeout(idleTimeoutSeconds * 1000, () =>
      connection.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    );
    // What is written before TLS stands waits here, and is taken for sent.
    connection.on('socket', (socket) =>
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      }),
    );
    connection.on('finish', () => {
      isWritten = true;
    });
    connection.on('response', (response) => {
      hasResponse = true;
      // The reader of the body receives the error; without a reader it must not end the program.
      response.on('error', () => {});
      resolve(response);
    });
    connection.on('error', (error) => {
      // A refused upload is answered before its body has been read: the answer counts, not the broken pipe.
      if (!hasResponse) fail(error);
    });
    sendBody(connection, httpRequest.body).catch((error: unknown) => {
      if (hasResponse) return;
      fail(error);
      connection.destroy();
    });
  });
}

/** Nothing is loaded for it where no proxy is named. */
async function loadProxyOptions(url: URL, signal: AbortSignal | undefined): Promise<RequestOptions> {
  const { env } = process;
  const hasProxyVariable = env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY;
  return hasProxyVariable ? (await import('./proxy.js')).resolveProxyOptions(url, env, signal) : {};
}

async function sendBody(connection: ClientRequest, body: HttpRequest['body']): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    connection.end(body);
    return;
  }
  const { pipeline } = await import('node:stream/promises');
  await pipeline(body, connection);
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxResponseBytes) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
