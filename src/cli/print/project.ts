import { VencError } from '../../api/errors.js';
import { nearMisses } from '../../api/near-misses.js';

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

/** Refuses paths whose first name neither the record nor the document knows. Throws `UsageError`. */
export function checkFields(paths: readonly string[], known: object, answers: readonly unknown[]): void {
  const names = new Set([...Object.keys(known), ...answers.flatMap((answer) => Object.keys(Object(answer)))]);
  const strange = paths.find((path) => !names.has(path.split('.')[0] ?? ''));
  if (strange === undefined) return;
  const near = nearMisses(strange.split('.')[0] ?? '', [...names]);
  const all = `there are ${[...names].join(', ')}`;
  throw new VencError('UsageError', `There is no field "${strange}".`, {
    hint: near.length === 0 ? all : `did you mean ${near.join(', ')}? ${all}`,
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
