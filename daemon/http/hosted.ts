import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { VencError } from '../../src/shared/errors.js';
import { contentTypeOf } from '../transfer/content-type.js';
import { readByteRange } from './byte-range.js';
import type { PublicRouteHandler } from './route-handler.js';

/** `GET /hosted/<token>/<file>`: a hosted output, whole or in a range; 410 after its 24 hours. No key is needed. */
export const getHosted: PublicRouteHandler = async (appContext, { params, incoming, method }) => {
  const fileRef = { token: params.token ?? '', name: params.name ?? '' };
  const file = await appContext.hosted.find(fileRef);
  if (file.state === 'gone')
    throw new VencError('GoneError', 'This file was hosted for 24 hours and is gone.');
  if (file.state === 'unknown')
    throw new VencError('NotFoundError', 'There is no hosted file at this address.');
  const etag = `"${file.sizeBytes.toString(16)}-${file.modifiedAt.getTime().toString(16)}"`;
  const headers = {
    'Content-Type': contentTypeOf(fileRef.name),
    'Accept-Ranges': 'bytes',
    'Last-Modified': file.modifiedAt.toUTCString(),
    ETag: etag,
    // A hosted file is whatever somebody encoded: it is never to be taken for a page of this daemon.
    'X-Content-Type-Options': 'nosniff',
  };
  const ifRange = incoming.headers['if-range'];
  const isUnchanged = ifRange === undefined || ifRange === etag || ifRange === headers['Last-Modified'];
  const range = isUnchanged ? readByteRange(incoming.headers.range, file.sizeBytes) : null;
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { 'Content-Range': `bytes */${file.sizeBytes}` },
      record: { errors: ['The file has no such bytes.'] },
    };
  }
  const { first, last } = range ?? { first: 0, last: file.sizeBytes - 1 };
  const length = { 'Content-Length': String(last - first + 1) };
  const partial = range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${file.sizeBytes}` };
  const reply = { status: range === null ? 200 : 206, headers: { ...headers, ...length, ...partial } };
  if (method === 'HEAD' || file.sizeBytes === 0) return reply;
  return {
    ...reply,
    stream: Readable.toWeb(createReadStream(file.path, { start: first, end: last })) as ReadableStream,
  };
};
