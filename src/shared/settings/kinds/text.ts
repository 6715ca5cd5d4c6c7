import { parseUrl } from '../../text/url-text.js';
import { isObject } from '../../util/is-object.js';
import { maxPathPartBytes, maxUrlLength } from '../limits.js';
import type { ChoiceSetting, TextSetting, UncheckedSetting, UrlSetting } from '../setting.js';
import {
  code,
  ignoredResult,
  inAnyCase,
  omitted,
  type ParseResult,
  type ScalarResult,
  type SettingKind,
  toParseResult,
  validResult,
} from './kind.js';
import { boolean, parseBoolean, toDecimal } from './numbers.js';

// Control characters except tabs and line breaks, and lone surrogates: XML and UTF-8 cannot represent them.
const invalidInText = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
/** Matches what XML and UTF-8 cannot represent. */
export const unpairedSurrogate = /\p{Cs}/u;
const invalidInNames = /[\p{Cc}\p{Cs}]/u;

/** A text: not empty unless the table allows it, and representable in JSON and XML. */
export const text: SettingKind<TextSetting> = {
  mayHoldSecret: true,
  parse(setting, value, path) {
    if (value === '' && setting.emptyMeansOmitted) return emptyResult(path);
    const result = parseText(setting, value);
    return 'rule' in result && setting.invalidMeansOmitted
      ? ignoredResult({ field: path, message: `was ignored: it ${result.rule}` })
      : toParseResult(path, result);
  },
  describe: ({ isPath, mayBeEmpty, maxLength }) =>
    `${isPath ? 'relative path' : 'text'} of ${mayBeEmpty ? 'up' : '1'} to ${maxLength} characters`,
  example: ({ form, isPath }) => form?.example ?? (isPath ? 'film.mp4' : 'example'),
  schema: ({ maxNumber, mayBeEmpty, emptyMeansOmitted, maxLength, form, isPath }) => ({
    ...(maxNumber === undefined
      ? { type: 'string' }
      : { type: ['string', 'integer'], minimum: 0, maximum: maxNumber }),
    ...(mayBeEmpty || emptyMeansOmitted ? {} : { minLength: 1 }),
    maxLength,
    ...(isPath ? { pattern: pathPattern } : {}),
    ...(form === undefined ? {} : { pattern: `^(?:${form.pattern})$` }),
  }),
  placeholder: ({ argument }, name) => `<${argument ?? name.replaceAll('_', '-')}>`,
  range: ({ maxLength }) => `at most ${maxLength} characters`,
  fromXml: (text) => text,
};

/** Forms send empty fields. */
function emptyResult(path: string): ParseResult<never> {
  return ignoredResult({ field: path, message: 'is empty and was ignored' });
}

function parseText(setting: TextSetting, sent: unknown): ScalarResult<string> {
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

/** Whether a value is a whole number that is accepted as its digits. */
export function isNumberUpTo(max: number | undefined, value: unknown): boolean {
  return max !== undefined && Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max;
}

/** One of the words in `choices`. The value is spelled as in the table. */
export const choice: SettingKind<ChoiceSetting> = {
  parse(setting, value, path) {
    const isOn = setting.trueMeans === undefined ? { rule: '' } : parseBoolean(value);
    if ('value' in isOn) return isOn.value ? validResult(setting.trueMeans) : omitted;
    // Levels such as 3.1 are often sent as numbers.
    const word = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';
    const wanted = setting.aliases?.[word] ?? word;
    const found = setting.choices.find((choice) => choice.toLowerCase() === wanted);
    const rule = `must be one of ${offeredChoices(setting).join(', ')}`;
    return toParseResult(path, found === undefined ? { rule } : { value: found });
  },
  describe(setting) {
    const { trueMeans } = setting;
    const words = `${offeredChoices(setting).map(code).join(', ')}, in any letter case`;
    return trueMeans === undefined ? words : `${words}; ${code('true')} is ${code(trueMeans)}`;
  },
  example: (setting) => offeredChoices(setting).find((choice) => choice !== setting.default),
  schema({ choices, aliases = {}, trueMeans, default: _, ...others }) {
    const numbers = choices.filter((choice) => toDecimal(choice) !== undefined).map(Number);
    const words = [
      { type: 'string', enum: choices },
      { type: 'string', pattern: `^${inAnyCase([...choices, ...Object.keys(aliases)])}$` },
      ...(numbers.length === 0 ? [] : [{ type: 'number', enum: numbers } as const]),
    ] as const;
    if (trueMeans === undefined) return { anyOf: words };
    return { anyOf: [{ anyOf: words }, boolean.schema?.({ ...others, kind: 'boolean' }) ?? {}] };
  },
  range: (setting) => offeredChoices(setting).join(', '),
  words: offeredChoices,
  fromFlag: ({ synonyms }, word) => synonyms?.[String(word).toLowerCase()] ?? word,
};

function offeredChoices({ choices, rejectedChoices = [] }: ChoiceSetting): readonly string[] {
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
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** The length of a text in bytes of UTF-8, the unit of file name limits. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A relative path without empty parts, `.` and `..`; an empty one is checked elsewhere. */
const pathPattern = '^(?!/)(?!.*//)(?!.*/$)(?!(?:.*/)?\\.{1,2}(?:/|$))';

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
 * A URL. The scheme and everything after the host are validated by the transport of that scheme. Only URLs of local
 * files have no host. The rules never repeat the URL, because it may contain a password.
 */
export const url: SettingKind<UrlSetting> = {
  mayHoldSecret: true,
  parse(setting, value, path) {
    return value === '' && setting.emptyMeansOmitted
      ? emptyResult(path)
      : toParseResult(path, parseAddress(setting, value));
  },
  describe: ({ schemes, words = [] }) =>
    `${words.map((word) => `${code(word)}, or `).join('')}${schemes === undefined ? 'URL' : `URL with ${schemes.map(code).join(' or ')}`}`,
  example: () => 'https://example.com/file',
  schema: (setting) => ({ type: 'string', maxLength: maxUrlLength, pattern: addressPattern(setting) }),
};

/** A user and a password, and the begin of a host: both have none of the characters that begin a path. */
const hostPattern = '(?:[^/?#\\\\\\s"<>]*@)?[^/?#\\\\\\s"<>@:][^/?#\\\\\\s"<>@]*(?:[/?#]|$)';
const filePattern = '[Ff][Ii][Ll][Ee]:(?://(?:[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])?)?/[^/]';

function addressPattern({ schemes, emptyMeansOmitted, acceptsEmail, words }: UrlSetting): string {
  const known = schemes === undefined ? '[A-Za-z][A-Za-z\\d+.\\-]*' : inAnyCase(schemes);
  const forms = [
    ...(emptyMeansOmitted ? ['$'] : []),
    `${known}://${hostPattern}`,
    ...(schemes === undefined ? [filePattern] : []),
    ...(acceptsEmail ? ['[^\\s/:@]+@[^\\s/:@]+$'] : []),
    ...(words === undefined ? [] : [`${inAnyCase(words)}$`]),
  ];
  return `^(?!.*\\s$)(?:${forms.join('|')})`;
}

function parseAddress(
  { schemes, acceptsEmail, words = [] }: UrlSetting,
  value: unknown,
): ScalarResult<string> {
  const word = typeof value === 'string' ? words.find((one) => one === value.toLowerCase()) : undefined;
  if (word !== undefined) return { value: word };
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

/** Maximum number of entries of an object that is not checked further. */
const maxUncheckedEntries = 20;

/**
 * A setting that is not applied. Accepts any value of the right type. A wrong type is a warning: a setting without
 * effect must not break a request.
 */
export const unchecked: SettingKind<UncheckedSetting> = {
  mayHoldSecret: true,
  parse({ type, isSecret }, value, path) {
    if (type === undefined || hasType(type, value))
      return validResult(isSecret && !isOff(value) ? true : value);
    return ignoredResult({ field: path, message: `is not ${typeNames[type]} and was ignored` });
  },
  describe: ({ type }) => type ?? 'any',
  example: () => undefined,
  schema: () => ({}),
};

/** Whether a value turns its setting off. Such a value of a setting that is not applied is accepted. */
export function isOff(value: unknown): boolean {
  const isFalse = value === false || value === 0 || ['false', '0', 'none', ''].includes(String(value));
  return isFalse || JSON.stringify(value) === '{}' || JSON.stringify(value) === '[]';
}

const typeNames = {
  boolean: 'true or false',
  number: 'a number',
  string: 'a string',
  object: `an object of up to ${maxUncheckedEntries} entries`,
} as const satisfies Record<NonNullable<UncheckedSetting['type']>, string>;

function hasType(type: NonNullable<UncheckedSetting['type']>, value: unknown): boolean {
  switch (type) {
    case 'boolean':
      return 'value' in parseBoolean(value);
    case 'number':
      return toDecimal(value) !== undefined;
    case 'string':
      return typeof value === 'string' || typeof value === 'number';
    case 'object':
      return isObject(value) && Object.keys(value).length <= maxUncheckedEntries;
  }
}
