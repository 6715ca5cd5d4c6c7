import { SaxesParser } from 'saxes';
import { isVencError } from '../../../../src/shared/errors.js';
import { displayName, invalidXmlError, type TextPosition, type XmlElement } from './element.js';

/** What became of a text: its root, or why it is not well-formed and where that shows, which is for the caller to judge. */
export type XmlParseResult =
  | { readonly root: XmlElement }
  | { readonly syntaxError: { readonly what: string; readonly place: TextPosition } };

/** Deeper than any request, and no depth that would trouble what reads it. */
const maxDepth = 32;
/** More than a request with a hundred outputs and every setting has. A megabyte of empty elements would keep the daemon busy. */
const maxElements = 50_000;
const maxAttributes = 32;

/** An element whose end has not been seen. */
interface OpenElement {
  readonly name: string;
  readonly place: TextPosition;
  readonly children: XmlElement[];
  isArray: boolean;
  isNil: boolean;
  text: string;
}

/**
 * Reads XML 1.0. Comments and processing instructions are passed over, CDATA is text. Throws `UnparsableBodyError` for what no request
 * may have: a DOCTYPE (and so entities of its own), text beside elements, more depth, elements or attributes than any request needs.
 */
export function parseXml(text: string): XmlParseResult {
  const parser = new SaxesParser({ position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const open: OpenElement[] = [];
  const here = (): TextPosition => ({ line: parser.line, column: Math.max(parser.column, 1) });
  let root: XmlElement | undefined;
  let elementCount = 0;
  let attributeCount = 0;

  parser.on('doctype', () => {
    throw invalidXmlError('a DOCTYPE is not taken, nor are entities', here());
  });
  parser.on('opentagstart', ({ name }) => {
    const place = { line: parser.line, column: Math.max(parser.column - name.length - 1, 1) };
    elementCount += 1;
    attributeCount = 0;
    if (open.length === maxDepth) throw invalidXmlError(`elements lie more than ${maxDepth} deep`, place);
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
    throw invalidXmlError(`${displayName(element.name)} has text beside elements`, element.place);
  }
  return { ...element, text: '' };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '').slice(0, 200) : 'it cannot be parsed';
}
