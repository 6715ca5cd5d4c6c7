import type { IncomingMessage, ServerResponse } from 'node:http';
import { sampleBytes } from '../../contracts/transport/evidence.js';
import { md5Of, type TryOptions, tryDownload } from './http-harness.js';

/** Size of the film, in bytes. */
export const size = 250_000;
/** A film. */
export const film = sampleBytes(size);
/** Another one of its size. */
export const otherFilm = Buffer.from(film.map((byte) => byte ^ 0xff));
/** The version of the first. */
export const tag = '"v1"';

/** Divided at the first look: whether it is worth it is not what these are about. */
const ranges = { minRangeBytes: 10_000, splitThresholdSeconds: 0 };
/** A download that is divided as soon as it can be. */
export const divided = (url: string, options: TryOptions = {}) => tryDownload(url, { ranges, ...options });

/** A part of the film, up to the byte behind its last one. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** What a request asks for; null for all of the file. */
export function partOf(request: IncomingMessage): Part | null {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  return match === null
    ? null
    : { from: Number(match[1]), to: match[2] === '' ? size : Number(match[2]) + 1 };
}

/** The headers of a part. */
export const headersOf = ({ from, to }: Part) => ({
  etag: tag,
  'content-range': `bytes ${from}-${to - 1}/${size}`,
  'content-length': to - from,
});

/** Sends bytes a little at a time, as long as somebody takes them, so that one connection would take a third of a second. */
export function slowly(
  response: ServerResponse,
  bytes: Buffer,
  end: () => unknown = () => response.end(),
): void {
  let at = 0;
  const send = (): void => {
    if (response.destroyed) return;
    if (at >= bytes.byteLength) return void end();
    response.write(bytes.subarray(at, at + 10_000));
    at += 10_000;
    setTimeout(send, 15);
  };
  send();
}

/** An honest answer, though a slow one. */
export function honest(request: IncomingMessage, response: ServerResponse): void {
  const part = partOf(request);
  if (part === null) response.writeHead(200, { etag: tag, 'content-length': size });
  else response.writeHead(206, headersOf(part));
  slowly(response, film.subarray(part?.from ?? 0, part?.to ?? size));
}

/** What an honest download gives. */
export const whole = { sizeBytes: size, md5: md5Of(film) };
