import { isObject } from '../util/is-object.js';
import { invalidResult, type ParseResult, pathTo } from './parse-result.js';
import { isLongerThan } from './read-text.js';
import type { MapSetting } from './setting.js';

const token = /^[\w!#$%&'*+.^`|~-]+$/;
const visible = /^[\x20-\x7e]*$/;

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
  if (entries.some(([name]) => !token.test(name) || isLongerThan(name, setting.maxNameLength))) {
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
  return visible.test(text) ? undefined : 'must hold visible ASCII characters and blanks alone';
}

function isReserved({ reserved }: MapSetting, name: string): boolean {
  return reserved.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word));
}
