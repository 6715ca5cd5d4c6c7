import type { IncomingMessage } from 'node:http';
import { VencError } from '../../../src/shared/errors.js';
import { receiveUpload } from '../../actions/receive-upload.js';
import type { RouteHandler } from '../request-context.js';
import { normalizePath, pathnameOf } from '../request-path.js';

/** `PUT /v2/uploads/<name>`, an addition to the service document: streams the body to disk. */
export const putUpload: RouteHandler = async (appContext, { params, incoming, signal }, account) => {
  requireCompleteUncompressed(incoming);
  const declaredBytes = Number(incoming.headers['content-length'] ?? 0);
  const upload = { name: params.name ?? '', body: incoming, signal, declaredBytes };
  return { status: 201, record: await receiveUpload(appContext, account.id, upload) };
};

/** Paths of uploads, and of the files that workers send. */
const bodiesOfFiles = /^\/(?:v2\/uploads\/|worker\/v1\/claims\/\d+\/file$)/;

/**
 * Whether a request is an upload, by its path. Its body may take as long as bytes keep arriving
 * (`--stall-timeout`).
 */
export function isUpload({ method, url = '' }: IncomingMessage): boolean {
  const path = url.startsWith('/') ? url.split('?', 1)[0] : pathnameOf(url);
  return method === 'PUT' && bodiesOfFiles.test(normalizePath(path ?? '').path);
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
