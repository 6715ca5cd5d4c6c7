import { VencError } from '../../../../src/shared/errors.js';

/** A place in a text: both count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** An element of an XML request. Prefixes of namespaces are taken off: no two things of a request differ by them alone. */
export interface XmlElement {
  readonly name: string;
  /** `type="array"`. */
  readonly isArray: boolean;
  /** `nil="true"`. */
  readonly isNil: boolean;
  /** Its own text with all blanks; empty where there are children. */
  readonly text: string;
  readonly children: readonly XmlElement[];
  /** Where it begins. */
  readonly place: TextPosition;
}

/** A refusal of XML that is well-formed, and yet no request. `what` is a clause without a full stop. */
export function invalidXmlError(what: string, { line, column }: TextPosition): VencError {
  return new VencError('UnparsableBodyError', `The XML body, line ${line}, column ${column}: ${what}.`);
}

/** A name of the client's own as messages show it: short, and on one line. */
export function displayName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
}
