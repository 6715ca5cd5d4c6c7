import type { ArrayField, Field, RecordTable } from './records/field.js';
import { isObject } from './util/is-object.js';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const root = 'api-response';
/** The value of the attribute `type`; texts and objects have none. */
const typeNames: Readonly<Partial<Record<Field['type'], string>>> = {
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  array: 'array',
};

/**
 * Converts a record to the XML form of the service (section 4.1), by the table of its fields. Elements have the names
 * of the JSON fields. All values except texts and objects have an attribute `type`; null has `nil="true"`; the
 * entries of a list are elements with the singular name. Fields that are missing in the table or in the record are
 * omitted. There is no whitespace between elements, so that no reader takes a line break for a value.
 */
export function toXml(record: unknown, shape: Field): string {
  const content =
    shape.type === 'array' && shape.name !== undefined
      ? elementOf(shape.name, record, shape)
      : contentOf(record, shape);
  return `${declaration}\n<${root}>${content}</${root}>\n`;
}

function elementOf(name: string, value: unknown, field: Field): string {
  const type = typeNames[field.type];
  const start = type === undefined ? `<${name}` : `<${name} type="${type}"`;
  if (isNullish(value)) return `${start} nil="true"/>`;
  const content = contentOf(value, field);
  return content === '' ? `${start}/>` : `${start}>${content}</${name}>`;
}

function contentOf(value: unknown, field: Field): string {
  switch (field.type) {
    case 'object':
      return fieldsOf(value, field.fields);
    case 'array':
      return entriesOf(value, field);
    default:
      return escapeXml(String(value));
  }
}

function fieldsOf(value: unknown, table: RecordTable): string {
  if (!isObject(value)) return '';
  let content = '';
  for (const [name, field] of Object.entries(table)) {
    const source = value[name];
    if (source !== undefined) content += elementOf(name, source, field);
  }
  return content;
}

function entriesOf(value: unknown, { of, item }: ArrayField): string {
  if (!Array.isArray(value)) return '';
  const inner = wrapIn(of, item);
  return value
    .map((entry: unknown) =>
      inner === undefined || !isObject(entry)
        ? elementOf(item, entry, of)
        : elementOf(item, entry[item], inner),
    )
    .join('');
}

/** The inner field of `{"job": ...}`, if an entry is an object whose only field has the name of its element. */
function wrapIn(of: Field, item: string): Field | undefined {
  return of.type === 'object' && Object.keys(of.fields).length === 1 ? of.fields[item] : undefined;
}

/** JSON has null for NaN and infinite numbers, and XML does the same. */
function isNullish(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value));
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
// A carriage return is escaped, because readers convert it to a line feed. The other matches are characters that XML
// 1.0 cannot represent.
const specialCharacters = /[&<>\r]|[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A text as the content or an attribute value of XML. */
export function escapeXml(text: string): string {
  return text.replace(specialCharacters, (character) => marks[character] ?? '\uFFFD');
}

/** The characters that the predefined entities of XML stand for. */
export function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
