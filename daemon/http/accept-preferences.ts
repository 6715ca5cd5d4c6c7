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

const formats: Readonly<Record<string, Representation>> = {
  json: 'json',
  xml: 'xml',
  js: 'jsonp',
  txt: 'text',
};
const typeRepresentations: Readonly<Record<string, Representation>> = {
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/plain': 'text',
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  '*': 'json',
};

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
  if (named === null || named === '') return acceptedRepresentation(preferences.accept, route);
  const requestedFormat = formats[named.toLowerCase()];
  if (requestedFormat !== undefined && route.representations.includes(requestedFormat))
    return requestedFormat;
  throw new VencError('NotFoundError', `This address has no "${named.slice(0, 20)}" representation.`, {
    hint: 'Use .json or .xml.',
  });
}

/** Whether a route has a path with this suffix; every route has one without a suffix. */
export function hasSuffix(route: Pick<Route, 'representations'>, suffix: RequestPath['suffix']): boolean {
  const representation = suffix === null ? null : formats[suffix];
  return (
    representation === null ||
    (representation !== undefined && route.representations.includes(representation))
  );
}

/**
 * The representation of an error, whether or not the route has it: XML if the client asked for XML, else
 * JSON.
 */
export function errorRepresentation(preferences: AcceptPreferences): 'json' | 'xml' {
  const named = preferences.suffix ?? preferences.format;
  if (named === null || named === '')
    return acceptedRepresentation(preferences.accept, anyRecord) === 'xml' ? 'xml' : 'json';
  return named === 'xml' ? 'xml' : 'json';
}

const anyRecord = { representations: ['json', 'xml'] } as const;

/** The representation that the header `Accept` prefers; JSON unless it prefers another one that the route has. */
function acceptedRepresentation(
  accept: string | undefined,
  { representations }: Pick<Route, 'representations'>,
): Representation {
  // Most clients send nothing, */* or JSON, which need no parsing.
  if (accept === undefined || !/xml|text\/plain/i.test(accept)) return 'json';
  const known = parseAccept(accept).flatMap(({ type, q }) => {
    const representation = typeRepresentations[type.toLowerCase()];
    return q > 0 && representation !== undefined && representations.includes(representation)
      ? [{ type, q, representation }]
      : [];
  });
  // Highest q first, and exact types before wildcards; sorting is stable otherwise.
  const [best] = known.toSorted((a, b) => b.q - a.q || stars(a.type) - stars(b.type));
  return best?.representation ?? 'json';
}

function stars(type: string): number {
  return type.includes('*') ? 1 : 0;
}
