import { jobTable, outputTable } from '../settings/index.js';
import { kinds } from '../settings/kinds/groups.js';
import type { Setting } from '../settings/setting.js';
import { memoizeByKey } from '../util/collections.js';
import { displayName, invalidXmlError, parseXml, type TextPosition, type XmlElement } from './parse-xml.js';

/**
 * The result of parsing an XML request: its value as JSON has it, or why and where the text is not
 * well-formed.
 */
type XmlRequestParseResult =
  | { readonly value: unknown }
  | { readonly syntaxError: { readonly what: string; readonly place: TextPosition } };

/** Parses an XML request. Throws `UnparsableBodyError` for well-formed XML that is not a valid request. */
export function readXmlRequest(text: string): XmlRequestParseResult {
  const result = parseXml(text);
  return 'root' in result ? { value: requestFromXml(result.root) } : result;
}

const rootName = 'api-request';

/**
 * What the conversion needs to know of a setting to distinguish text, objects and lists. The rows of the
 * settings tables have it.
 */
type Shape = (
  | { readonly kind: Exclude<Setting['kind'], 'list' | 'object'> }
  | { readonly kind: 'object'; readonly fields: ShapeTable }
  | { readonly kind: 'list'; readonly of: Shape; readonly isSentAlone?: true }
) & { readonly spellings?: readonly string[] };
type ShapeTable = Readonly<Record<string, Shape>>;

/** A value that is neither a list nor an object, and from which surrounding whitespace is trimmed. */
const plain: Shape = { kind: 'unchecked' };
const requestShape: Shape = {
  kind: 'object',
  fields: {
    ...jobTable,
    api_key: plain,
    outputs: { kind: 'list', of: { kind: 'object', fields: outputTable }, spellings: ['output'] },
  },
};

/**
 * Converts an XML request (section 4.1) into its JSON equivalent. The settings tables define the types:
 *
 * - Names may have `-` instead of `_`. Numbers and booleans stay text, which the setting readers accept.
 * - `type="array"` is a list of its children, whatever their names. Without it, an element of a list setting
 *   is a list if all of its children bear its singular name, and so are several sibling elements of one list
 *   setting.
 * - `nil="true"` is null. An empty element is an empty text, object or list, depending on the setting.
 * - Whitespace around a value is trimmed, except for settings of kind `text`.
 *
 * Throws `UnparsableBodyError` for another root element, and for an element that occurs twice but must not.
 */
function requestFromXml(root: XmlElement): unknown {
  if (root.name !== rootName) {
    throw invalidXmlError(`the root must be ${rootName}, not ${displayName(root.name)}`, root.place);
  }
  return valueIn(root, requestShape);
}

function valueIn(element: XmlElement, shape: Shape): unknown {
  if (element.isNil) return null;
  if (element.isArray) return entriesIn(element).map((entry) => valueIn(entry, entryShape(shape)));
  switch (shape.kind) {
    case 'list':
      return isListOfIts(element) && !(shape.isSentAlone && element.children.length === 0)
        ? element.children.map((child) => valueIn(child, shape.of))
        : valueIn(element, shape.of);
    case 'object':
      return isText(element) ? element.text.trim() : fieldsIn(element, shape.fields);
    case 'map':
      return isText(element) ? element.text.trim() : fieldsIn(element, null);
    default: {
      if (element.children.length > 0) return anyValueIn(element);
      const { text } = element;
      return kinds[shape.kind].fromXml?.(text) ?? text.trim();
    }
  }
}

/** The fields of an object, defined by a table, or with any names if `table` is null. */
function fieldsIn(element: XmlElement, table: ShapeTable | null): unknown {
  const found = new Map<string, [XmlElement, ...XmlElement[]]>();
  for (const child of element.children) {
    const name = table === null ? child.name : nameIn(table, child.name);
    const same = found.get(name);
    if (same === undefined) found.set(name, [child]);
    else same.push(child);
  }
  return Object.fromEntries(
    [...found].map(([name, same]) => [name, fieldIn(same, table === null ? plain : shapeIn(table, name))]),
  );
}

/** One field of an object, from all elements with its name. */
function fieldIn(same: readonly [XmlElement, ...XmlElement[]], shape: Shape | undefined): unknown {
  const [first, second] = same;
  if (shape === undefined) return anyValueIn(first);
  if (second === undefined) return valueIn(first, shape);
  if (shape.kind !== 'list' || same.some((element) => element.isArray || isListOfIts(element))) {
    throw invalidXmlError(`${displayName(second.name)} occurs more than once`, second.place);
  }
  return same.map((element) => valueIn(element, shape.of));
}

/**
 * Converts an unknown field, or elements in place of a plain value: they are never read, only named in
 * messages.
 */
function anyValueIn(element: XmlElement): unknown {
  if (element.isNil) return null;
  if (element.isArray) return entriesIn(element).map(anyValueIn);
  return element.children.length === 0
    ? element.text
    : Object.fromEntries(element.children.map((child) => [child.name, anyValueIn(child)]));
}

/** The entries of a list; text in place of entries is one entry. */
function entriesIn(element: XmlElement): readonly XmlElement[] {
  return isText(element) ? [{ ...element, isArray: false }] : element.children;
}

function entryShape(shape: Shape): Shape {
  return shape.kind === 'list' ? shape.of : shape;
}

function isText({ children, text }: XmlElement): boolean {
  return children.length === 0 && text.trim() !== '';
}

/**
 * Whether the names of an element and its children make it a list: `watermarks` contains `watermark`
 * elements, or nothing.
 */
function isListOfIts(element: XmlElement): boolean {
  const name = sanitizeFileName(element.name);
  const singular = name.replace(/s$/, '');
  return element.children.length === 0
    ? singular !== name && !isText(element)
    : element.children.every((child) => sanitizeFileName(child.name) === singular);
}

function sanitizeFileName(name: string): string {
  return name.replaceAll('-', '_');
}

function nameIn(table: ShapeTable, written: string): string {
  const name = sanitizeFileName(written);
  return shapeIn(table, name) === undefined ? written : name;
}

function shapeIn(table: ShapeTable, name: string): Shape | undefined {
  return Object.hasOwn(table, name) ? table[name] : shapesBySpelling(table).get(name);
}

const shapesBySpelling = memoizeByKey(
  (table: ShapeTable) =>
    new Map(
      Object.values(table)
        .toReversed()
        .flatMap((shape) => (shape.spellings ?? []).map((spelling) => [spelling, shape] as const)),
    ),
);
