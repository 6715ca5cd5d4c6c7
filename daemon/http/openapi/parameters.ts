import type { Route } from '../../../src/shared/routes.js';
import type { Parameter, Reference } from './document-types.js';
import type { RouteVariant } from './responses.js';

/** Ids are below 2^31 (contract, section 4). */
const maxId = 2 ** 31 - 1;
const text = { type: 'string' } as const;

/** Parameters of several routes, by the name that operations reference. */
export const sharedParameters = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of the job, the input or the output.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxId },
  },
  claim: {
    name: 'Venc-Claim',
    in: 'header',
    required: true,
    description: 'Token of the claim.',
    schema: { type: 'string', minLength: 1 },
  },
  format: {
    name: 'format',
    in: 'query',
    description:
      'Response format, for paths without a suffix. Default: by the header Accept, otherwise JSON.',
    schema: { type: 'string', enum: ['json', 'xml'] },
  },
  formatOrText: {
    name: 'format',
    in: 'query',
    description:
      'Response format, for paths without a suffix; txt is text. Default: by the header Accept, otherwise JSON.',
    schema: { type: 'string', enum: ['json', 'xml', 'txt'] },
  },
  formatOrScript: {
    name: 'format',
    in: 'query',
    description:
      'Response format, for paths without a suffix; js is JSONP. Default: by the header Accept, otherwise JSON.',
    schema: { type: 'string', enum: ['json', 'xml', 'js'] },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'If a create is repeated within 24 hours with the same key and the same body, the first job is returned; with another body, the response is 409.',
    schema: { type: 'string', minLength: 1 },
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'Id of the last event received. The stream continues after it; if it was the final event, the response is 204.',
    schema: text,
  },
  range: {
    name: 'Range',
    in: 'header',
    description: 'The requested part of the file, e.g. bytes=0-499.',
    schema: text,
  },
  ifRange: {
    name: 'If-Range',
    in: 'header',
    description:
      'ETag or Last-Modified of the file. If the file has changed, the whole file is sent instead of the range.',
    schema: text,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of versions that the client has. If the file is one of them, the status is 304.',
    schema: text,
  },
  ifModifiedSince: {
    name: 'If-Modified-Since',
    in: 'header',
    description: 'If the file is not newer, the status is 304. Ignored with If-None-Match.',
    schema: text,
  },
} as const satisfies Readonly<Record<string, Parameter>>;

/** The path, query and header parameters of an operation. */
export function parametersOf({ name, route, suffix }: RouteVariant): readonly (Parameter | Reference)[] {
  return [
    ...pathParameters(route),
    ...queryParameters(route),
    ...(suffix === null ? formatParameters(route) : []),
    ...(suffix === 'jsonp' || suffix === null ? callbackParameters(route) : []),
    ...(route.requestBody === 'job' ? [ref('idempotencyKey')] : []),
    ...(route.contentType === 'text/event-stream' ? [ref('lastEventId')] : []),
    ...(route.path.startsWith('/worker/v1/claims/') ? [ref('claim')] : []),
    ...(name === 'hostedFile' || name === 'readClaimFile'
      ? [ref('range'), ref('ifRange'), ref('ifNoneMatch'), ref('ifModifiedSince')]
      : []),
  ];
}

const descriptions: Readonly<Record<string, string>> = {
  token: 'Unguessable token of the file or the worker.',
};

function pathParameters({ path }: Route): readonly (Parameter | Reference)[] {
  const ofName = path.startsWith('/v2/workers/') ? 'Name of the worker.' : 'Name of the file.';
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    name === 'id'
      ? ref('id')
      : {
          name,
          in: 'path',
          required: true,
          description: descriptions[name] ?? ofName,
          schema: { type: 'string', minLength: 1 },
        },
  );
}

function queryParameters({ query = {} }: Route): readonly Parameter[] {
  return Object.entries(query).map(([name, { type, description: note }]) => ({
    name,
    in: 'query',
    description: `${note[0]?.toUpperCase()}${note.slice(1)}.`,
    schema:
      type === 'integer' || type === 'count'
        ? { type: 'integer', minimum: type === 'count' ? 0 : 1 }
        : { type: 'string', ...(type === 'date' ? { format: 'date' } : {}) },
  }));
}

function formatParameters({ representations }: Route): readonly Reference[] {
  if (representations.length === 0) return [];
  if (representations.includes('text')) return [ref('formatOrText')];
  return [ref(representations.includes('jsonp') ? 'formatOrScript' : 'format')];
}

function callbackParameters({ representations, callback }: Route): readonly Parameter[] {
  if (!representations.includes('jsonp')) return [];
  return [
    {
      name: 'callback',
      in: 'query',
      description: 'Name of the function that JSONP calls.',
      schema: {
        type: 'string',
        pattern: '^[A-Za-z_$][\\w$.]{0,63}$',
        ...(callback === undefined ? {} : { default: callback }),
      },
    },
  ];
}

function ref(name: keyof typeof sharedParameters): Reference {
  return { $ref: `#/components/parameters/${name}` };
}
