import { VencError } from '../../shared/errors.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { isObject } from '../../shared/util/is-object.js';
import { createTextColours } from './paint.js';
import { type TableStyle, table } from './table.js';

type Tree = { readonly [name: string]: Tree };

/** Parses `--fields a,b.c` to paths, in order. Throws `UsageError` if one is empty. */
export function parseFields(text: string): readonly string[] {
  const paths = text.split(',').map((path) => path.trim());
  if (paths.some((path) => !/^[^.]+(\.[^.]+)*$/.test(path))) {
    throw new VencError('UsageError', `--fields takes comma-separated names, not "${text}".`, {
      hint: 'for example --fields id,state,output_media_files.url',
    });
  }
  return paths;
}

/**
 * Reduces a record to the fields that the paths name, with the same nesting; lists keep all items. Missing fields
 * become null, so that all records have the same shape.
 */
export function project(value: unknown, paths: readonly string[]): unknown {
  return pick(value, treeOf(paths));
}

/** The value at a path; for lists, the values of all items. */
export function valueAt(value: unknown, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path));
  const found = isObject(value) ? (value[name] ?? null) : null;
  return rest.length === 0 ? found : valueAt(found, rest.join('.'));
}

/** Throws `UsageError` for paths to a field that neither the document (`known`) nor an answer has. */
export function checkFields(paths: readonly string[], known: object, answers: readonly unknown[]): void {
  for (const path of paths) checkPath(path, [known, ...answers]);
}

function checkPath(path: string, roots: readonly unknown[]): void {
  let within = roots;
  let parent = '';
  for (const name of path.split('.')) {
    const objects = within.flat().filter(isObject);
    const names = new Set(objects.flatMap((object) => Object.keys(object)));
    if (!names.has(name)) {
      // The fields of empty lists and missing values are unknown.
      if (names.size === 0 && within.flat().every((value) => value === null)) return;
      throw unknownField(path, name, parent, [...names]);
    }
    within = objects.map((object) => object[name] ?? null);
    parent += `${name}.`;
  }
}

function unknownField(path: string, name: string, parent: string, names: readonly string[]): VencError {
  const suggestions = findSuggestions(name, names);
  const subject = parent === '' ? 'there are' : `${parent.slice(0, -1)} has`;
  const all = `${subject} ${names.length === 0 ? 'no fields within' : names.join(', ')}`;
  const suggestion = suggestions.map((one) => `${parent}${one}`).join(', ');
  return new VencError('UsageError', `There is no field "${path}".`, {
    hint: suggestions.length === 0 ? all : `did you mean ${suggestion}? ${all}`,
  });
}

function treeOf(paths: readonly string[]): Tree {
  const below = new Map<string, readonly string[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    below.set(name, [...(below.get(name) ?? []), rest.join('.')]);
  }
  // A field that is requested both as a whole and in part is returned as a whole.
  return Object.fromEntries(
    [...below].map(([name, rests]) => [name, rests.includes('') ? {} : treeOf(rests)]),
  );
}

function pick(value: unknown, tree: Tree): unknown {
  if (Object.keys(tree).length === 0) return value ?? null;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  const fields = isObject(value) ? value : {};
  return Object.fromEntries(Object.entries(tree).map(([name, below]) => [name, pick(fields[name], below)]));
}

/** Selected fields of one record, one per line, with exact values. */
export function fieldTable(answer: unknown, paths: readonly string[], hasColour: boolean): string {
  const rows = paths.map((path) => ({ path, value: plain(valueAt(answer, path)) }));
  const columns = [
    { title: 'FIELD', priority: 1, text: (row: (typeof rows)[number]) => row.path },
    { title: 'VALUE', priority: 2, text: (row: (typeof rows)[number]) => row.value },
  ];
  return table(columns, rows, Number.POSITIVE_INFINITY, createTextColours(hasColour));
}

/**
 * Selected fields of many records as a table with exact values. On narrow terminals the last fields are dropped first.
 */
export function fieldsTable(
  answers: readonly unknown[],
  paths: readonly string[],
  { width, hasColour }: TableStyle,
): string {
  const columns = paths.map((path, index) => ({
    title: path.toUpperCase(),
    priority: paths.length - index,
    minWidth: 8,
    text: (answer: unknown) => plain(valueAt(answer, path)),
  }));
  return table(columns, answers, width, createTextColours(hasColour));
}

/** An exact value in one line. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plain).join(',');
  return typeof value === 'object' ? jsonText(value) : String(value);
}
