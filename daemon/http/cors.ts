/** Every answer may be read by scripts of any origin (contract, section 1). */
export const corsHeaders = { 'Access-Control-Allow-Origin': '*' } as const;

/** The same for an answer with headers of its own: without this, scripts would not get to see them. */
export const exposingHeaders = {
  'Access-Control-Expose-Headers': 'Link, X-Total-Count, Retry-After, Content-Range, Allow',
} as const;

/** Headers as names and values in turn, which is how Node takes them at the least cost. */
export function headerList(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flat();
}

/** What `OPTIONS` answers beside these. */
export const preflightHeaders = {
  ...corsHeaders,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Encoding, Service-Api-Key, Zencoder-Api-Key, Idempotency-Key, Last-Event-ID, Range, If-Range',
  'Access-Control-Max-Age': '86400',
} as const;
