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
