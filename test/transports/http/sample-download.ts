import type { IncomingMessage, ServerResponse } from 'node:http';
import { sampleBytes } from '../../contracts/transport/evidence.js';
import { md5Of, type TryOptions, tryDownload } from './http-harness.js';

/** Size of the film in bytes. */
export const size = 250_000;
/** A film. */
export const film = sampleBytes(size);
/** Another film of the same size. */
export const otherFilm = Buffer.from(film.map((byte) => byte ^ 0xff));
/** The version of the first film. */
export const tag = '"v1"';

/** Downloads are split as soon as possible: the threshold has its own tests. */
const ranges = { minRangeBytes: 10_000, splitThresholdSeconds: 0 };
/** A download that is split as soon as possible. */
export const divided = (url: string, options: TryOptions = {}) => tryDownload(url, { ranges, ...options });

/** A range of the film, up to but not including its end. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** The requested range; null for the whole file. */
export function partOf(request: IncomingMessage): Part | null {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  return match === null
    ? null
    : { from: Number(match[1]), to: match[2] === '' ? size : Number(match[2]) + 1 };
}

/** The headers of a range. */
export const headersOf = ({ from, to }: Part) => ({
  etag: tag,
  'content-range': `bytes ${from}-${to - 1}/${size}`,
  'content-length': to - from,
});

/** Sends bytes slowly while the client reads, so that one connection takes a third of a second. */
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

/** A correct but slow response. */
export function honest(request: IncomingMessage, response: ServerResponse): void {
  const part = partOf(request);
  if (part === null) response.writeHead(200, { etag: tag, 'content-length': size });
  else response.writeHead(206, headersOf(part));
  slowly(response, film.subarray(part?.from ?? 0, part?.to ?? size));
}

/** The result of a correct download. */
export const whole = { sizeBytes: size, md5: md5Of(film) };
