import type { TextPosition } from './element.js';
import { parseXml } from './parse-xml.js';
import { requestFromXml } from './request-from-xml.js';

/** What became of the text of an XML request: its value as JSON has it, or why it is no XML at all and where that shows. */
export type XmlRequestParseResult =
  | { readonly value: unknown }
  | { readonly syntaxError: { readonly what: string; readonly place: TextPosition } };

/** Reads an XML request. Throws `UnparsableBodyError` for XML that is none. */
export function readXmlRequest(text: string): XmlRequestParseResult {
  const result = parseXml(text);
  return 'root' in result ? { value: requestFromXml(result.root) } : result;
}
