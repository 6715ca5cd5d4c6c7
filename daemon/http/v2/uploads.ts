import type { IncomingMessage } from 'node:http';
import { invalidRequest, VencError } from '../../../src/shared/errors.js';
import type { RouteName } from '../../../src/shared/routes.js';
import { cancelUpload, findUpload, receiveUpload, receiveUploadPart } from '../../actions/receive-upload.js';
import type { RequestContext, RouteHandler } from '../request-context.js';
import { normalizePath, pagePathOf, pathnameOf } from '../request-path.js';

/** The handlers of uploads, an addition to the service document, by route name. */
export const uploadHandlers = {
  /**
   * `PUT /v2/uploads/<name>`: streams the body to a file that the same account can use as an input for 24 hours. Answers
   * with its `upload:` URL when the file is complete and durable. With `upload`, `offset` and `size` the body is a part
   * of the file.
   */
  upload: async (appContext, requestContext, account) => {
    const { params, incoming, signal } = requestContext;
    requireCompleteUncompressed(incoming);
    const { name = '' } = params;
    const declaredBytes = Number(incoming.headers['content-length'] ?? 0);
    const body = { name, body: incoming, signal, declaredBytes };
    const isPart = ['upload', 'offset', 'size'].some((parameter) => requestContext.query(parameter) !== null);
    if (!isPart) return { status: 201, record: { url: await receiveUpload(appContext, account, body) } };
    try {
      const token = tokenOf(requestContext);
      const [offset = 0, sizeBytes = 0] = readCounts(requestContext, ['offset', 'size']);
      const record = await receiveUploadPart(appContext, account, { ...body, token, offset, sizeBytes });
      if (record.url !== undefined) return { status: 201, record: { url: record.url } };
      return { status: 200, record, response: 'uploadState' };
    } catch (error) {
      // Drain the body so that the client can read the response.
      incoming.resume();
      throw error;
    }
  },

  /** `GET /v2/uploads/<name>?upload=<token>`: where the next part begins, or the URL of the complete file. */
  uploadState: async (appContext, requestContext, account) => {
    const { name = '' } = requestContext.params;
    const record = findUpload(appContext, account, { name, token: tokenOf(requestContext) });
    return { status: 200, record, headers: { 'Cache-Control': 'no-store' } };
  },

  /** `DELETE /v2/uploads/<name>?upload=<token>`: cancels an upload. */
  cancelUpload: async (appContext, requestContext, account) => {
    const { name = '' } = requestContext.params;
    await cancelUpload(appContext, account, { name, token: tokenOf(requestContext) });
    return { status: 204 };
  },
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

function tokenOf(requestContext: RequestContext): string {
  const token = requestContext.query('upload');
  if (token === null) throw invalidRequest(['upload is missing: give the token of the upload']);
  return token;
}

/** Whole numbers in the query of a request. */
export function readCounts(
  requestContext: Pick<RequestContext, 'query'>,
  names: readonly string[],
): readonly number[] {
  return names.map((name) => {
    const text = requestContext.query(name);
    const value = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw invalidRequest([`${name} must be a number of bytes`]);
    return value;
  });
}

/** Paths of uploads, and of the files that workers send. */
const bodiesOfFiles = /^\/(?:v2\/uploads\/|worker\/v1\/claims\/\d+\/file$)/;

/**
 * Whether a request is an upload, by its path. Its body may take as long as bytes keep arriving
 * (`--stall-timeout`).
 */
export function isUpload({ method, url = '' }: IncomingMessage): boolean {
  const path = (url.startsWith('/') ? url.split('?', 1)[0] : pathnameOf(url)) ?? '';
  const pagePath = pagePathOf(path)?.replace(/^\/ui\/api(?=\/)/, '/v2');
  return method === 'PUT' && bodiesOfFiles.test(pagePath ?? normalizePath(path).path);
}

/**
 * Rejects a compressed or partial body: it would be stored as if it were the file, and the job would find no
 * media in it.
 */
export function requireCompleteUncompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new VencError('UnsupportedMediaTypeError', 'An upload must have no Content-Encoding.');
  }
  if (headers['content-range'] !== undefined) {
    throw new VencError(
      'UnparsableBodyError',
      'An upload must be the whole file: Content-Range is not supported.',
    );
  }
}
