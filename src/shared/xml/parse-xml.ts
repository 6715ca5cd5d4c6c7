import { SaxesParser } from 'saxes';
import { isVencError, VencError } from '../errors.js';

/** A position in a text; both numbers start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * An element of an XML request, without namespace prefixes: no two names in a request differ only by them.
 */
export interface XmlElement {
  readonly name: string;
  /** `type="array"`. */
  readonly isArray: boolean;
  /** `nil="true"`. */
  readonly isNil: boolean;
  /** Its own text with all whitespace; empty if there are children. */
  readonly text: string;
  readonly children: readonly XmlElement[];
  /** The position of its start tag. */
  readonly place: TextPosition;
}

/** The error for well-formed XML that is not a valid request. `what` is a clause without a full stop. */
export function invalidXmlError(what: string, { line, column }: TextPosition): VencError {
  return new VencError('UnparsableBodyError', `The XML body, line ${line}, column ${column}: ${what}.`);
}

/** A name from a request, as shown in messages: short, and on one line. */
export function displayName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
}

/** The result of parsing: the root element, or why and where the text is not well-formed. */
type XmlParseResult =
  | { readonly root: XmlElement }
  | { readonly syntaxError: { readonly what: string; readonly place: TextPosition } };

/** Deeper than any request, and shallow enough for recursive functions. */
const maxDepth = 32;
/**
 * More than a request with a hundred outputs and every setting has. A megabyte of empty elements would keep
 * the daemon busy.
 */
const maxElements = 50_000;
const maxAttributes = 32;

/** An element whose end tag was not read yet. */
interface OpenElement {
  readonly name: string;
  readonly place: TextPosition;
  readonly children: XmlElement[];
  isArray: boolean;
  isNil: boolean;
  text: string;
}

/**
 * Parses XML 1.0. Skips comments and processing instructions; CDATA is text. Throws `UnparsableBodyError` for
 * what no request may contain: a DOCTYPE (and therefore custom entities), text next to elements, and more
 * depth, elements or attributes than any request needs.
 */
export function parseXml(text: string): XmlParseResult {
  const parser = new SaxesParser({ position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const open: OpenElement[] = [];
  const here = (): TextPosition => ({ line: parser.line, column: Math.max(parser.column, 1) });
  let root: XmlElement | undefined;
  let elementCount = 0;
  let attributeCount = 0;

  parser.on('doctype', () => {
    throw invalidXmlError('a DOCTYPE is not supported, nor are entities', here());
  });
  parser.on('opentagstart', ({ name }) => {
    const place = { line: parser.line, column: Math.max(parser.column - name.length - 1, 1) };
    elementCount += 1;
    attributeCount = 0;
    if (open.length === maxDepth)
      throw invalidXmlError(`elements are nested more than ${maxDepth} deep`, place);
    if (elementCount > maxElements)
      throw invalidXmlError(`there are more than ${maxElements} elements`, place);
    open.push({ name: localName(name), place, children: [], isArray: false, isNil: false, text: '' });
  });
  parser.on('attribute', ({ name, value }) => {
    const element = open.at(-1);
    attributeCount += 1;
    if (element === undefined) return;
    if (attributeCount > maxAttributes) {
      throw invalidXmlError(`an element has more than ${maxAttributes} attributes`, element.place);
    }
    const plain = value.trim();
    if (localName(name) === 'type') element.isArray = plain === 'array';
    if (localName(name) === 'nil') element.isNil = plain === 'true' || plain === '1';
  });
  const addText = (part: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed === undefined) return;
    const element = ended(closed);
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });

  try {
    parser.write(text).close();
  } catch (error) {
    if (isVencError(error)) throw error;
    return { syntaxError: { what: reason(error), place: here() } };
  }
  return root === undefined ? { syntaxError: { what: 'there is no element', place: here() } } : { root };
}

function ended(element: OpenElement): XmlElement {
  if (element.children.length === 0) return element;
  if (element.text.trim() !== '') {
    throw invalidXmlError(`${displayName(element.name)} has text next to elements`, element.place);
  }
  return { ...element, text: '' };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '').slice(0, 200) : 'it cannot be parsed';
}
