import type { IncomingHttpHeaders } from 'node:http';

/** A body as received, and the headers that describe its encoding. */
export interface RawResponse {
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The text of a body, decompressed and without a byte order mark. JSON is UTF-8 regardless of its charset label; the label counts only if
 * the bytes are not valid UTF-8. Rejects if the body cannot be decompressed or exceeds `maxBytes`.
 */
export async function decodeResponseBody({ bytes, headers }: RawResponse, maxBytes: number): Promise<string> {
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
