import { VencError } from '../../errors.js';
import { isObject } from '../../util/is-object.js';
import { channelNames, serviceTypes } from '../channels.js';
import type { MapSetting } from '../setting.js';
import { code, inAnyCase, invalidResult, pathTo, type SettingKind, validResult } from './kind.js';
import { isLongerThan, isNumberUpTo, unpairedSurrogate } from './text.js';

/** The names and values of the entries of a map, and the rules that other ones violate. */
interface MapForm {
  readonly what: string;
  readonly name: string;
  /** What valid names are, for the message about an invalid one. */
  readonly nameRule?: string;
  /** The whole message about an invalid name. */
  readonly namesRule?: string;
  readonly value: string;
  readonly valueRule: string;
  /** Further rules for the values of some names, in lower case. An empty value is not checked. */
  readonly rulesOf?: ReadonlyMap<
    string,
    { readonly isValid: (text: string) => boolean; readonly rule: string }
  >;
  /** Up to this, a whole number is accepted and read as its digits. */
  readonly maxNumber?: number;
  /** The one spelling of a name or a value; absent if each is kept as it is. Values with one have no commas. */
  readonly canonical?: (text: string) => string;
}

const mapForms: Readonly<Record<MapSetting['of'], MapForm>> = {
  headers: {
    what: 'strings by header name',
    name: "^[\\w!#$%&'*+.^`|~\\-]+$",
    nameRule: 'header names, such as X-Order,',
    value: '^[\\x20-\\x7e]*$',
    valueRule: 'must contain only visible ASCII characters and spaces',
  },
  tags: {
    what: 'strings by the name of a tag',
    name: '^[A-Za-z\\d][\\w.\\-]*$',
    nameRule: 'names of tags, such as title,',
    // Control characters except line feeds.
    value: '^[^\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]*$',
    valueRule: 'must not contain control characters or unpaired surrogates',
    // ffmpeg writes no other ones.
    rulesOf: new Map([
      ['timecode', { isValid: isTimecode, rule: 'must be a timecode, such as 01:00:00:00' }],
      ['creation_time', { isValid: isTime, rule: 'must be a time, such as 2026-05-06T07:08:09Z' }],
    ]),
  },
  channels: {
    what: 'tracks by the name of a channel',
    name: `^${inAnyCase(channelNames)}$`,
    namesRule: `must name channels by ${channelNames.join(', ')}`,
    value: '^[1-9]\\d{0,3}(?::[1-9]\\d?)?$',
    valueRule: 'must be a track or track:channel, both from 1',
    maxNumber: 9999,
    canonical: (text) => text.toUpperCase(),
  },
  'service-types': {
    what: 'purposes by the number of a track',
    name: '^(?:[Tt][Rr][Aa][Cc][Kk][_-])?[1-9]\\d{0,3}$',
    namesRule: 'must name tracks by number',
    value: `^${inAnyCase(serviceTypes)}$`,
    valueRule: `must be one of ${serviceTypes.join(', ')}`,
    // Names of elements in XML do not begin with a digit.
    canonical: (text) => text.toLowerCase().replace(/^track[_-]/, ''),
  },
};

function isTimecode(text: string): boolean {
  return /^(?:[01]\d|2[0-3])(?::[0-5]\d){2}[:;.]\d{2,3}$/.test(text);
}

function isTime(text: string): boolean {
  const form = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/i;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * An object of strings by name, or one of the words of the setting. Names are unique regardless of case. Validation
 * errors do not repeat invalid names, because a name may be a whole header line that includes a secret value.
 */
export const map: SettingKind<MapSetting> = {
  isRepeatable: true,
  mayHoldSecret: true,
  parse(setting, value, path) {
    const { words = [], of, max, maxNameLength } = setting;
    const form = mapForms[of];
    const word = typeof value === 'string' ? words.find((one) => one === value.toLowerCase()) : undefined;
    if (word !== undefined) return validResult(word);
    const orWord = words.length === 0 ? '' : `${words.join(', ')} or `;
    if (!isObject(value)) return invalidResult(`${path} must be ${orWord}an object of ${form.what}`);
    const { maxNumber, canonical = (text: string) => text } = form;
    const entries = Object.entries(value).map(
      ([name, one]) => [canonical(name), isNumberUpTo(maxNumber, one) ? String(one) : one] as const,
    );
    if (entries.length > max) return invalidResult(`${path} must have at most ${max} entries`);
    const nameForm = new RegExp(form.name);
    const invalidName = entries.findIndex(
      ([name]) => !nameForm.test(name) || isLongerThan(name, maxNameLength),
    );
    if (invalidName !== -1) {
      if (form.namesRule !== undefined) return invalidResult(`${path} ${form.namesRule}`);
      // The name itself may be a secret: clients have sent `"Bearer SECRET": ""`.
      const rule = `must have valid ${form.nameRule} of at most ${maxNameLength} characters`;
      return invalidResult(`${path} ${rule}; that of entry ${invalidName + 1} is not`);
    }
    const validationErrors = entries.flatMap(([name, text], index) => {
      const isDuplicate = entries
        .slice(0, index)
        .some(([other]) => other.toLowerCase() === name.toLowerCase());
      const rule = isDuplicate ? 'must be given only once' : findEntryViolation(setting, name, text);
      return rule === undefined ? [] : [`${pathTo(path, name)} ${rule}`];
    });
    return validationErrors.length > 0
      ? { validationErrors, warnings: [] }
      : validResult(Object.fromEntries(entries.map(([name, text]) => [name, canonical(String(text))])));
  },
  describe({ words = [], of, max, maxLength }) {
    if (mapForms[of].canonical !== undefined) return `object of up to ${max} ${mapForms[of].what}`;
    const orWords = words.map((word) => `${code(word)}, or `).join('');
    return `${orWords}object of up to ${max} strings of up to ${maxLength} characters, by name`;
  },
  example: () => ({ 'X-Example': 'value' }),
  schema({ of, words, max, maxNameLength, maxLength, reserved }) {
    const { name, value, maxNumber } = mapForms[of];
    const reservedPattern = `^${inAnyCase(reserved).replaceAll('*', '.*')}$`;
    const entry =
      maxNumber === undefined
        ? ({ type: 'string' } as const)
        : ({ type: ['string', 'integer'], minimum: 1, maximum: maxNumber } as const);
    const map = {
      type: 'object',
      maxProperties: max,
      propertyNames: {
        ...{ maxLength: maxNameLength, pattern: name },
        ...(reserved.length === 0 ? {} : { not: { pattern: reservedPattern } }),
      },
      additionalProperties: { ...entry, maxLength, pattern: value },
    } as const;
    return words === undefined ? map : { anyOf: [map, { type: 'string', pattern: `^${inAnyCase(words)}$` }] };
  },
  placeholder: () => '<name=value>',
  fromFlag({ words = [], of }, word, flag) {
    const texts: readonly string[] = [word].flat().map(String);
    const given = mapForms[of].canonical === undefined ? texts : texts.flatMap((text) => text.split(','));
    const [only = ''] = given;
    if (given.length === 1 && words.includes(only.toLowerCase())) return only;
    const entries = given.map((one) => /^([^=]*)=(.*)$/s.exec(one) ?? []);
    if (entries.some(([, name = '']) => name === '')) {
      const orWord = words.length === 0 ? '' : `, or one of ${words.join(', ')} alone`;
      throw new VencError('UsageError', `${flag} must be name=value${orWord}.`);
    }
    return Object.fromEntries(entries.map(([, name = '', value = '']) => [name, value]));
  },
};

function findEntryViolation(setting: MapSetting, name: string, text: unknown): string | undefined {
  if (isReserved(setting, name.toLowerCase())) return 'must be omitted: this header is written by the daemon';
  if (typeof text !== 'string') return 'must be a string';
  if (isLongerThan(text, setting.maxLength)) return `must have at most ${setting.maxLength} characters`;
  const { value, valueRule, rulesOf } = mapForms[setting.of];
  if (!new RegExp(value).test(text) || unpairedSurrogate.test(text)) return valueRule;
  const own = rulesOf?.get(name.toLowerCase());
  return own === undefined || text === '' || own.isValid(text) ? undefined : own.rule;
}

function isReserved({ reserved }: MapSetting, name: string): boolean {
  return reserved.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word));
}
