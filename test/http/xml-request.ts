import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { readXmlRequest } from '../../src/shared/xml/read-xml-request.js';

/** Limits for reading requests. */
export const limits = { maxOutputs: 50 };
/** A valid input. */
export const input = 'http://example.com/in.mp4?a=1&b=2';

/** Asserts that an XML request and a JSON body are parsed to the same settings, validation errors and unknown fields. */
export function areEquivalent(xml: string, json: unknown): void {
  assert.equal(parseJobRequest(fromXml(xml), limits), parseJobRequest(json, limits), xml);
}

/** The value of an XML request; throws if it is rejected or not XML. */
export function fromXml(text: string): unknown {
  const reading = readXmlRequest(text);
  if ('value' in reading) return reading.value;
  const { what, place } = reading.syntaxError;
  throw new Error(`line ${place.line}, column ${place.column}: ${what}`);
}

/** A request with these elements in its root. */
export function request(...elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<api-request>${elements.join('')}</api-request>`;
}

/** How a value is written. */
export interface XmlStyle {
  /** `type` on lists and on all values that are not strings. */
  readonly isTyped: boolean;
  /** `-` for `_`. */
  readonly isHyphened: boolean;
  /** Every element on its own line. */
  readonly isIndented: boolean;
}

/** A JSON body in the XML form of the service document. `asIs` lists the names that a client chose. */
export function toRequestXml(body: object, style: XmlStyle, asIs: readonly string[] = []): string {
  const name = (word: string): string =>
    style.isHyphened && !asIs.includes(word) ? word.replaceAll('_', '-') : word;
  const write = (tag: string, value: unknown, depth: number): string => {
    const gap = style.isIndented ? `\n${'  '.repeat(depth)}` : '';
    const type = style.isTyped ? typeOf(value) : '';
    if (value === null) return `${gap}<${tag} nil="true"/>`;
    if (typeof value !== 'object') return `${gap}<${tag}${type}>${escaped(String(value))}</${tag}>`;
    const inner = Array.isArray(value)
      ? value.map((entry) => write(tag.replace(/s$/, ''), entry, depth + 1))
      : Object.entries(value).map(([key, entry]) => write(name(key), entry, depth + 1));
    return `${gap}<${tag}${type}>${inner.join('')}${gap}</${tag}>`;
  };
  return write('api-request', body, 0).trimStart();
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return ' type="array"';
  if (typeof value === 'boolean') return ' type="boolean"';
  if (typeof value !== 'number') return '';
  return Number.isInteger(value) ? ' type="integer"' : ' type="float"';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
