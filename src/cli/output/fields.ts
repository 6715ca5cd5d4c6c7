import { VencError } from '../../shared/errors.js';
import { jsonText } from '../../shared/text/json-text.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { isObject } from '../../shared/util/is-object.js';
import { createTextColours } from './paint.js';
import { type TableStyle, table } from './table.js';

type Tree = { readonly [name: string]: Tree };

/** Paths of `--fields a,b.c`, in order. Throws `UsageError` where one is empty. */
export function parseFields(text: string): readonly string[] {
  const paths = text.split(',').map((path) => path.trim());
  if (paths.some((path) => !/^[^.]+(\.[^.]+)*$/.test(path))) {
    throw new VencError('UsageError', `--fields takes names with commas between them, not "${text}".`, {
      hint: 'for example --fields id,state,output_media_files.url',
    });
  }
  return paths;
}

/**
 * The record with only the fields that the paths name, nested as it was; lists keep their items. What a record
 * lacks is null, so that every record has the same shape.
 */
export function project(value: unknown, paths: readonly string[]): unknown {
  return pick(value, treeOf(paths));
}

/** The value at one path; within lists, the values of all items. */
export function valueAt(value: unknown, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path));
  const found = isObject(value) ? (value[name] ?? null) : null;
  return rest.length === 0 ? found : valueAt(found, rest.join('.'));
}

/** Refuses paths that lead to a field which neither the document (`known`) nor an answer has. Throws `UsageError`. */
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
      // Nothing is known of what an empty list or a missing value would have held.
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
  // A field that is asked for whole as well as in part is given whole.
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

/** Chosen fields of one record, one a line, with exact values. */
export function fieldTable(answer: unknown, paths: readonly string[], hasColour: boolean): string {
  const rows = paths.map((path) => ({ path, value: plain(valueAt(answer, path)) }));
  const columns = [
    { title: 'FIELD', priority: 1, text: (row: (typeof rows)[number]) => row.path },
    { title: 'VALUE', priority: 2, text: (row: (typeof rows)[number]) => row.value },
  ];
  return table(columns, rows, Number.POSITIVE_INFINITY, createTextColours(hasColour));
}

/** Chosen fields of many records as a table, with exact values; those named first are the last to be dropped. */
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
