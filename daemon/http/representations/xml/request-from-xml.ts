import { jobTable, outputTable } from '../../../../src/shared/settings/index.js';
import type { Setting } from '../../../../src/shared/settings/setting.js';
import { displayName, invalidXmlError, type XmlElement } from './element.js';

const rootName = 'api-request';

type PlainKind = Exclude<Setting['kind'], 'list' | 'object'>;
/** What has to be known of a setting to tell texts, objects and lists apart: the rows of the settings tables have it. */
type Shape = (
  | { readonly kind: PlainKind | 'plain' }
  | { readonly kind: 'object'; readonly fields: ShapeTable; readonly acceptsArray?: true }
  | { readonly kind: 'list'; readonly of: Shape }
) & { readonly spellings?: readonly string[] };
type ShapeTable = Readonly<Record<string, Shape>>;

/** A value that is neither list nor object, and that blanks around it do not belong to. */
const plain: Shape = { kind: 'plain' };
const requestShape: Shape = {
  kind: 'object',
  fields: {
    ...jobTable,
    api_key: plain,
    outputs: { kind: 'list', of: { kind: 'object', fields: outputTable }, spellings: ['output'] },
  },
};

/**
 * An XML request (section 4.1) as its JSON twin would have been parsed. The settings tables tell what is what:
 *
 * - Names may have `-` for `_`. Numbers and booleans stay text, as the readers of settings take them.
 * - `type="array"` is a list of what stands inside, whatever that is called; without it, an element of a list setting whose
 *   children all bear its singular is one too, and so are several elements of one such setting side by side.
 * - `nil="true"` is null. What is empty is an empty text, object or list, as the setting is one or the other.
 * - Blanks around a value are dropped, but for settings of kind `text`.
 *
 * Throws `UnparsableBodyError` for another root, and for an element that is there twice and must not be.
 */
export function requestFromXml(root: XmlElement): unknown {
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
      return isListOfIts(element)
        ? element.children.map((child) => valueIn(child, shape.of))
        : valueIn(element, shape.of);
    case 'object':
      if (shape.acceptsArray && element.children.length > 0 && isListOfIts(element)) {
        return element.children.map((child) => valueIn(child, shape));
      }
      return isText(element) ? element.text.trim() : fieldsIn(element, shape.fields);
    case 'map':
      return isText(element) ? element.text.trim() : fieldsIn(element, null);
    case 'text':
      return element.children.length === 0 ? element.text : anyValueIn(element);
    case 'integer':
    case 'number-choice':
      // Some serializers write every number as a decimal: 64.0 is the whole number that it is in JSON.
      return element.children.length === 0
        ? element.text.trim().replace(/^(-?\d+)\.0+$/, '$1')
        : anyValueIn(element);
    default:
      return element.children.length === 0 ? element.text.trim() : anyValueIn(element);
  }
}

/** The fields of an object by a table, or with any names that the client chose. */
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

/** One field of an object, from all elements that bear its name. */
function fieldIn(same: readonly [XmlElement, ...XmlElement[]], shape: Shape | undefined): unknown {
  const [first, second] = same;
  if (shape === undefined) return anyValueIn(first);
  if (second === undefined) return valueIn(first, shape);
  if (shape.kind !== 'list' || same.some((element) => element.isArray || isListOfIts(element))) {
    throw invalidXmlError(`${displayName(second.name)} is there more than once`, second.place);
  }
  return same.map((element) => valueIn(element, shape.of));
}

/** A field that no table knows, or elements where a plain value belongs: nobody reads these, they are only named. */
function anyValueIn(element: XmlElement): unknown {
  if (element.isNil) return null;
  if (element.isArray) return entriesIn(element).map(anyValueIn);
  return element.children.length === 0
    ? element.text
    : Object.fromEntries(element.children.map((child) => [child.name, anyValueIn(child)]));
}

/** What a list holds; a text in the place of entries is one. */
function entriesIn(element: XmlElement): readonly XmlElement[] {
  return isText(element) ? [{ ...element, isArray: false }] : element.children;
}

function entryShape(shape: Shape): Shape {
  return shape.kind === 'list' ? shape.of : shape;
}

function isText({ children, text }: XmlElement): boolean {
  return children.length === 0 && text.trim() !== '';
}

/** Whether an element, by its own name and those of its children, holds entries: `watermarks` has `watermark` in it, or nothing. */
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
  return Object.hasOwn(table, name)
    ? table[name]
    : Object.values(table).find(({ spellings }) => spellings?.includes(name));
}
