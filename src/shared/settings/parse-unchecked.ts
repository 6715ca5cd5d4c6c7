import { isObject } from '../util/is-object.js';
import { ignoredResult, type ParseResult } from './parse-result.js';
import { parseBoolean, toDecimal } from './read-number.js';
import type { UncheckedSetting } from './setting.js';

/** Maximum number of entries of an object that is not checked further. */
const maxUncheckedEntries = 20;

/**
 * Accepts any value of the right type. A wrong type is a warning: a setting without effect must not break a request.
 */
export function parseUnchecked(
  { type, isSecret }: UncheckedSetting,
  value: unknown,
  path: string,
): ParseResult<unknown> {
  if (type !== undefined && !hasType(type, value)) {
    return ignoredResult({ field: path, message: `is not ${typeNames[type]} and was ignored` });
  }
  return { value: isSecret && !isOff(value) ? true : value, validationErrors: [], warnings: [] };
}

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
