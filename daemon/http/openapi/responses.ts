import { type ResponseName, responses } from '../../../src/shared/records/answers.js';
import type { Representation, Route, RouteName } from '../../../src/shared/routes.js';
import { type Header, type MediaType, type Reference, type ResponseNote, refTo } from './document-types.js';
import { type ErrorResponse, errorResponses } from './error-responses.js';
import { answerSchemaName, jobChangesSchema, logLineSchema } from './record-schemas.js';

/** A path of a route: the plain path, or one whose suffix selects the response format. */
export interface RouteVariant {
  readonly name: RouteName;
  readonly route: Route;
  /** Null for the plain path, where `format` and `Accept` select the format. */
  readonly suffix: Representation | null;
}

/** The formats of an error response, by the suffix of its component name. */
const kinds = {
  '': ['json', 'xml'],
  OrScript: ['json', 'xml', 'jsonp'],
  InJson: ['json'],
  InXml: ['xml'],
  InJsonp: ['jsonp'],
} as const satisfies Readonly<Record<string, readonly Representation[]>>;

/** All responses of a path, by status. */
export function responsesOf(variant: RouteVariant): Readonly<Record<string, ResponseNote | Reference>> {
  const applicable = (errorResponses as readonly ErrorResponse[]).filter(({ appliesTo }) =>
    appliesTo(variant),
  );
  const entries = applicable.map(({ status, name }) => {
    const reference: Reference = { $ref: `#/components/responses/${name}${kindOf(status, variant)}` };
    return [String(status), reference] as const;
  });
  return { [variant.route.status]: success(variant), ...Object.fromEntries(entries), ...extras(variant) };
}

/** Every error response in every format, by the name that operations reference. */
export function errorResponseComponents(): Readonly<Record<string, ResponseNote>> {
  const named = (errorResponses as readonly ErrorResponse[]).flatMap(({ name, status, text }) =>
    Object.entries(kinds).map(([kind, forms]) => {
      const script: readonly HeaderName[] = kind === 'InJsonp' ? ['X-Content-Type-Options'] : [];
      const refs = headerRefs([...headersOfErrorResponse(status), ...script]);
      const headers = status === 429 ? { ...refs, 'Retry-After': waitIfTooFast } : refs;
      return [`${name}${kind}`, { description: text, headers, content: bodies('errors', forms) }] as const;
    }),
  );
  return Object.fromEntries(named);
}

/** The body of a response in each of the formats. */
function bodies(answer: ResponseName, forms: readonly Representation[]): Readonly<Record<string, MediaType>> {
  const media = forms.map((form) => [
    mediaTypes[form],
    form === 'jsonp' ? scriptOf(answer) : form === 'text' ? textBody : recordOf(answer),
  ]);
  return Object.fromEntries(media);
}

const mediaTypes: Readonly<Record<Representation, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  jsonp: 'application/javascript',
  text: 'text/plain',
};

const textBody: MediaType = {
  schema: { type: 'string', description: 'One line of text for each line of the log.' },
};

function kindOf(status: number, { route, suffix }: RouteVariant): keyof typeof kinds {
  // An invalid callback name is not called.
  if (suffix === 'jsonp') return status === 400 ? 'InJson' : 'InJsonp';
  if (suffix !== null) return suffix === 'xml' ? 'InXml' : 'InJson';
  return route.representations.includes('jsonp') && status !== 400 ? 'OrScript' : '';
}

function success({ name, route, suffix }: RouteVariant): ResponseNote {
  const isScriptOrText = suffix === 'jsonp' || suffix === 'text';
  const script: readonly HeaderName[] = isScriptOrText ? ['X-Content-Type-Options'] : [];
  const headers = headerRefs([...headersOfRoute(name, route.status), ...script]);
  if (route.response !== undefined) {
    const forms = suffix === null ? route.representations : [suffix];
    return {
      description: sentence(responses[route.response].description),
      headers,
      content: bodies(route.response, forms),
    };
  }
  if (route.contentType === undefined) return { description: 'Done.', headers };
  return { description: sentence(route.summary), headers, content: contentOf(route.contentType, name) };
}

/** Responses that do not follow from the tables. */
function extras(variant: RouteVariant): Readonly<Record<string, ResponseNote>> {
  const { name, route, suffix } = variant;
  switch (name) {
    case 'jobEvents':
    case 'jobLogEvents':
      return {
        204: {
          description: 'The final event was already received; no more events will follow.',
          headers: headerRefs([]),
        },
      };
    case 'claimJob':
      return {
        204: {
          description: 'There is no job for the worker now.',
          headers: headerRefs(headersOfRoute(name, 204)),
        },
      };
    case 'claimCredentials':
      return { 204: { description: 'There are no such credentials.', headers: headerRefs([]) } };
    case 'upload': {
      const description = 'The part was received, and the file is not stored yet.';
      const forms = suffix === null ? route.representations : [suffix];
      return { 200: { description, headers: headerRefs([]), content: bodies('uploadState', forms) } };
    }
    case 'readClaimFile':
    case 'hostedFile': {
      const headers = headerRefs(headersOfRoute(name, 206));
      return {
        206: {
          description: 'The requested part of the file.',
          headers,
          content: contentOf(route.contentType ?? '', name),
        },
        304: {
          description: 'The client has this version of the file already.',
          headers: headerRefs(headersOfRoute(name, 304)),
        },
      };
    }
    case 'health': {
      const headers = headerRefs(headersOfErrorResponse(503));
      const forms = suffix === null ? route.representations : [suffix];
      return { 503: { description: 'No jobs are accepted.', headers, content: bodies('health', forms) } };
    }
    default:
      return {};
  }
}

/** A body that is not a record. The content type of a file depends on its name, so only its encoding is described. */
function contentOf(type: string, name: RouteName): Readonly<Record<string, MediaType>> {
  const [media = type] = type.split(';');
  if (media === 'application/octet-stream')
    return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (media === 'application/json') return { [media]: { schema: { type: 'object' } } };
  if (media !== 'text/event-stream') return { [media]: { schema: { type: 'string' } } };
  const [what, record] = dataOfEvents(name);
  const description = `Events without a name. The data of each is ${what} as one line of JSON.`;
  return { [media]: { schema: { type: 'string', description, 'x-record': refTo(record) } } };
}

/** What an event has, and the name of its schema. */
function dataOfEvents(name: RouteName): readonly [what: string, schema: string] {
  if (name === 'jobEvents') return ['a progress record', answerSchemaName('jobProgress')];
  return name === 'events' ? ['what has changed', jobChangesSchema] : ['a line', logLineSchema];
}

function recordOf(answer: ResponseName): MediaType {
  return { schema: refTo(answerSchemaName(answer)) };
}

function scriptOf(answer: ResponseName): MediaType {
  return {
    schema: {
      type: 'string',
      description: 'A call of the callback function with the record as its argument.',
      contentMediaType: 'application/javascript',
      pattern: '^[A-Za-z_$][\\w$.]{0,63}\\(.*\\)$',
      'x-record': refTo(answerSchemaName(answer, 'public')),
    },
  };
}

function sentence(note: string): string {
  return `${note[0]?.toUpperCase()}${note.slice(1)}.`;
}

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** All documented response headers. */
export const headers = {
  'Access-Control-Allow-Origin': {
    description: 'Scripts from any origin may read the response.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'X-Total-Count': { description: 'Total number of matching jobs.', required: true, schema: count },
  Link: {
    description: 'URLs of the first, previous, next and last page, without the API key.',
    required: true,
    schema: text,
  },
  'Venc-Queue': {
    description:
      'That the queue is paused or, with hours, that the daemon is outside its hours; whether running encodes are frozen, and until when; absent otherwise.',
    schema: { type: 'string', pattern: '^paused(?:; hours)?(?:; frozen)?(?:; until=\\S+)?$' },
  },
  'Venc-Search': {
    description:
      'That q, label and account were applied. partial: the search reached its limits, so that older jobs were not read; scanned: the number of jobs that it read for q and label. Absent without these parameters.',
    schema: { type: 'string', pattern: '^(?:complete|partial)(?:; scanned=\\d+)?$' },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Content-Type-Options': {
    description: 'Browsers must use the declared content type.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Content-Disposition': {
    description:
      'The name of the file. It is `inline` for audio, video, images, WebVTT and HLS playlists; all others are downloaded.',
    required: true,
    schema: { type: 'string', pattern: '^(?:inline|attachment); filename="' },
  },
  'Content-Security-Policy': {
    description: 'A browser runs nothing of the file.',
    required: true,
    schema: { type: 'string', const: 'sandbox' },
  },
  'Accept-Ranges': {
    description: 'Range requests are supported.',
    required: true,
    schema: { type: 'string', const: 'bytes' },
  },
  'Content-Range': {
    description: 'The range of the bytes in the body, and the size of the file.',
    required: true,
    schema: { type: 'string', pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$' },
  },
  ETag: {
    description: 'Changes with the file; use it with If-Range and If-None-Match.',
    required: true,
    schema: text,
  },
  'Last-Modified': { description: 'When the file was created.', required: true, schema: text },
  'Cache-Control': {
    description: 'Events, and what changes with each request, must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Venc-Drain': {
    description: 'Whether the worker is to take no further jobs and to end.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  Allow: { description: 'The methods that the path supports.', required: true, schema: text },
} as const satisfies Readonly<Record<string, Header>>;

/** The name of a documented header. */
type HeaderName = keyof typeof headers;

const ofFiles = [
  ...(['Accept-Ranges', 'ETag', 'Last-Modified', 'X-Content-Type-Options'] as const),
  ...(['Content-Disposition', 'Content-Security-Policy'] as const),
] as const;

const ofRoutes: Readonly<Partial<Record<RouteName, Readonly<Record<number, readonly HeaderName[]>>>>> = {
  listJobs: { 200: ['X-Total-Count', 'Link', 'Venc-Queue', 'Venc-Search'] },
  jobEvents: { 200: ['Cache-Control'] },
  jobLogEvents: { 200: ['Cache-Control'] },
  daemonLogEvents: { 200: ['Cache-Control'] },
  uploadState: { 200: ['Cache-Control'] },
  events: { 200: ['Cache-Control'] },
  claimJob: { 204: ['Venc-Drain'] },
  hostedFile: { 200: ofFiles, 206: [...ofFiles, 'Content-Range'], 304: ofFiles },
  readClaimFile: { 200: ofFiles, 206: [...ofFiles, 'Content-Range'], 304: ofFiles },
};

/** The additional headers of a route and a status. */
function headersOfRoute(name: RouteName, status: number): readonly HeaderName[] {
  return ofRoutes[name]?.[status] ?? [];
}

/** The headers of an error response. */
function headersOfErrorResponse(status: number): readonly HeaderName[] {
  if (status === 405) return ['Allow'];
  if (status === 416) return ['Content-Range'];
  return status === 503 ? ['Retry-After'] : [];
}

/** What a response with the status 429 has: a limit of the account says how long it lasts in its message. */
const waitIfTooFast: Header = {
  description: 'Seconds to wait before a retry; absent if a limit of the account is reached.',
  schema: { type: 'integer', minimum: 1 },
};

/** References to the headers, plus the one that every response has. */
function headerRefs(names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  const all: readonly HeaderName[] = ['Access-Control-Allow-Origin', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
