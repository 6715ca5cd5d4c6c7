import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import { nestedSettings } from '../../../src/shared/settings/kinds/groups.js';
import type { Setting, SettingsTable } from '../../../src/shared/settings/setting.js';
import { wrongValuesFor } from '../../shared/wrong-values.js';
import type { Choices } from './choices.js';
import type { Fields } from './generate-request.js';
import { valueFor } from './valid-values.js';

/** An accepted request with one deliberate mistake, and the path of the field that the answer must name. */
export interface MutatedRequest {
  readonly body: Fields;
  readonly field: string;
  /** Whether the field is new in the request, so that no other field is wrong because of it. */
  readonly expects: 'error' | 'warning';
}

/** A place of a request that a table describes. */
interface Place {
  readonly fields: Fields;
  readonly table: SettingsTable;
  readonly path: string;
}

/** Adds an invalid value of a setting that the request does not have; null if there is no place for one. */
export function withWrongValue(accepted: Fields, choices: Choices): MutatedRequest | null {
  const body = structuredClone(accepted);
  const place = choices.pick(placesOf(body));
  const rows = Object.entries<Setting>(place.table).filter(
    // The client of the suite sets `mock` itself.
    ([name, setting]) =>
      name !== 'mock' && !isGiven(place.fields, name, setting) && expressible(setting).length > 0,
  );
  if (rows.length === 0) return null;
  const [name, setting] = choices.pick(rows);
  const spelling = choices.pick([name, ...(setting.spellings ?? [])]);
  place.fields[spelling] = choices.pick(expressible(setting));
  return { body, field: join(place.path, spelling), expects: 'error' };
}

/** The invalid values that JSON can represent. */
function expressible(setting: Setting): readonly unknown[] {
  return wrongValuesFor(setting).filter((value) => {
    const isSpecialNumber = typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0));
    // A map or an object that is an empty array is an empty object as PHP writes it.
    return !isSpecialNumber && JSON.stringify(value) !== '[]' && value !== null;
  });
}

/** Adds a name that no table has: a name of the table with a small error, or a known name in the wrong object. */
export function withUnknownName(accepted: Fields, choices: Choices): MutatedRequest | null {
  const body = structuredClone(accepted);
  const place = choices.pick(placesOf(body));
  const known = new Set(
    Object.entries<Setting>(place.table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]),
  );
  const isMisplaced = choices.chance(0.3);
  const [other, setting] = choices.pick(
    Object.entries<Setting>(isMisplaced ? { ...outputTable, ...jobTable } : place.table),
  );
  const name = isMisplaced ? other : misspell(other, choices);
  const reserved = ['outputs', 'output', 'api_key', ''];
  if (known.has(name.replaceAll('-', '_')) || reserved.includes(name) || Object.hasOwn(place.fields, name))
    return null;
  place.fields[name] = valueFor(setting, choices);
  return { body, field: join(place.path, name), expects: 'warning' };
}

function misspell(name: string, choices: Choices): string {
  const at = choices.integer(0, name.length - 1);
  const rest = name.slice(at + 1);
  return choices.pick([
    name.slice(0, at) + rest,
    `${name.slice(0, at)}${rest[0] ?? 's'}${name[at]}${rest.slice(1)}`,
    `${name.slice(0, at)}x${rest}`,
    `${name}s`,
    name.toUpperCase(),
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ` ${name}`,
    `${name}\u200b`,
    `${name}"`,
    `${name}.a[0]`,
  ]);
}

/** Every object of a request that has a table, outputs and nested objects included. */
function placesOf(body: Fields): readonly Place[] {
  const outputs = [body.outputs ?? body.output ?? []].flat().filter(isFields);
  return [
    ...withNested({ fields: body, table: jobTable, path: '' }),
    ...outputs.flatMap((fields, index) =>
      withNested({ fields, table: outputTable, path: `outputs[${index}]` }),
    ),
  ];
}

function withNested(place: Place): readonly Place[] {
  const nested = Object.entries(place.fields).flatMap(([name, value]) => {
    const setting = rowOf(place.table, name);
    const table = setting === undefined ? {} : nestedSettings(setting);
    // Groups have names of the client's own, and a list that is too long has an error of its own.
    if (setting === undefined || Object.keys(table).length === 0 || 'groupField' in setting) return [];
    const path = join(place.path, name);
    const entries = Array.isArray(value)
      ? value.map((one, index) => [one, `${path}[${index}]`] as const)
      : [[value, path] as const];
    return entries.flatMap(([fields, at]) =>
      isFields(fields) ? withNested({ fields, table, path: at }) : [],
    );
  });
  return [place, ...nested];
}

function rowOf(table: SettingsTable, name: string): Setting | undefined {
  const wanted = name.replaceAll('-', '_');
  return Object.entries<Setting>(table).find(
    ([one, { spellings = [] }]) => one === wanted || spellings.includes(wanted),
  )?.[1];
}

function isGiven(fields: Fields, name: string, { spellings = [] }: Setting): boolean {
  const given = Object.keys(fields).map((one) => one.replaceAll('-', '_'));
  return [name, ...spellings].some((one) => given.includes(one));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, name: string): string {
  const shown = /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
  return path === '' ? shown : `${path}.${shown}`;
}
