import { memoizeByKey } from '../util/collections.js';
import { isObject } from '../util/is-object.js';
import { jobTable, outputTable } from './index.js';
import { nestedSettings } from './kinds/groups.js';
import type { SettingsTable } from './setting.js';
import { canonicalName, hasValue, spellingsOf } from './spellings.js';

/*
 * Checks know a setting by its name in the tables, and lists as arrays. A client may have used another spelling of the
 * name, and one object instead of an array. Messages have the path that the client wrote.
 */

/** The settings that the value of another one may come from. */
const origins: Readonly<Record<string, string>> = {
  width: 'size',
  height: 'size',
};

/** The path of a field as the request has it. A part that the request does not have remains as it is. */
export function sentPath(path: string, request: unknown): string {
  // A quoted name may contain any character.
  if (path.includes('"')) return path;
  const parts = path.match(/\[\d+\]|[^.[\]]+/g) ?? [];
  let value = request;
  let table: SettingsTable = jobTable;
  let sent = '';
  for (const part of parts) {
    if (part.startsWith('[')) {
      const isOutput = sent === 'outputs';
      if (isOutput || Array.isArray(value)) sent += part;
      if (Array.isArray(value)) value = value[Number(part.slice(1, -1))];
      else if (!isOutput && !isSingle(value)) sent += part;
      continue;
    }
    // A text that was given instead of an object has no fields.
    if (typeof value === 'string' && table !== jobTable && table !== outputTable) return sent;
    const name = sentName(part, table, value);
    sent = sent === '' ? name : `${sent}.${name}`;
    const isOutputs = part === 'outputs';
    value = isObject(value) ? value[isOutputs && !Object.hasOwn(value, name) ? 'output' : name] : undefined;
    const setting = table[canonicalName(table, part)];
    table = isOutputs ? outputTable : setting === undefined ? {} : nestedSettings(setting);
  }
  return sent;
}

/** Whether a value is an entry that was given without an array around it. */
function isSingle(value: unknown): boolean {
  return isObject(value) || typeof value === 'string' || typeof value === 'number';
}

function sentName(name: string, table: SettingsTable, value: unknown): string {
  if (!isObject(value)) return name;
  const origin = origins[name];
  const spellings = [name, ...spellingsOf(table, name), ...(origin === undefined ? [] : [origin])];
  // null is the same as omitted.
  const sent = (spelling: string) => (hasValue(value, spelling) ? spelling : givenNames(value).get(spelling));
  return spellings.map(sent).find((one) => one !== undefined) ?? name;
}

/*
 * Both indexes are computed once for each object, which may have as many fields as the body of a request has room for.
 */

/** The names of an object that have a value, by the same name with underscores. */
const givenNames = memoizeByKey((value: Readonly<Record<string, unknown>>) => {
  const names = new Map<string, string>();
  for (const name of Object.keys(value)) {
    const spelling = name.replaceAll('-', '_');
    if (hasValue(value, name) && !names.has(spelling)) names.set(spelling, name);
  }
  return names;
});

/** The position of each name of an object among the others. */
const namePositions = memoizeByKey(
  (value: Readonly<Record<string, unknown>>) =>
    new Map(Object.keys(value).map((name, position) => [name, position])),
);

/** A place in a request: the value there, and the index of each part of its path among its siblings. */
interface RequestPlace {
  readonly value: unknown;
  readonly position: readonly number[];
}

/** Returns a function for the positions of paths in a request. A part that is not found counts as last. */
export function createPositionOf(request: unknown): (path: string) => readonly number[] {
  const parents = new Map<string, RequestPlace>([['', { value: request, position: [] }]]);
  const parentOf = (path: string): RequestPlace => {
    const known = parents.get(path) ?? placeOf(path);
    parents.set(path, known);
    return known;
  };
  const placeOf = (path: string): RequestPlace => {
    const end = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['));
    const { value, position } = parentOf(path.slice(0, Math.max(end, 0)));
    const child = childOf(value, path.slice(end + 1));
    return { value: child.value, position: [...position, child.position] };
  };
  return (path) => placeOf(path).position;
}

function childOf(value: unknown, part: string): { readonly value?: unknown; readonly position: number } {
  if (part.endsWith(']')) {
    // The request may have one object where the path has an entry of an array.
    if (!Array.isArray(value)) return { value, position: 0 };
    const index = Number(part.slice(0, -1));
    return { value: value[index], position: index };
  }
  if (!isObject(value)) return { position: Number.POSITIVE_INFINITY };
  const name = part === 'outputs' && !Object.hasOwn(value, part) ? 'output' : part;
  const position = namePositions(value).get(name);
  return position === undefined ? { position: Number.POSITIVE_INFINITY } : { value: value[name], position };
}

/**
 * All validation errors of a request, with the paths that it has. `parseErrors` are those of its fields, `checkErrors`
 * those of the checks after that: about a field that is invalid anyway, they only follow from the first error.
 */
export function toReportedErrors(
  parseErrors: readonly string[],
  checkErrors: readonly string[],
  request: unknown,
): readonly string[] {
  const sent = (error: string) => {
    const path = pathOf(error);
    return `${sentPath(path, request)}${error.slice(path.length)}`;
  };
  const first = parseErrors.map(sent);
  const invalidPaths = new Set(first.map(pathOf).filter((path) => /\]./.test(path)));
  const others = checkErrors.map(sent).filter((error) => !invalidPaths.has(pathOf(error)));
  return [...new Set([...first, ...others])];
}

/** The path at the start of an error; empty if it has none. */
function pathOf(error: string): string {
  return /^[\w.[\]-]+(?= )/.exec(error)?.[0] ?? '';
}
