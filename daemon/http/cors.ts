/** Scripts of any origin may read every answer (contract, section 1). */
export const corsHeaders = { 'Access-Control-Allow-Origin': '*' } as const;

/** Makes the listed headers readable to scripts, for answers with headers of their own. */
export const exposingHeaders = {
  'Access-Control-Expose-Headers':
    'Link, X-Total-Count, Retry-After, Content-Length, Content-Range, ETag, Allow',
} as const;

/** Headers as alternating names and values, the form that is cheapest for Node. */
export function headerList(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flat();
}

/** The headers of an answer to `OPTIONS`. */
export const preflightHeaders = {
  ...corsHeaders,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Encoding, Service-Api-Key, Zencoder-Api-Key, Idempotency-Key, Last-Event-ID, Range, If-Range, If-None-Match, If-Modified-Since',
  'Access-Control-Max-Age': '86400',
} as const;

/**
 * The headers of an answer to the page: scripts of other origins cannot read it, which its cookie requires, and no cache
 * keeps it.
 */
export const pageApiHeaders = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** Headers as alternating names and values, changed to those of an answer to the page. */
export function headersForPage(headers: readonly string[]): readonly string[] {
  const own = new Set(Object.keys(pageApiHeaders).map((name) => name.toLowerCase()));
  const isKept = (name = '') => !/^access-control-/i.test(name) && !own.has(name.toLowerCase());
  return headers
    .filter((_, index) => isKept(headers[index - (index % 2)]))
    .concat(headerList(pageApiHeaders));
}
