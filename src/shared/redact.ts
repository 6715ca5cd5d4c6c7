import { workerKeyPrefix } from './version.js';

const secretWords = 'passw|passphrase|passcode|secret|token|signature|api[-_]?key|access[-_]?key|credential';
const secretNames = 'pass|pwd|pw|sig|key|auth|authorization|hmac|jwt';
// The length of names is bounded, so that the time for a long text without any "=" stays linear.
const secretParameter = new RegExp(
  `([?&;#](?:[^=&;#?\\s]{0,64}(?:${secretWords})[^=&;#?\\s]{0,64}|${secretNames})=)[^&#\\s"<>]*`,
  'gi',
);
const secretHeader =
  /\b((?:(?:service|zencoder)-api-key|api_key|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest)\s+)?)[^\s"',;&]+/gi;
/** A worker key anywhere in a text: its prefix identifies it. */
const workerKey = new RegExp(`${workerKeyPrefix}\\w+`, 'gi');
/*
 * First the scheme and the user name, which may be an e-mail address. Then anything that is not a port, up to the
 * last "@" before a space or a quote: secrets of storage services contain slashes, and users leave "@" and ":"
 * unencoded in passwords. Ending at the first "@", or at a slash, was tried and leaves a part of such passwords
 * readable. If no "@" is left because the text was truncated, the whole rest may be the password.
 */
const port = /\d{0,5}(?:[/?#]|[),;'\]}.:!]*(?:[\s"<>]|$))/.source;
const userInfo = new RegExp(
  `([a-z][a-z0-9+.-]{0,30}://)(?!\\[)([^/\\s:"<>]*):(?!${port})(?:[^\\s"<>]*@|\\S*@|[^\\s"<>]*)`,
  'gi',
);

const userInfoOfUrl = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#:]*):[^/?#]*@/i;

/**
 * Masks secrets in a text that may contain URLs: passwords in URLs, secret query parameters, keys in headers, and
 * worker keys. The user name stays, so that a reader recognises the URL. If the end of a secret is ambiguous, more is
 * masked rather than less. Apply it to everything that is logged, shown or put into an error.
 */
export function redact(text: string): string {
  return maskParameters(text.replace(userInfo, '$1$2:***@'))
    .replace(secretHeader, '$1***')
    .replace(workerKey, `${workerKeyPrefix}***`);
}

/**
 * A URL as shown in responses: with the user, without the password (and without the colon before it). Only the part
 * before the path counts as a password, as for the client that fetches the URL, so that an "@" in the path stays. In
 * a text that is not a valid URL more is removed, as by `redact`.
 */
export function withoutPassword(url: string): string {
  const bare = (_: string, scheme: string, user: string): string =>
    user === '' ? scheme : `${scheme}${user}@`;
  return maskParameters(
    userInfoOfUrl.test(url) ? url.replace(userInfoOfUrl, bare) : url.replace(userInfo, bare),
  );
}

function maskParameters(text: string): string {
  return text.replace(secretParameter, '$1***');
}
