import type { Place } from './element.js';
import { parseXml } from './parse-xml.js';
import { requestOf } from './xml-to-request.js';

/** What became of the text of an XML request: its value as JSON has it, or why it is no XML at all and where that shows. */
export type XmlRequestReading =
  | { readonly value: unknown }
  | { readonly mistake: { readonly what: string; readonly place: Place } };

/** Reads an XML request. Throws `UnparsableBodyError` for XML that is none. */
export function readXmlRequest(text: string): XmlRequestReading {
  const reading = parseXml(text);
  return 'root' in reading ? { value: requestOf(reading.root) } : reading;
}
