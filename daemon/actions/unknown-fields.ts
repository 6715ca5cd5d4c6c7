import { isObject } from '../../src/shared/util/is-object.js';

/**
 * An error for each field of a request body that is not one of `names`; the key of the account may be in every body.
 * `advice` ends the sentence: `of a place: it has priority and next`.
 */
export function unknownFieldErrors(body: unknown, names: readonly string[], advice: string): string[] {
  const given = isObject(body) ? Object.keys(body) : [];
  return given
    .filter((name) => name !== 'api_key' && !names.includes(name))
    .map((name) => `${name} is not a field ${advice}`);
}
