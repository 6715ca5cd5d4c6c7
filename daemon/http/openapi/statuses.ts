import { type ErrorClass, errorClasses } from '../../../src/shared/error-classes.js';
import type { Representation, Route } from '../../../src/shared/routes.js';

/** What is known of a route when its refusals are derived. */
interface Told {
  readonly route: Route;
  /** The form that the address itself names, as `.json` does; `format` says nothing then. null where it names none. */
  readonly suffix: Representation | null;
}

/** A status that a request is refused with. */
export interface Refusal {
  readonly status: number;
  /** Name of the response among the components. */
  readonly name: string;
  /** What it means, in sentences. */
  readonly text: string;
  readonly occursAt: (told: Told) => boolean;
}

const hasId = ({ route }: Told) => route.path.includes(':id');
const hasToken = ({ route }: Told) => route.path.includes(':token');
const hasBody = ({ route }: Told) => route.takes !== undefined;
/** What can happen anywhere is told once and for all. */
const never = () => false;
/** A form that the route has not is asked for with `format` alone: other suffixes make other addresses. */
const hasFormat = ({ route, suffix }: Told) => suffix === null && route.representations.length > 0;
const hasCallback = ({ route, suffix }: Told) =>
  suffix === null ? route.representations.includes('jsonp') : suffix === 'jsonp';
const takes = (what: Route['takes']) => (told: Told) => told.route.takes === what;
const changesJob = ({ route }: Told) => route.status === 204;
const isStream = ({ route }: Told) => route.content === 'text/event-stream';

/** Every refusal, with the rule that tells at which routes it occurs. */
export const refusals = [
  {
    status: 400,
    name: 'BadRequest',
    text: meaning('UnparsableBodyError', 'InvalidCallbackError'),
    occursAt: (told) => hasBody(told) || hasCallback(told),
  },
  {
    status: 401,
    name: 'Unauthorized',
    text: meaning('UnauthorizedError'),
    occursAt: (told) => told.route.key !== 'none' && !hasId(told),
  },
  {
    status: 403,
    name: 'Forbidden',
    text: meaning('ForbiddenError', 'ResubmitLimitError'),
    occursAt: ({ route }) => route.key === 'full',
  },
  {
    status: 404,
    name: 'NotFound',
    text: meaning('NotFoundError'),
    occursAt: (told) => hasId(told) || hasToken(told) || hasFormat(told),
  },
  { status: 405, name: 'MethodNotAllowed', text: meaning('MethodNotAllowedError'), occursAt: never },
  { status: 408, name: 'RequestTimeout', text: 'The body stopped coming.', occursAt: takes('file') },
  {
    status: 409,
    name: 'Conflict',
    text: meaning('ConflictError'),
    occursAt: (told) => changesJob(told) || takes('job')(told),
  },
  {
    status: 410,
    name: 'Gone',
    text: meaning('GoneError'),
    occursAt: (told) => hasId(told) || hasToken(told),
  },
  { status: 413, name: 'PayloadTooLarge', text: meaning('PayloadTooLargeError'), occursAt: takes('job') },
  {
    status: 415,
    name: 'UnsupportedMediaType',
    text: meaning('UnsupportedMediaTypeError'),
    occursAt: hasBody,
  },
  { status: 416, name: 'RangeNotSatisfiable', text: 'The file has no such bytes.', occursAt: hasToken },
  {
    status: 422,
    name: 'UnprocessableContent',
    text: meaning('InvalidRequestError'),
    occursAt: (told) => hasBody(told) || told.route.query !== undefined,
  },
  {
    status: 429,
    name: 'TooManyRequests',
    text: meaning('TooManyRequestsError'),
    occursAt: ({ route }) => route.key !== 'none',
  },
  { status: 500, name: 'InternalServerError', text: meaning('InternalError'), occursAt: never },
  {
    status: 503,
    name: 'ServiceUnavailable',
    text: meaning('UnavailableError', 'OutOfSpaceError'),
    occursAt: (told) => hasBody(told) || changesJob(told) || isStream(told),
  },
] as const satisfies readonly Refusal[];

function meaning(...classes: readonly ErrorClass[]): string {
  return classes.map((name) => errorClasses[name].meaning).join(' Or: ');
}
