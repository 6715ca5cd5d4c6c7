import { isObject } from '../util/is-object.js';
import { nestedSettings } from './describe-setting.js';
import { jobTable, outputTable } from './index.js';
import type { SettingsTable } from './setting.js';

/*
 * Checks know a setting by its name in the tables, and lists as arrays. A client may have used another spelling of the name, and one object
 * instead of an array. Messages have the path that the client wrote.
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
  const given = Object.keys(value).filter((one) => value[one] !== null && value[one] !== undefined);
  const sent = (spelling: string) =>
    given.find((one) => one === spelling) ?? given.find((one) => one.replaceAll('-', '_') === spelling);
  return spellings.map(sent).find((one) => one !== undefined) ?? name;
}

/** The name of a setting in the table, for any of its spellings. */
export function canonicalName(table: SettingsTable, name: string): string {
  const found = Object.entries(table).find(([, { spellings = [] }]) => spellings.includes(name));
  return found?.[0] ?? name;
}

/** All spellings of a setting, for any of them; the one in the table first. */
export function spellingsOf(table: SettingsTable, name: string): readonly string[] {
  const known = canonicalName(table, name);
  return [known, ...(table[known]?.spellings ?? [])];
}

/**
 * All validation errors of a request, with the paths that it has. `parseErrors` are those of its fields, `checkErrors` those of the checks
 * after that: about a field that is invalid anyway, they only follow from the first error.
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
