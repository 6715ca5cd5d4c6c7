import { parseUrl } from '../text/url-text.js';
import { isObject } from '../util/is-object.js';
import { maxPathPartBytes, maxUrlLength } from './limits.js';
import { invalidResult, type ParseResult, pathTo, type ScalarResult } from './parse-result.js';
import type { ChoiceSetting, MapSetting, TextSetting, UrlSetting } from './setting.js';

// Control characters except tabs and line breaks, and lone surrogates: XML and UTF-8 cannot represent them.
const invalidInText = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const invalidInNames = /[\p{Cc}\p{Cs}]/u;

/** Validates a text: not empty unless the table allows it, and representable in JSON and XML. */
export function parseText(setting: TextSetting, sent: unknown): ScalarResult<string> {
  const value = isNumberUpTo(setting.maxNumber, sent) ? String(sent) : sent;
  if (typeof value !== 'string') return { rule: 'must be a string' };
  if (value === '' && !setting.mayBeEmpty) return { rule: 'must not be empty' };
  if (isLongerThan(value, setting.maxLength)) {
    return { rule: `must have at most ${setting.maxLength} characters` };
  }
  if (invalidInText.test(value))
    return { rule: 'must not contain control characters or unpaired surrogates' };
  const { form } = setting;
  if (form !== undefined && !new RegExp(`^(?:${form.pattern})$`).test(value)) return { rule: form.rule };
  const violation = setting.isPath ? findPathViolation(value) : undefined;
  if (violation !== undefined) return { rule: violation };
  return { value: setting.isLowerCased ? value.toLowerCase() : value };
}

function isNumberUpTo(max: number | undefined, value: unknown): boolean {
  return max !== undefined && Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max;
}

/** Validates one of the words in `choices`. The value is spelled as in the table. */
export function parseChoice(setting: ChoiceSetting, value: unknown): ScalarResult<string> {
  // Levels such as 3.1 are often sent as numbers.
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';
  const wanted = setting.aliases?.[word] ?? word;
  const found = setting.choices.find((choice) => choice.toLowerCase() === wanted);
  return found === undefined
    ? { rule: `must be one of ${offeredChoices(setting).join(', ')}` }
    : { value: found };
}

/** The choices that a request may have. */
export function offeredChoices({ choices, rejectedChoices = [] }: ChoiceSetting): readonly string[] {
  return choices.filter((choice) => !rejectedChoices.includes(choice));
}

/**
 * Whether a text contains characters that are not allowed in names: control characters, including line breaks, or
 * lone surrogates.
 */
function isInvalidName(text: string): boolean {
  return invalidInNames.test(text);
}

/** Whether a text has more than `max` characters. A surrogate pair counts as one character. */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** The length of a text in bytes of UTF-8, the unit of file name limits. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function findPathViolation(path: string): string | undefined {
  const parts = path.split('/');
  if (isInvalidName(path)) return 'must not contain control characters';
  if (path.startsWith('/')) return 'must be a relative path';
  if (parts.includes('')) return 'must not have an empty part between slashes or at the end';
  if (parts.includes('..') || parts.includes('.')) return 'must not have "." or ".." as a part of the path';
  return parts.some((part) => byteLength(part) > maxPathPartBytes)
    ? `must have at most ${maxPathPartBytes} bytes in each part of the path`
    : undefined;
}

const urlRule = 'must be a URL with a scheme and a host or bucket, such as http://example.com/video.mp4';
const portRule = 'must have a port from 1 to 65535';
/** Matches a URL whose host is followed by a port. */
const portOfAddress = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:@]+):(\d+)(?:[/?#]|$)/i;
// Spaces, quotes and similar characters before the path must be percent-encoded. If they were allowed unencoded, the
// end of a password would be ambiguous.
const startOfAddress = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\\s"<>]+(?:[/?#]|$)/i;
const emailAddress = /^[^\s/:@]+@[^\s/:@]+$/;
const maxEmailLength = 254;
const localFile = /^file:(?:\/\/(?:localhost)?)?\/[^/]/i;

/**
 * Validates a URL. The scheme and everything after the host are validated by the transport of that scheme. Only URLs
 * of local files have no host. The rules never repeat the URL, because it may contain a password.
 */
export function parseUrlSetting({ schemes, acceptsEmail }: UrlSetting, value: unknown): ScalarResult<string> {
  if (typeof value !== 'string') return { rule: urlRule };
  if (isLongerThan(value, maxUrlLength)) return { rule: `must have at most ${maxUrlLength} characters` };
  if (isInvalidName(value)) return { rule: 'must not contain control characters or line breaks' };
  if (value !== value.trim()) return { rule: 'must not begin or end with a space' };
  if (acceptsEmail && isEmailAddress(value)) return { value };
  const violation = schemes === undefined ? undefined : findSchemeViolation(schemes, value, acceptsEmail);
  if (violation !== undefined) return { rule: violation };
  if (localFile.test(value) || hasHost(value)) return { value };
  if (Number(portOfAddress.exec(value)?.[1] ?? 1) > 65_535) return { rule: portRule };
  return {
    rule: value.includes('@') ? `${urlRule}, with a percent-encoded user and password` : urlRule,
  };
}

/** Whether a text is an e-mail address. */
export function isEmailAddress(text: string): boolean {
  return text.length <= maxEmailLength && emailAddress.test(text);
}

function findSchemeViolation(
  schemes: readonly string[],
  value: string,
  acceptsEmail = false,
): string | undefined {
  const or = acceptsEmail ? ', or an e-mail address' : '';
  const one = `must be a URL with the scheme ${schemes.join(' or ')}${or}`;
  if (!schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}:`))) return one;
  // The URL parser accepts port 0, but no connection can be made to it.
  return parseUrl(value)?.port === '0' ? portRule : undefined;
}

function hasHost(address: string): boolean {
  // The pattern rejects what `URL` silently repairs, such as http:/host and http:///host.
  return startOfAddress.test(address) && (parseUrl(address)?.hostname ?? '') !== '';
}

/** The names and values of a map, and the rules that other ones violate. */
const mapForms = {
  headers: {
    what: 'strings by header name',
    name: /^[\w!#$%&'*+.^`|~-]+$/,
    nameRule: 'header names, such as X-Order,',
    value: /^[\x20-\x7e]*$/,
    valueRule: 'must contain only visible ASCII characters and spaces',
  },
  tags: {
    what: 'strings by the name of a tag',
    name: /^[A-Za-z\d][\w.-]*$/,
    nameRule: 'names of tags, such as title,',
    value: /^(?:[^\p{Cc}\p{Cs}]|\n)*$/u,
    valueRule: 'must not contain control characters or unpaired surrogates',
  },
} as const;

/**
 * Validates an object of strings by name, or one of the words of the setting. Names are unique regardless of case.
 * Validation errors do not repeat invalid names, because a name may be a whole header line that includes a secret
 * value.
 */
export function parseMap(
  setting: MapSetting,
  value: unknown,
  path: string,
): ParseResult<Readonly<Record<string, string>> | string> {
  const { words = [], of } = setting;
  const form = mapForms[of];
  const word = typeof value === 'string' ? words.find((one) => one === value.toLowerCase()) : undefined;
  if (word !== undefined) return { value: word, validationErrors: [], warnings: [] };
  const orWord = words.length === 0 ? '' : `${words.join(', ')} or `;
  if (!isObject(value)) return invalidResult(`${path} must be ${orWord}an object of ${form.what}`);
  const entries = Object.entries(value);
  if (entries.length > setting.max) return invalidResult(`${path} must have at most ${setting.max} entries`);
  const invalidName = entries.findIndex(
    ([name]) => !form.name.test(name) || isLongerThan(name, setting.maxNameLength),
  );
  if (invalidName !== -1) {
    // The name itself may be a secret: clients have sent `"Bearer SECRET": ""`.
    const rule = `must have valid ${form.nameRule} of at most ${setting.maxNameLength} characters`;
    return invalidResult(`${path} ${rule}; that of entry ${invalidName + 1} is not`);
  }
  const validationErrors = entries.flatMap(([name, text], index) => {
    const isDuplicate = entries.slice(0, index).some(([other]) => other.toLowerCase() === name.toLowerCase());
    const rule = isDuplicate ? 'must be given only once' : findEntryViolation(setting, name, text);
    return rule === undefined ? [] : [`${pathTo(path, name)} ${rule}`];
  });
  if (validationErrors.length > 0) return { validationErrors, warnings: [] };
  // Every value is a string at this point, but the compiler cannot infer that.
  return {
    value: Object.fromEntries(entries) as Record<string, string>,
    validationErrors,
    warnings: [],
  };
}

function findEntryViolation(setting: MapSetting, name: string, text: unknown): string | undefined {
  if (isReserved(setting, name.toLowerCase())) return 'must be omitted: this header is written by the daemon';
  if (typeof text !== 'string') return 'must be a string';
  if (isLongerThan(text, setting.maxLength)) return `must have at most ${setting.maxLength} characters`;
  const { value, valueRule } = mapForms[setting.of];
  return value.test(text) ? undefined : valueRule;
}

function isReserved({ reserved }: MapSetting, name: string): boolean {
  return reserved.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word));
}
