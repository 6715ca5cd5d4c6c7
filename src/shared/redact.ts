const secretWords = 'passw|passphrase|passcode|secret|token|signature|api[-_]?key|access[-_]?key|credential';
const secretNames = 'pass|pwd|pw|sig|key|auth|authorization|hmac|jwt';
// Names are bounded, so that a long text without any "=" takes no more than time in proportion to its length.
const secretParameter = new RegExp(
  `([?&;#](?:[^=&;#?\\s]{0,64}(?:${secretWords})[^=&;#?\\s]{0,64}|${secretNames})=)[^&#\\s"<>]*`,
  'gi',
);
const secretHeader =
  /\b((?:(?:service|zencoder)-api-key|api_key|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest)\s+)?)[^\s"',;&]+/gi;
/*
 * In front: scheme and user, who may be an e-mail address. Then whatever is no port, up to the last "@" before a
 * blank or a quote: secrets of storage services hold slashes, and people leave "@" and ":" in passwords as they
 * are. Taking the first "@", or stopping at a slash, was tried and leaves a part of such passwords readable. Where no
 * "@" is left, because the text was cut off, all of the rest may be the password.
 */
const port = /\d{0,5}(?:[/?#]|[),;'\]}.:!]*(?:[\s"<>]|$))/.source;
const userInfo = new RegExp(
  `([a-z][a-z0-9+.-]{0,30}://)(?!\\[)([^/\\s:"<>]*):(?!${port})(?:[^\\s"<>]*@|\\S*@|[^\\s"<>]*)`,
  'gi',
);

const userInfoOfUrl = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#:]*):[^/?#]*@/i;

/**
 * Masks what is secret in a text that may hold URLs: passwords in front of hosts, secret query parameters, and
 * keys in headers. The user name stays, so that a reader recognises the address. Where it is not clear how far a secret
 * goes, more is masked rather than less. Use it on everything that is logged, shown or put into an error.
 */
export function redact(text: string): string {
  return maskParameters(text.replace(userInfo, '$1$2:***@')).replace(secretHeader, '$1***');
}

/**
 * A URL as answers show it: with its user, without its password (and without the colon before it). Only what stands
 * before the path is taken for a password, as the client that fetches the URL does, so that an "@" in the path stays; in a
 * text that is no proper URL more is taken, as `redact` does.
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
