import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { toNetworkError } from './network-errors.js';

/** A request. A `body` that is not a string is streamed, and the headers must have its length. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** A response whose headers have arrived. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as a stream. The connection stays open until the stream is read to its end or destroyed. */
  readonly content: IncomingMessage;
  /** Resolves to the whole body. Rejects as {@link sendHttpRequest} does. */
  text(): Promise<string>;
}

/** Seconds without a byte in either direction after which a service counts as unreachable. */
const idleTimeoutSeconds = 60;
/** Maximum seconds to establish a connection. */
const connectTimeoutSeconds = 20;
/** Maximum size of an answer; a page of 50 jobs with 50 outputs each is far smaller. */
const maxResponseBytes = 64 * 1024 * 1024;

/**
 * Sends one request and resolves when the response headers arrive, for any status. Uses a new connection for each
 * request: commands are short, and an idle keep-alive socket would keep the process running. Does not follow redirects,
 * which would send the key to another host. Rejects with `UnreachableError`, or with the signal's reason.
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
    // Data written before the TLS handshake is over only waits in a buffer, although Node reports it as written.
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
      // A rejected upload is answered before its body has been read: the answer counts, not the broken pipe.
      if (!hasResponse) fail(error);
    });
    sendBody(connection, httpRequest.body).catch((error: unknown) => {
      if (hasResponse) return;
      fail(error);
      connection.destroy();
    });
  });
}

/** Loads the proxy module only if the environment names a proxy. */
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

/** A body as received, and the headers that describe its encoding. */
interface RawResponse {
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The text of a body, decompressed and without a byte order mark. JSON is UTF-8 regardless of its charset label; the
 * label counts only if the bytes are not valid UTF-8. Rejects if the body cannot be decompressed or exceeds `maxBytes`.
 */
async function decodeResponseBody({ bytes, headers }: RawResponse, maxBytes: number): Promise<string> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const uncompressed =
    encoding === '' || encoding === 'identity' ? bytes : await decompress(bytes, encoding, maxBytes);
  return decodeText(uncompressed, headers['content-type'] ?? '');
}

async function decompress(bytes: Buffer, encoding: string, maxOutputLength: number): Promise<Buffer> {
  const [{ brotliDecompress, unzip }, { promisify }] = await Promise.all([
    import('node:zlib'),
    import('node:util'),
  ]);
  if (bytes.length === 0) return bytes;
  if (encoding === 'br') return promisify(brotliDecompress)(bytes, { maxOutputLength });
  if (/^(x-)?gzip$|^deflate$/.test(encoding)) return promisify(unzip)(bytes, { maxOutputLength });
  throw new Error(`its answer has an unknown Content-Encoding (${encoding})`);
}

function decodeText(bytes: Buffer, contentType: string): string {
  const [first, second] = bytes;
  // JSON begins with an ASCII character, so a zero byte next to it means UTF-16, with or without a byte order mark.
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(bytes);
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const label = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'windows-1252';
    return decodeWithLabel(label, bytes);
  }
}

function decodeWithLabel(label: string, bytes: Buffer): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
