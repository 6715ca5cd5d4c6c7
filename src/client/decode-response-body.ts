import type { IncomingHttpHeaders } from 'node:http';

/** A body as it came, with the headers that tell how it is to be read. */
export interface RawResponse {
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The text of a body: unpacked where a service packs unasked, and without a byte order mark. JSON is UTF-8, whatever its label says; only
 * where it cannot be that the label counts. Rejects where it cannot be unpacked, or grows beyond `maxBytes`.
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
  throw new Error(`its answer is packed in a way that is not known (${encoding})`);
}

function decodeText(bytes: Buffer, contentType: string): string {
  const [first, second] = bytes;
  // What is answered begins with a sign of ASCII: a zero beside it gives UTF-16 away, mark or no mark.
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
