import { parseUrl } from '../../src/shared/text/url-text.js';

/**
 * Hosts of S3: `s3.amazonaws.com`, `s3-eu-west-1.amazonaws.com`, `s3.eu-west-1.amazonaws.com`, with or without a bucket
 * before.
 */
const s3Host = /^(?:(?<bucket>.+)\.)?s3(?:[.-](?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com$/;

/**
 * The `s3:` URL of an object that a request names by its web address, as clients of the hosted service do for outputs;
 * null for every other URL. User and password become the keys.
 */
export function s3UrlOf(address: string): string | null {
  const url = /^https?:/i.test(address) ? parseUrl(address) : null;
  const groups = url === null ? undefined : s3Host.exec(url.hostname)?.groups;
  if (url === null || groups === undefined) return null;
  const { bucket, region } = groups;
  const path = bucket === undefined ? url.pathname.slice(1) : `${bucket}${url.pathname}`;
  const keys = url.username === '' ? '' : `${url.username}:${url.password}@`;
  return `s3${region === undefined ? '' : `+${region}`}://${keys}${path}`;
}
