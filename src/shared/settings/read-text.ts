import { isObject } from '../util/is-object.js';
import { maxPathPartBytes, maxUrlLength } from './limits.js';
import type { ScalarResult } from './parse-result.js';
import { invalidResult, type ParseResult, pathTo } from './parse-result.js';
import type { ChoiceSetting, MapSetting, TextSetting, UrlSetting } from './setting.js';

// Control characters but for tabs and line ends, and halves of characters: XML and UTF-8 cannot hold them.
const invalidInText = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const invalidInNames = /[\p{Cc}\p{Cs}]/u;

/** Reads a text: never empty unless the table allows it, and fit to be answered as JSON and XML. */
export function parseText(setting: TextSetting, value: unknown): ScalarResult<string> {
  if (typeof value !== 'string') return { rule: 'must be a text' };
  if (value === '' && !setting.mayBeEmpty) return { rule: 'must not be empty' };
  if (isLongerThan(value, setting.maxLength)) {
    return { rule: `must have at most ${setting.maxLength} characters` };
  }
  if (invalidInText.test(value)) return { rule: 'must not hold control characters or halves of characters' };
  const violation = setting.isPath ? findPathViolation(value) : undefined;
  return violation === undefined ? { value } : { rule: violation };
}

/** Reads one of a few words. The value is as the table spells it. */
export function parseChoice(setting: ChoiceSetting, value: unknown): ScalarResult<string> {
  const fold = (word: string): string => (setting.isCaseInsensitive ? word.toLowerCase() : word);
  const found = setting.choices.find((choice) => typeof value === 'string' && fold(choice) === fold(value));
  return found === undefined ? { rule: `must be one of ${setting.choices.join(', ')}` } : { value: found };
}

/** Whether a text has control characters (line ends among them) or halves of characters, which no name may have. */
export function isInvalidName(text: string): boolean {
  return invalidInNames.test(text);
}

/** Whether a text has more characters than so many; characters outside the basic plane count once. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** Length of a text in bytes of UTF-8, which is how file systems count. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function findPathViolation(path: string): string | undefined {
  const parts = path.split('/');
  if (isInvalidName(path)) return 'must not hold control characters';
  if (path.startsWith('/')) return 'must be a relative path';
  if (parts.includes('')) return 'must not have an empty part between slashes or at its end';
  if (parts.includes('..') || parts.includes('.')) return 'must not have "." or ".." as a part of the path';
  return parts.some((part) => byteLength(part) > maxPathPartBytes)
    ? `must have at most ${maxPathPartBytes} bytes in each part of the path`
    : undefined;
}

const urlRule = 'must be a URL with a scheme and a host or bucket, such as http://example.com/video.mp4';
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
  if (typeof value !== 'string') return { rule: urlRule };
  if (isLongerThan(value, maxUrlLength)) return { rule: `must have at most ${maxUrlLength} characters` };
  if (isInvalidName(value)) return { rule: 'must not hold control characters or line breaks' };
  if (value !== value.trim()) return { rule: 'must not begin or end with a blank' };
  const violation = schemes === undefined ? undefined : findSchemeViolation(schemes, value);
  if (violation !== undefined) return { rule: violation };
  if (localFile.test(value) || hasHost(value)) return { value };
  if (Number(portOfAddress.exec(value)?.[1] ?? 1) > 65_535) return { rule: portRule };
  return {
    rule: value.includes('@') ? `${urlRule}, and with a user and password that are percent-encoded` : urlRule,
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

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\x20-\x7e]*$/;

/**
 * Reads headers: names as HTTP has them, none of them twice in whatever letter case, to texts of visible ASCII characters. Names that
 * are not valid are not repeated in the complaint, as who writes a whole header into the name puts its secret there.
 */
export function parseMap(
  setting: MapSetting,
  value: unknown,
  path: string,
): ParseResult<Readonly<Record<string, string>>> {
  if (!isObject(value)) return invalidResult(`${path} must be an object of texts by their names`);
  const entries = Object.entries(value);
  if (entries.length > setting.max) return invalidResult(`${path} must have at most ${setting.max} entries`);
  if (entries.some(([name]) => !headerName.test(name) || isLongerThan(name, setting.maxNameLength))) {
    return invalidResult(
      `${path} must have names of headers, such as X-Order, with at most ${setting.maxNameLength} characters`,
    );
  }
  const validationErrors = entries.flatMap(([name, text], index) => {
    const isDuplicate = entries.slice(0, index).some(([other]) => other.toLowerCase() === name.toLowerCase());
    const rule = isDuplicate ? 'must be there only once' : findHeaderViolation(setting, name, text);
    return rule === undefined ? [] : [`${pathTo(path, name)} ${rule}`];
  });
  if (validationErrors.length > 0) return { validationErrors, unknownFields: [] };
  // Every value has passed as a text, which the compiler cannot follow.
  return {
    value: Object.fromEntries(entries) as Record<string, string>,
    validationErrors,
    unknownFields: [],
  };
}

function findHeaderViolation(setting: MapSetting, name: string, text: unknown): string | undefined {
  if (isReserved(setting, name.toLowerCase()))
    return 'must be left out: this header is written by the daemon';
  if (typeof text !== 'string') return 'must be a text';
  if (text.length > setting.maxLength) return `must have at most ${setting.maxLength} characters`;
  return headerValue.test(text) ? undefined : 'must hold visible ASCII characters and blanks alone';
}

function isReserved({ reserved }: MapSetting, name: string): boolean {
  return reserved.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word));
}
