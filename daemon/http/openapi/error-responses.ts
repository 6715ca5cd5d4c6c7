import { type ErrorClass, errorClasses } from '../../../src/shared/error-classes.js';
import type { Representation, Route } from '../../../src/shared/routes.js';

/** The facts of a route that decide its error responses. */
interface ErrorCondition {
  readonly route: Route;
  /**
   * The format that the path selects with a suffix such as `.json`, which disables `format`. Null for a path without a
   * suffix.
   */
  readonly suffix: Representation | null;
}

/** An error response. */
export interface ErrorResponse {
  readonly status: number;
  /** Name of the response component. */
  readonly name: string;
  /** What it means, in full sentences. */
  readonly text: string;
  readonly appliesTo: (condition: ErrorCondition) => boolean;
}

const hasId = ({ route }: ErrorCondition) => route.path.includes(':id');
const hasWorkerName = ({ route }: ErrorCondition) => route.path.includes('/workers/:name');
const hasPresetName = ({ route }: ErrorCondition) => route.path.includes('/presets/:name');
const isOfUpload = ({ route }: ErrorCondition) => route.path.includes('/uploads/:name');
const hasToken = ({ route }: ErrorCondition) => route.path.includes(':token');
/** Whether a query can be invalid. A job that does not belong to the named account is missing (404). */
const hasCheckedQuery = (condition: ErrorCondition) =>
  Object.keys(condition.route.query ?? {}).some((name) => name !== 'account' || !hasId(condition));
const namesJob = ({ route }: ErrorCondition) => route.query?.log !== undefined;
const hasBody = ({ route }: ErrorCondition) => route.requestBody !== undefined;
/** For errors of any path, which the document describes once. */
const never = () => false;
/** An unsupported format can be requested only with `format`, because other suffixes are other paths. */
const hasFormat = ({ route, suffix }: ErrorCondition) => suffix === null && route.representations.length > 0;
const hasCallback = ({ route, suffix }: ErrorCondition) =>
  suffix === null ? route.representations.includes('jsonp') : suffix === 'jsonp';
const acceptsBody = (what: Route['requestBody']) => (condition: ErrorCondition) =>
  condition.route.requestBody === what;
const hasMessage = (condition: ErrorCondition) => hasBody(condition) && !acceptsBody('file')(condition);
const isOfClaim = ({ route }: ErrorCondition) => route.path.startsWith('/worker/v1/claims/');
const isFileOfClaim = (condition: ErrorCondition) => isOfClaim(condition) && isRangeable(condition);
const isRangeable = ({ route }: ErrorCondition) => route.contentType === 'application/octet-stream';
const changesJob = (condition: ErrorCondition) => condition.route.status === 204 && hasId(condition);

/** Every error response, with the rule that selects its routes. */
export const errorResponses = [
  {
    status: 400,
    name: 'BadRequest',
    text: meaning('UnparsableBodyError', 'InvalidCallbackError'),
    appliesTo: (condition) => hasBody(condition) || hasCallback(condition) || isFileOfClaim(condition),
  },
  {
    status: 401,
    name: 'Unauthorized',
    text: meaning('UnauthorizedError'),
    // With an id in the path only an expired key is: an unknown one is 404.
    appliesTo: ({ route }) => route.key !== 'none',
  },
  {
    status: 403,
    name: 'Forbidden',
    text: meaning('ForbiddenError', 'ResubmitLimitError'),
    appliesTo: ({ route }) => route.key !== 'none',
  },
  {
    status: 404,
    name: 'NotFound',
    text: meaning('NotFoundError'),
    appliesTo: (condition) =>
      hasId(condition) ||
      hasWorkerName(condition) ||
      hasPresetName(condition) ||
      isOfUpload(condition) ||
      hasToken(condition) ||
      namesJob(condition) ||
      hasFormat(condition),
  },
  { status: 405, name: 'MethodNotAllowed', text: meaning('MethodNotAllowedError'), appliesTo: never },
  {
    status: 408,
    name: 'RequestTimeout',
    text: 'The client stopped sending the body.',
    appliesTo: acceptsBody('file'),
  },
  {
    status: 409,
    name: 'Conflict',
    text: meaning('ConflictError'),
    appliesTo: (condition) =>
      changesJob(condition) ||
      hasMessage(condition) ||
      (isOfUpload(condition) && hasBody(condition)) ||
      isOfClaim(condition) ||
      (hasPresetName(condition) && condition.route.method === 'DELETE'),
  },
  {
    status: 410,
    name: 'Gone',
    text: meaning('GoneError'),
    appliesTo: (condition) => hasId(condition) || hasToken(condition) || namesJob(condition),
  },
  {
    status: 413,
    name: 'PayloadTooLarge',
    text: meaning('PayloadTooLargeError'),
    appliesTo: hasBody,
  },
  {
    status: 415,
    name: 'UnsupportedMediaType',
    text: meaning('UnsupportedMediaTypeError'),
    appliesTo: hasBody,
  },
  {
    status: 416,
    name: 'RangeNotSatisfiable',
    text: 'The requested range is outside the file.',
    appliesTo: isRangeable,
  },
  {
    status: 422,
    name: 'UnprocessableContent',
    text: meaning('InvalidRequestError'),
    appliesTo: (condition) => hasBody(condition) || hasCheckedQuery(condition),
  },
  {
    status: 429,
    name: 'TooManyRequests',
    text: meaning('TooManyRequestsError', 'QuotaError'),
    appliesTo: ({ route }) => route.key !== 'none',
  },
  { status: 500, name: 'InternalServerError', text: meaning('InternalError'), appliesTo: never },
  {
    status: 503,
    name: 'ServiceUnavailable',
    text: meaning('UnavailableError', 'OutOfSpaceError'),
    // Whatever needs a key reads or writes records, which may be in a database.
    appliesTo: (condition) => condition.route.key !== 'none' || isRangeable(condition),
  },
] as const satisfies readonly ErrorResponse[];

function meaning(...classes: readonly ErrorClass[]): string {
  return classes.map((name) => errorClasses[name].meaning).join(' Or: ');
}
