import { parseUrl } from '../text/url-text.js';

/** Whether a text can be a key, which is sent in a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/**
 * The base URL of a service, without its version; null if the text is not an http(s) URL or has a query or fragment.
 */
export function serviceUrl(text: string): string | null {
  const url = parseUrl(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.search !== '' || url.hash !== '') return null;
  // Client libraries are configured with the version, so people give it here too.
  return url.href.replace(/\/+$/, '').replace(/\/+v2$/, '');
}
