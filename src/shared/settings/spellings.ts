import { memoizeByKey } from '../util/collections.js';
import type { SettingsTable } from './setting.js';

/** The rows of a table by position, the position of each spelling of a name, and the positions of the required rows. */
export const rowsOf = memoizeByKey((table: SettingsTable) => {
  const rows = Object.entries(table).map(([name, setting]) => ({ name, setting }));
  const positions = new Map(
    rows.flatMap(({ name, setting: { spellings = [] } }, position) =>
      [name, ...spellings].map((spelling) => [spelling, position] as const),
    ),
  );
  const required = rows.flatMap(({ setting }, position) => (setting.isRequired ? [position] : []));
  return { rows, positions, required };
});

/** The name of a setting in the table, for any of its spellings. */
export function canonicalName(table: SettingsTable, name: string): string {
  const { rows, positions } = rowsOf(table);
  return rows[positions.get(name) ?? -1]?.name ?? name;
}

/** All spellings of a setting, for any of them; the one in the table first. */
export function spellingsOf(table: SettingsTable, name: string): readonly string[] {
  const known = canonicalName(table, name);
  return [known, ...(table[known]?.spellings ?? [])];
}

/** Whether an object has a value under this name. null is the same as omitted. */
export function hasValue(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== null && object[name] !== undefined;
}

/** The names of a record by the spelling that they stand for; those that are not known by null. */
export type GivenNames = ReadonlyMap<string | null, readonly string[]>;

/** Groups the names of a record by the spellings in a table: `-` may stand for `_`. */
export function groupBySpelling(
  record: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, unknown>,
): GivenNames {
  const groups = new Map<string | null, string[]>();
  for (const name of Object.keys(record)) {
    const withUnderscores = name.replaceAll('-', '_');
    const spelling = [name, withUnderscores].find((one) => known.has(one)) ?? null;
    const group = groups.get(spelling);
    if (group === undefined) groups.set(spelling, [name]);
    else group.push(name);
  }
  return groups;
}
