import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { ResponseName } from '../../src/shared/records/answers.js';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { redact } from '../../src/shared/redact.js';
import { type Representation, type Route, type RouteName, routes } from '../../src/shared/routes.js';
import { diskReason, systemCode } from '../../src/shared/util/system-code.js';
import type { AppContext } from '../actions/app-context.js';
import type { ObserveRequest } from '../metrics/metrics.js';
import { type AcceptPreferences, errorRepresentation, representationOf } from './accept-preferences.js';
import {
  type Authentication,
  Authenticator,
  authorize,
  requireAllowed,
  workerKeyError,
} from './authenticator.js';
import { corsHeaders, exposingHeaders, headerList, headersForPage } from './cors.js';
import { isKeyedRoute, isOpenRoute, isWorkerRoute, keyedHandlers, openHandlers } from './handlers.js';
import { getMetrics, isLocalClient } from './metrics.js';
import { tooManyRequests } from './rate-limit.js';
import { callbackOf, type Form, represent } from './representations/represent.js';
import {
  type IncomingRequest,
  LazyRequestContext,
  type Reply,
  type RequestContext,
  type Visitor,
} from './request-context.js';
import { pathnameOf } from './request-path.js';
import { claimOf, workerHandlers } from './worker.js';

/** The options of `RequestDispatcher`. */
export interface DispatcherOptions {
  /** Base URL of hosted files in answers; null for the address that the client used. */
  readonly publicUrl: string | null;
  /**
   * Takes one token from a client's rate limit. Returns null, or the seconds to wait if there is none left.
   */
  readonly takeRateLimitToken: (clientKey: string) => number | null;
  /** Called for each request that was answered. */
  readonly onAnswered?: ObserveRequest;
}

/**
 * Answers requests: authenticates the client, chooses the representation, calls the handler and writes the
 * answer. Never rejects.
 */
export class RequestDispatcher {
  readonly #appContext: AppContext;
  readonly #authenticator: Authenticator;
  readonly #options: DispatcherOptions;

  constructor(appContext: AppContext, options: DispatcherOptions) {
    this.#appContext = appContext;
    this.#authenticator = new Authenticator(appContext);
    this.#options = options;
  }

  /** Answers a request to a route. Resolves once the answer is written, or has begun if it is a stream. */
  async answer(name: RouteName, incomingRequest: IncomingRequest): Promise<void> {
    const startedAt = performance.now();
    const route: Route = routes[name];
    const preferences = acceptPreferencesOf(incomingRequest);
    let form: Form = { type: 'json' };
    try {
      const representation = representationOf(route, preferences);
      const requestContext = this.#createContext(incomingRequest, representation);
      form = formOf(route, representation, requestContext);
      const reply = await this.#handle(name, route, requestContext, incomingRequest.visitor);
      send(incomingRequest, reply, reply.response ?? route.response ?? 'errors', form);
    } catch (error) {
      if (!isVencError(error)) this.#report(incomingRequest, error);
      const errorForm = form.type === 'jsonp' ? form : { type: errorRepresentation(preferences) };
      const reply = errorReply(error, { hasClass: route.key === 'worker' });
      send(incomingRequest, reply, 'errors', errorForm);
    }
    this.#observe(name, incomingRequest, startedAt);
  }

  /** Rejects a request that no route accepts, in the requested representation. */
  reject(
    incomingRequest: IncomingRequest,
    error: VencError,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const startedAt = performance.now();
    const reply = errorReply(error);
    const form = { type: errorRepresentation(acceptPreferencesOf(incomingRequest)) };
    const answer = { ...reply, headers: { ...reply.headers, ...headers } };
    send(incomingRequest, answer, 'errors', form);
    this.#observe('none', incomingRequest, startedAt);
  }

  #observe(
    route: RouteName | 'none',
    { method, address, outgoing }: IncomingRequest,
    startedAt: number,
  ): void {
    const seconds = (performance.now() - startedAt) / 1000;
    this.#options.onAnswered?.({ route, method, address, status: outgoing.statusCode, seconds });
  }

  #handle(
    name: RouteName,
    route: Route,
    requestContext: RequestContext,
    visitor: Visitor | null,
  ): Promise<Reply> {
    if (isOpenRoute(name)) return openHandlers[name](this.#appContext, requestContext);
    if (name === 'metrics' && isLocalClient(requestContext.incoming, this.#options.publicUrl))
      return getMetrics(this.#appContext);
    if (visitor !== null) return this.#handleVisitor(visitor, name, route, requestContext);
    const authentication = this.#authenticator.authenticate(requestContext, route);
    return authentication instanceof Promise
      ? authentication.then((found) => this.#handleAuthenticated(found, name, route, requestContext))
      : this.#handleAuthenticated(authentication, name, route, requestContext);
  }

  /** Answers a request of the page, for the account of the visitor. */
  #handleVisitor(
    { holder, sessionId }: Visitor,
    name: RouteName,
    route: Route,
    requestContext: RequestContext,
  ): Promise<Reply> {
    if (!isKeyedRoute(name))
      throw new VencError('NotFoundError', 'There is nothing at this address for the page.');
    this.#takeToken(`session ${sessionId}`);
    requireAllowed(route, holder);
    const { account, keyId } = holder;
    if (keyId !== null) this.#appContext.accounts.recordUse(keyId);
    return keyedHandlers[name](this.#appContext, requestContext, account, keyId);
  }

  /** Rejects a request of a client that has sent too many. */
  #takeToken(clientKey: string): void {
    const waitSeconds = this.#options.takeRateLimitToken(clientKey);
    if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
  }

  #handleAuthenticated(
    authentication: Authentication,
    name: Exclude<RouteName, keyof typeof openHandlers>,
    route: Route,
    requestContext: RequestContext,
  ): Promise<Reply> {
    const { holder, workerKey } = authentication;
    if (isWorkerRoute(name) && workerKey !== null) {
      this.#appContext.accounts.recordUse(workerKey.keyId);
      return workerHandlers[name](this.#appContext, requestContext, workerKey);
    }
    if (isWorkerRoute(name) && authentication.isKeyPresent && holder === null) {
      // The holder of a claim had a valid key once.
      const { jobId, token } = claimOf(requestContext);
      if (token !== '') void this.#appContext.remoteClaims.revoke(jobId, token);
    }
    this.#takeToken(
      (holder ?? workerKey)?.keyId ?? `address ${requestContext.incoming.socket.remoteAddress}`,
    );
    if (isWorkerRoute(name)) throw workerKeyError(authentication);
    const { account, keyId } = authorize(route, authentication);
    this.#appContext.accounts.recordUse(keyId);
    return keyedHandlers[name](this.#appContext, requestContext, account, keyId);
  }

  #createContext(incomingRequest: IncomingRequest, representation: Representation): RequestContext {
    return new LazyRequestContext(incomingRequest, this.#options.publicUrl, representation);
  }

  #report({ method, address, signal }: IncomingRequest, error: unknown): void {
    if (isClientDisconnect(signal(), error)) {
      this.#appContext.log(
        'info',
        `${method} ${pathnameOf(address)}: the client disconnected before the answer.`,
      );
      return;
    }
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#appContext.log('error', `${method} ${pathnameOf(address)}: ${what}`);
  }
}

/** Whether a request ended because the client disconnected, which is no error of the daemon. */
function isClientDisconnect({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && error === reason;
}

function acceptPreferencesOf({ address, suffix, incoming }: IncomingRequest): AcceptPreferences {
  const format = address.includes('format=') ? new URL(address).searchParams.get('format') : null;
  return { suffix, format, accept: incoming.headers.accept };
}

function formOf(route: Route, representation: Representation, requestContext: RequestContext): Form {
  if (representation !== 'jsonp') return { type: representation };
  return {
    type: 'jsonp',
    callback: callbackOf(requestContext.query('callback'), route.callback ?? 'callback'),
  };
}

/**
 * Writes an answer. Headers are alternating names and values, the cheapest form, so a name must not occur in two
 * places: it would be sent twice.
 */
function send(
  { method, incoming, outgoing, visitor }: IncomingRequest,
  reply: Reply,
  answer: ResponseName,
  form: Form,
): void {
  const headersFor = visitor === null ? (list: readonly string[]) => list : headersForPage;
  const own = reply.headers === undefined ? [] : headerList({ ...exposingHeaders, ...reply.headers });
  if (reply.record !== undefined) {
    const { text, headers } = represent(reply.record, answer, form);
    const sizeBytes = Buffer.byteLength(text);
    const isLarge = visitor !== null && method !== 'HEAD' && sizeBytes >= minCompressedBytes;
    if (isLarge && /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''))) {
      sendCompressed(outgoing, reply.status, headersFor(headers.concat(own)), text);
      return;
    }
    outgoing.writeHead(
      reply.status,
      headersFor(headers.concat(own, 'Content-Length', String(sizeBytes))) as string[],
    );
    if (method === 'HEAD') outgoing.end();
    else endWith(outgoing, text, sizeBytes);
    return;
  }
  const { stream, bytes, text } = reply;
  const chunks: readonly (string | Buffer)[] = bytes ?? (text === undefined ? [] : [text]);
  const size = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  const length = chunks.length === 0 ? [] : ['Content-Length', String(size)];
  outgoing.writeHead(reply.status, headersFor(headerList(corsHeaders).concat(own, length)) as string[]);
  if (stream !== undefined && method !== 'HEAD') return void sendStream(stream, outgoing);
  void stream?.cancel();
  if (method !== 'HEAD') for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
}

/** An answer to the page is compressed from this size on, in bytes. Others stay as the service document has them. */
const minCompressedBytes = 1024;

/** Writes an answer compressed. The work is done in another thread. */
function sendCompressed(
  outgoing: ServerResponse,
  status: number,
  headers: readonly string[],
  text: string | Buffer,
): void {
  outgoing.statusCode = status;
  gzip(text, { level: 1 }, (error, bytes) => {
    if (error !== null) return void outgoing.destroy(error);
    const added = [
      'Content-Encoding',
      'gzip',
      'Vary',
      'Accept-Encoding',
      'Content-Length',
      String(bytes.length),
    ];
    outgoing.writeHead(status, headers.concat(added) as string[]);
    outgoing.end(bytes);
  });
}

/**
 * Ends an answer with its body. The head and a text leave in one write of one string, while `end(text)` alone would add
 * an empty second one.
 */
function endWith(outgoing: ServerResponse, body: string | Buffer, sizeBytes: number): void {
  const { socket } = outgoing;
  if (socket === null || typeof body !== 'string') return void outgoing.end(body);
  socket.cork();
  // Latin-1 is the fastest encoding, and the same as UTF-8 if each character is one byte.
  outgoing.write(body, sizeBytes === body.length ? 'latin1' : 'utf8');
  socket.uncork();
  outgoing.end();
}

/** Writes a stream as fast as the client reads it, and cancels it when the client disconnects. Never rejects. */
async function sendStream(stream: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  if (outgoing.destroyed) return cancel();
  outgoing.once('close', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await new Promise((resolve) => outgoing.once('drain', resolve));
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * The status of job failures that a request can also end with, while an upload is received or a job is
 * stored.
 */
const statusOfFailure: Readonly<Partial<Record<ErrorClass, number>>> = {
  OutOfSpaceError: 503,
  DownloadTimeoutError: 408,
  DownloadFailureError: 400,
};
/** Default of `Retry-After` in seconds. */
const retryAfterSeconds = 30;

/**
 * The answer to a request that ended with an error: status, headers and every validation error, without
 * secrets. `hasClass` adds the class of the error, with which a file of a worker can fail.
 */
function errorReply(error: unknown, { hasClass = false } = {}): Reply {
  const known = isVencError(error) ? error : (diskError(error) ?? internalError(error));
  const errors = known.messages.map(redact);
  const record: ErrorsRecord = hasClass ? { errors, errorClass: known.errorClass } : { errors };
  const status = statusOfFailure[known.errorClass] ?? known.entry.status;
  const retryAfter = known.retryAfterSeconds ?? (status === 503 ? retryAfterSeconds : null);
  return {
    status,
    record,
    ...(retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } }),
  };
}

/** System errors of a disk that the operator has to fix. */
const diskCodes: ReadonlySet<string | null> = new Set([
  'EROFS',
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
]);

/** The error for a disk that cannot be written: the request is valid and may succeed later. */
function diskError(error: unknown): VencError | null {
  if (!diskCodes.has(systemCode(error))) return null;
  const reason = diskReason(error, 'write', 'the daemon has');
  return new VencError('UnavailableError', `The data folder cannot be written: ${reason}.`, { cause: error });
}

function internalError(error: unknown): VencError {
  return new VencError('InternalError', 'Internal error; the log of the daemon has the details.', {
    cause: error,
  });
}
