const secretParameters =
  /([?&;](?:[^=&;#\s]*(?:password|passwd|secret|token|signature|api_key|apikey|access_key|credential)[^=&;#\s]*|sig|key)=)[^&;#\s"'<>]*/gi;
// Greedy up to the last "@" before a slash: a password may itself hold an unescaped "@" or ":".
const userInfo = /([a-z][a-z0-9+.-]*:\/\/)([^/\s:@"'<>]*):([^/\s"'<>]*)@/gi;

/**
 * Masks what is secret in a text that may hold URLs: passwords in front of hosts and secret query parameters.
 * The user name stays, so that a reader recognises the address. Use it on everything that is logged, shown
 * or put into an error.
 */
export function redact(text: string): string {
  return text.replace(userInfo, '$1$2:***@').replace(secretParameters, '$1***');
}

/** A URL as answers show it: with its user, without its password (and without the colon before it). */
export function withoutPassword(url: string): string {
  return url.replace(userInfo, '$1$2@').replace(secretParameters, '$1***');
}
