import { parseAccept } from 'hono/utils/accept';
import { VencError } from '../../src/shared/errors.js';
import type { Representation, Route } from '../../src/shared/routes.js';
import type { RequestPath } from './request-path.js';

/** What a request says about the representation of its answer. */
export interface AcceptPreferences {
  readonly suffix: RequestPath['suffix'];
  /** `format` in the query; null if there is none. */
  readonly format: string | null;
  /** The header `Accept`. */
  readonly accept: string | undefined;
}

const formats: Readonly<Record<string, Representation>> = { json: 'json', xml: 'xml', js: 'jsonp' };
const xmlTypes = ['application/xml', 'text/xml'];
const jsonTypes = ['application/json', 'application/*', '*/*', '*'];

/**
 * The representation of the answer: the suffix decides, then `format`, then `Accept`, and JSON if none of
 * them says anything. Throws `NotFoundError` if the suffix or `format` names a representation that the route
 * does not have (contract, section 1).
 */
export function representationOf(
  route: Pick<Route, 'representations'>,
  preferences: AcceptPreferences,
): Representation {
  // An answer that is not a record has only one representation, and its query is its own.
  const isRecord = route.representations.length > 0;
  const named = preferences.suffix ?? (isRecord ? preferences.format : null);
  if (named === null || named === '') return isXmlWanted(preferences.accept, route) ? 'xml' : 'json';
  const requestedFormat = formats[named.toLowerCase()];
  if (requestedFormat !== undefined && route.representations.includes(requestedFormat))
    return requestedFormat;
  throw new VencError('NotFoundError', `This address has no "${named.slice(0, 20)}" representation.`, {
    hint: 'Use .json or .xml.',
  });
}

/**
 * The representation of an error, whether or not the route has it: XML if the client asked for XML, else
 * JSON.
 */
export function errorRepresentation(preferences: AcceptPreferences): 'json' | 'xml' {
  const named = preferences.suffix ?? preferences.format;
  if (named === null || named === '') return isXmlWanted(preferences.accept, anyRecord) ? 'xml' : 'json';
  return named === 'xml' ? 'xml' : 'json';
}

const anyRecord = { representations: ['json', 'xml'] } as const;

function isXmlWanted(accept: string | undefined, route: Pick<Route, 'representations'>): boolean {
  // Most clients send nothing, */* or JSON, which need no parsing.
  if (accept === undefined || !accept.toLowerCase().includes('xml')) return false;
  if (!route.representations.includes('xml')) return false;
  const known = parseAccept(accept)
    .map(({ type, q }) => ({ type: type.toLowerCase(), q }))
    .filter(({ type, q }) => q > 0 && (xmlTypes.includes(type) || jsonTypes.includes(type)));
  // Highest q first, and exact types before wildcards; sorting is stable otherwise.
  const [best] = known.toSorted((a, b) => b.q - a.q || stars(a.type) - stars(b.type));
  return best !== undefined && xmlTypes.includes(best.type);
}

function stars(type: string): number {
  return type.includes('*') ? 1 : 0;
}
