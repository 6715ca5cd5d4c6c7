import { maxUrlLength } from './limits.js';
import type { ScalarResult } from './parse-result.js';
import { isInvalidName, isLongerThan } from './read-text.js';
import type { UrlSetting } from './setting.js';

const rule = 'must be a URL with a scheme and a host or bucket, such as http://example.com/video.mp4';
const portRule = 'must have a port from 1 to 65535';
/** A host with a port behind it. */
const portOfAddress = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:@]+):(\d+)(?:[/?#]|$)/i;
// Blanks, quotes and the like in front of the path would have to be percent-encoded. Left as they are, they
// make it a guess where a password ends.
const startOfAddress = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\\s"<>]+(?:[/?#]|$)/i;
const eMail = /^(?:mailto:.*|[^\s/:@]+@[^\s/:@]+)$/is;
const localFile = /^file:(?:\/\/(?:localhost)?)?\/[^/]/i;

/**
 * Reads an address. What stands after the host is its scheme's to judge, and so is the scheme itself. The
 * only addresses without a host are those of local files. The rules never repeat the address: it may hold a password.
 */
export function parseUrlSetting({ schemes }: UrlSetting, value: unknown): ScalarResult<string> {
  if (typeof value !== 'string') return { rule };
  if (isLongerThan(value, maxUrlLength)) return { rule: `must have at most ${maxUrlLength} characters` };
  if (isInvalidName(value)) return { rule: 'must not hold control characters or line breaks' };
  if (value !== value.trim()) return { rule: 'must not begin or end with a blank' };
  const violation = schemes === undefined ? undefined : findSchemeViolation(schemes, value);
  if (violation !== undefined) return { rule: violation };
  if (localFile.test(value) || hasHost(value)) return { value };
  if (Number(portOfAddress.exec(value)?.[1] ?? 1) > 65_535) return { rule: portRule };
  return {
    rule: value.includes('@') ? `${rule}, and with a user and password that are percent-encoded` : rule,
  };
}

function findSchemeViolation(schemes: readonly string[], value: string): string | undefined {
  const one = `must be a URL with the scheme ${schemes.join(' or ')}`;
  if (eMail.test(value)) return `${one}: nothing is sent by e-mail`;
  if (!schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}:`))) return one;
  // The parser takes this port, and no connection can be made to it.
  return URL.canParse(value) && new URL(value).port === '0' ? portRule : undefined;
}

function hasHost(address: string): boolean {
  // The first test rejects what URL repairs by itself, such as http:/host and http:///host.
  return startOfAddress.test(address) && URL.canParse(address) && new URL(address).hostname !== '';
}
