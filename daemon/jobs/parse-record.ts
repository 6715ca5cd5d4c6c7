import { invalidRequest } from '../../src/shared/errors.js';
import type { Field, ObjectField, RecordOf, RecordTable } from '../../src/shared/records/field.js';
import { isObject } from '../../src/shared/util/is-object.js';

/** Maximum number of validation errors that are listed. */
const maxErrors = 20;

/**
 * Reads a message as a record of a table: exact types, no conversions. Members that the table does not list are left
 * out. Throws `InvalidRequestError` with one sentence for each invalid member, which names it. `path` is that of the
 * record in its message.
 */
export function parseRecord<T extends RecordTable>(fields: T, value: unknown, path = ''): RecordOf<T> {
  const errors: string[] = [];
  const name = path === '' ? 'the body' : path;
  const object = { type: 'object', fields, description: name } as const;
  const record = readValue(object, value, { path, name, errors });
  if (errors.length > 0) throw invalidRequest(errors.slice(0, maxErrors));
  // The table describes exactly what was read.
  return record as RecordOf<T>;
}

/** Where a value is, and the errors that were found so far. */
interface Position {
  /** Empty for the whole message. */
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  readonly errors: string[];
}

function readValue(field: Field, value: unknown, position: Position): unknown {
  if (value === null && field.isNullable === true) return null;
  const { errors, name } = position;
  const reject = (rule: string): undefined => {
    errors.push(`${name} must be ${rule}`);
    return undefined;
  };
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : reject('true or false');
    case 'integer':
    case 'number': {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, type } = field;
      const isNumber = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
      const isValid = isNumber && Number(value) >= minimum && Number(value) <= maximum;
      return isValid
        ? value
        : reject(`${type === 'integer' ? 'a whole number' : 'a number'}${rangeOf(field)}`);
    }
    case 'string': {
      const { values, pattern, maxLength = Number.POSITIVE_INFINITY } = field;
      if (typeof value !== 'string') return reject('a text');
      if (values?.includes(value) === false) return reject(`one of ${values.join(', ')}`);
      if (value.length > maxLength) return reject(`a text of at most ${maxLength} characters`);
      if (pattern !== undefined && !new RegExp(pattern).test(value)) return reject(`a text like ${pattern}`);
      return value;
    }
    case 'array':
      if (!Array.isArray(value)) return reject('a list');
      if (value.length > (field.maxItems ?? Number.POSITIVE_INFINITY))
        return reject(`a list of at most ${field.maxItems} entries`);
      return value.map((entry, index) => readValue(field.of, entry, entryOf(position, index)));
    case 'object':
      return isObject(value) ? readFields(field, value, position) : reject('an object');
  }
}

function readFields(
  { fields, isOpen }: ObjectField,
  value: Readonly<Record<string, unknown>>,
  { path, errors }: Position,
): unknown {
  const read = Object.entries(fields).flatMap(([key, field]) => {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    const name = path === '' ? key : `${path}.${key}`;
    if (given !== undefined) return [[key, readValue(field, given, { path: name, name, errors })] as const];
    if (field.isOptional !== true) errors.push(`${name} is missing`);
    return [];
  });
  return { ...(isOpen === true ? value : {}), ...Object.fromEntries(read) };
}

function entryOf({ path, errors }: Position, index: number): Position {
  const name = `${path}[${index}]`;
  return { path: name, name, errors };
}

function rangeOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (minimum === undefined) return maximum === undefined ? '' : ` of at most ${maximum}`;
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}
