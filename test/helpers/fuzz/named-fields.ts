import type { Fields } from './generate-request.js';

/*
 * The fields that the errors of an answer name, in the request that was sent.
 */

const pathPattern =
  /^(?:[\w-]+|"(?:[^"\\]|\\.)*")(?:\[\d+\])*(?:\.(?:[\w-]+|"(?:[^"\\]|\\.)*")(?:\[\d+\])*)*/;

/** The path at the start of an error or a warning; empty if there is none. */
export function namedPath(sentence: string): string {
  return pathPattern.exec(sentence)?.[0] ?? '';
}

/** A field that an error names: the object that contains it, and its key. */
interface NamedField {
  readonly container: Fields | unknown[];
  readonly key: string;
}

/** The field at a path of a request; null if the request does not have it. */
export function findField(body: Fields, path: string): NamedField | null {
  const parts = path.match(/\[\d+\]|"(?:[^"\\]|\\.)*"|[\w-]+/g) ?? [];
  let found: NamedField | null = null;
  let value: unknown = body;
  for (const part of parts) {
    if (part.startsWith('[')) {
      const key = part.slice(1, -1);
      // Errors call outputs by number also if the request has one object.
      if (!Array.isArray(value)) {
        if (key === '0') continue;
        return null;
      }
      if (!(key in value)) return null;
      found = { container: value, key };
      value = value[Number(key)];
      continue;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const fields = value as Fields;
    const name: string = part.startsWith('"') ? JSON.parse(part) : part;
    const key = name === 'outputs' && fields === body && !Object.hasOwn(fields, name) ? 'output' : name;
    if (!Object.hasOwn(fields, key)) return null;
    found = { container: fields, key };
    value = fields[key];
  }
  return found;
}

/** Whether an error is about a field that is missing, and so names one that was not sent. */
function isAboutMissing(sentence: string): boolean {
  return /^\S+ (?:is required|must have|must name at least|must be given)/.test(sentence);
}

/** The parent of a path. */
function parentOf(path: string): string {
  return path.replace(/(?:\.(?:[\w-]+|"(?:[^"\\]|\\.)*")|\[\d+\])$/, '');
}

/**
 * Removes from a request what its errors name: the field at the path of each, or the fields of an output that the sentence mentions.
 * Returns false if no error names anything that was sent.
 */
export function removeNamed(body: Fields, errors: readonly string[]): boolean {
  // Found before the first one is removed: an entry that is removed moves those after it.
  const named = errors.flatMap((sentence) => namedFields(body, sentence));
  const entries = named.map(({ container, key }) => ({
    container,
    key,
    value: Reflect.get(container, key) as unknown,
  }));
  for (const { container, key, value } of entries) {
    if (!Array.isArray(container)) Reflect.deleteProperty(container, key);
    else if (container.includes(value)) container.splice(container.indexOf(value), 1);
  }
  return named.length > 0;
}

function namedFields(body: Fields, sentence: string): readonly NamedField[] {
  const path = namedPath(sentence);
  const isOutput = /^outputs(?:\[\d+\])?$/.test(path);
  const field = findField(body, path);
  if (field !== null && !isOutput) return [field];
  // A field of a preset is not in the request: the error names the preset that has it.
  if (field === null && /\b(?:is|are) (?:that|those) of the preset /.test(sentence))
    return [findField(body, `${parentOf(path)}.preset`) ?? findField(body, 'preset') ?? []].flat();
  if (field === null) return isAboutMissing(sentence) ? [findField(body, parentOf(path)) ?? []].flat() : [];
  const output: unknown = Reflect.get(field.container, field.key);
  if (typeof output !== 'object' || output === null) return [];
  const container = output as Fields;
  return Object.keys(container)
    .filter((key) => new RegExp(`\\b${key.replace(/\W/g, '.')}\\b`).test(sentence))
    .map((key) => ({ container, key }));
}

/** The paths of all settings of a request, without those of entries of lists. */
export function fieldsOfRequest(body: Fields): readonly string[] {
  const below = (value: unknown, path: string): readonly string[] => {
    if (Array.isArray(value)) return value.flatMap((entry, index) => below(entry, `${path}[${index}]`));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => {
      const shown =
        name === 'output' && path === ''
          ? 'outputs'
          : /^[\w-]{1,64}$/.test(name)
            ? name
            : JSON.stringify(name);
      const field = path === '' ? shown : `${path}.${shown}`;
      // A single output has an index in paths, and a list has those of its entries.
      return [field, ...below(inner, field === 'outputs' && !Array.isArray(inner) ? 'outputs[0]' : field)];
    });
  };
  return below(body, '');
}
