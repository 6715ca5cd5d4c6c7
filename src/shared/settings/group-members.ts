import { isObject } from '../util/is-object.js';
import { pathTo } from './parse-result.js';
import type { ListSetting } from './setting.js';

/** An entry of a list and its path. `own` has the name of its group. */
export interface ListItem {
  readonly item: unknown;
  readonly at: string;
  readonly own?: object;
}

/**
 * The entries that an object of objects, or of arrays of objects, stands for: `{"NAME": {}}` or `{"NAME": [{}, {}]}`. Null for any other
 * value, such as an entry itself.
 */
export function groupMembers(
  { groupField, of }: ListSetting,
  given: unknown,
  path: string,
): readonly ListItem[] | null {
  if (groupField === undefined || of.kind !== 'object' || !isObject(given)) return null;
  const groups = Object.entries(given).filter(([, members]) => members !== null);
  const isEntry = groups.some(([name, one]) => Object.hasOwn(of.fields, name) && !isObject([one].flat()[0]));
  if (isEntry) return null;
  return groups.flatMap(([name, members]) =>
    [members].flat().map((one: unknown, index) => ({
      own: { [groupField]: name },
      item: isObject(one) ? { ...one, [groupField]: name } : one,
      at: `${pathTo(path, name)}${Array.isArray(members) ? `[${index}]` : ''}`,
    })),
  );
}
