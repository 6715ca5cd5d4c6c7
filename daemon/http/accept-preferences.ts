import { parseAccept } from 'hono/utils/accept';
import { VencError } from '../../src/shared/errors.js';
import type { Representation, Route } from '../../src/shared/routes.js';
import type { RequestPath } from './request-path.js';

/** What a request says about the form of its answer. */
export interface AcceptPreferences {
  readonly suffix: RequestPath['suffix'];
  /** `format` of the query; null where there is none. */
  readonly format: string | null;
  /** The header `Accept`. */
  readonly accept: string | undefined;
}

const formats: Readonly<Record<string, Representation>> = { json: 'json', xml: 'xml', js: 'jsonp' };
const xmlTypes = ['application/xml', 'text/xml'];
const jsonTypes = ['application/json', 'application/*', '*/*', '*'];

/**
 * The form in which a request is answered: its suffix decides, then `format`, then `Accept`, and JSON where none of them says anything.
 * Throws `NotFoundError` where the suffix or `format` names a form that the route has not (contract, section 1).
 */
export function representationOf(
  route: Pick<Route, 'representations'>,
  preferences: AcceptPreferences,
): Representation {
  // What is no record has one form only, and what its query says is its own affair.
  const isRecord = route.representations.length > 0;
  const named = preferences.suffix ?? (isRecord ? preferences.format : null);
  if (named === null || named === '') return isXmlWanted(preferences.accept, route) ? 'xml' : 'json';
  const requestedFormat = formats[named.toLowerCase()];
  if (requestedFormat !== undefined && route.representations.includes(requestedFormat))
    return requestedFormat;
  throw new VencError('NotFoundError', `There is no "${named.slice(0, 20)}" form of this address.`, {
    hint: 'Use .json or .xml.',
  });
}

/** The form of a refusal, whether or not the route has it: XML for who asked for XML, else JSON. */
export function errorRepresentation(preferences: AcceptPreferences): 'json' | 'xml' {
  const named = preferences.suffix ?? preferences.format;
  if (named === null || named === '') return isXmlWanted(preferences.accept, anyRecord) ? 'xml' : 'json';
  return named === 'xml' ? 'xml' : 'json';
}

const anyRecord = { representations: ['json', 'xml'] } as const;

function isXmlWanted(accept: string | undefined, route: Pick<Route, 'representations'>): boolean {
  // Most say nothing, */* or JSON: no parsing for them.
  if (accept === undefined || !accept.toLowerCase().includes('xml')) return false;
  if (!route.representations.includes('xml')) return false;
  const known = parseAccept(accept)
    .map(({ type, q }) => ({ type: type.toLowerCase(), q }))
    .filter(({ type, q }) => q > 0 && (xmlTypes.includes(type) || jsonTypes.includes(type)));
  // The greatest q first, and a type that is named before one with a star; sorting keeps their order otherwise.
  const [best] = known.toSorted((a, b) => b.q - a.q || stars(a.type) - stars(b.type));
  return best !== undefined && xmlTypes.includes(best.type);
}

function stars(type: string): number {
  return type.includes('*') ? 1 : 0;
}
