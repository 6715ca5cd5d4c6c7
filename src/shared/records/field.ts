/**
 * What all kinds of fields have in common. Tables of fields are the single source for the types of records, their XML
 * form and the OpenAPI document. The keys of a table are the names of the service, in the order of its tables.
 */
interface FieldText {
  /** The meaning of the field, with its unit: a noun phrase without a full stop. */
  readonly description: string;
  /** Whether it may be null. */
  readonly isNullable?: true;
  /** Whether it may be missing. */
  readonly isOptional?: true;
}

/** A number: `integer` for whole numbers. */
interface NumberField extends FieldText {
  readonly type: 'integer' | 'number';
  /** Words that it may be instead of a number. */
  readonly words?: readonly string[];
  /** Bounds, which only requests have. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** True or false. */
interface BooleanField extends FieldText {
  readonly type: 'boolean';
}

/** A text; one of `values` if present. */
interface TextField extends FieldText {
  readonly type: 'string';
  readonly values?: readonly string[];
  /** `date-time`: ISO 8601 in UTC; `date`: YYYY-MM-DD. */
  readonly format?: 'date-time' | 'date' | 'uri';
  /** A regular expression, and the maximum length in characters. Only requests have these. */
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** An object with nested fields. */
export interface ObjectField extends FieldText {
  readonly type: 'object';
  readonly fields: RecordTable;
  /** Whether it may have fields that the table does not list. */
  readonly isOpen?: true;
}

/** A list. */
export interface ArrayField extends FieldText {
  readonly type: 'array';
  readonly of: Field;
  /**
   * Element name of one entry in XML. An entry that is an object whose only field has this name is not wrapped twice:
   * `[{"job": {...}}]` is `<job>...</job>`.
   */
  readonly item: string;
  /** Element name of the list in XML, if the list is the whole response and has no name in JSON. */
  readonly name?: string;
  /** Maximum number of entries, which only requests have. */
  readonly maxItems?: number;
}

/** One field. */
export type Field = NumberField | BooleanField | TextField | ObjectField | ArrayField;

/** The fields of a record by name. */
export type RecordTable = Readonly<Record<string, Field>>;

type BaseValue<F> = F extends { type: 'integer' | 'number' }
  ? number | (F extends { words: readonly (infer W)[] } ? W : never)
  : F extends { type: 'boolean' }
    ? boolean
    : F extends { type: 'string'; values: readonly (infer V)[] }
      ? V
      : F extends { type: 'string' }
        ? string
        : F extends { type: 'object'; fields: infer T extends RecordTable }
          ? RecordOf<T>
          : F extends { type: 'array'; of: infer O }
            ? readonly ValueOfField<O>[]
            : never;

/** The type of the value of a field. */
type ValueOfField<F> = BaseValue<F> | (F extends { isNullable: true } ? null : never);

type OptionalNames<T extends RecordTable> = {
  [K in keyof T]: T[K] extends { isOptional: true } ? K : never;
}[keyof T];

/** The type of a record with these fields. */
export type RecordOf<T extends RecordTable> = {
  readonly [K in Exclude<keyof T, OptionalNames<T>>]: ValueOfField<T[K]>;
} & { readonly [K in OptionalNames<T>]?: ValueOfField<T[K]> };
