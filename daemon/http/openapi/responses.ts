import { type ResponseName, responses } from '../../../src/shared/records/answers.js';
import type { Representation, Route, RouteName } from '../../../src/shared/routes.js';
import { type Header, type MediaType, type Reference, type ResponseNote, refTo } from './document-types.js';
import { type ErrorResponse, errorResponses } from './error-responses.js';
import { answerSchemaName } from './record-schemas.js';

/** One way to a route: by its plain address, or by one whose suffix names the form of the answer. */
export interface RouteVariant {
  readonly name: RouteName;
  readonly route: Route;
  /** null for the plain address, where `format` and `Accept` decide. */
  readonly suffix: Representation | null;
}

/** The forms that a refusal comes in, by what its name among the components ends in. */
const kinds = {
  '': ['json', 'xml'],
  OrScript: ['json', 'xml', 'jsonp'],
  InJson: ['json'],
  InXml: ['xml'],
  InJsonp: ['jsonp'],
} as const satisfies Readonly<Record<string, readonly Representation[]>>;

/** Every answer that can be had by a way, by status. */
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

/** Every refusal in every form that there is, by the name that operations refer to. */
export function errorResponseComponents(): Readonly<Record<string, ResponseNote>> {
  const named = (errorResponses as readonly ErrorResponse[]).flatMap(({ name, status, text }) =>
    Object.entries(kinds).map(([kind, forms]) => {
      const script: readonly HeaderName[] = kind === 'InJsonp' ? ['X-Content-Type-Options'] : [];
      const headers = headerRefs([...headersOfErrorResponse(status), ...script]);
      return [`${name}${kind}`, { description: text, headers, content: bodies('errors', forms) }] as const;
    }),
  );
  return Object.fromEntries(named);
}

/** How an answer looks in each of some forms. */
function bodies(answer: ResponseName, forms: readonly Representation[]): Readonly<Record<string, MediaType>> {
  const media = forms.map((form) => [
    mediaTypes[form],
    form === 'jsonp' ? scriptOf(answer) : recordOf(answer),
  ]);
  return Object.fromEntries(media);
}

const mediaTypes: Readonly<Record<Representation, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  jsonp: 'application/javascript',
};

function kindOf(status: number, { route, suffix }: RouteVariant): keyof typeof kinds {
  // A callback that is no name is not called.
  if (suffix === 'jsonp') return status === 400 ? 'InJson' : 'InJsonp';
  if (suffix !== null) return suffix === 'json' ? 'InJson' : 'InXml';
  return route.representations.includes('jsonp') && status !== 400 ? 'OrScript' : '';
}

function success({ name, route, suffix }: RouteVariant): ResponseNote {
  const script: readonly HeaderName[] = suffix === 'jsonp' ? ['X-Content-Type-Options'] : [];
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
  return { description: sentence(route.summary), headers, content: contentOf(route.contentType) };
}

/** Answers that follow from no rule. */
function extras(variant: RouteVariant): Readonly<Record<string, ResponseNote>> {
  const { name, route, suffix } = variant;
  switch (name) {
    case 'jobEvents':
      return { 204: { description: 'There is nothing new, and never will be.', headers: headerRefs([]) } };
    case 'hostedFile': {
      const headers = headerRefs(headersOfRoute(name, 206));
      return {
        206: { description: 'A part of the file.', headers, content: contentOf(route.contentType ?? '') },
      };
    }
    case 'health': {
      const headers = headerRefs(headersOfErrorResponse(503));
      const forms = suffix === null ? route.representations : [suffix];
      return { 503: { description: 'No jobs are taken.', headers, content: bodies('health', forms) } };
    }
    default:
      return {};
  }
}

/** A body that is no record. Of files only what they are made of is sure: their type goes by their name. */
function contentOf(type: string): Readonly<Record<string, MediaType>> {
  const [media = type] = type.split(';');
  if (media === 'application/octet-stream')
    return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (media === 'application/json') return { [media]: { schema: { type: 'object' } } };
  if (media !== 'text/event-stream') return { [media]: { schema: { type: 'string' } } };
  const description = 'Events without a name; the data of each is a record of progress in one line of JSON.';
  return {
    [media]: { schema: { type: 'string', description, 'x-record': refTo(answerSchemaName('jobProgress')) } },
  };
}

function recordOf(answer: ResponseName): MediaType {
  return { schema: refTo(answerSchemaName(answer)) };
}

function scriptOf(answer: ResponseName): MediaType {
  return {
    schema: {
      type: 'string',
      description: 'A call of the callback with the record.',
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

/** Every header that is told of an answer. */
export const headers = {
  'Access-Control-Allow-Origin': {
    description: 'Scripts of any origin may read the answer.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'X-Total-Count': { description: 'Number of all jobs that match.', required: true, schema: count },
  Link: {
    description: 'Addresses of the first, previous, next and last page, without the key.',
    required: true,
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Content-Type-Options': {
    description: 'The type is as told, whatever the body looks like.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Accept-Ranges': {
    description: 'Parts can be asked for.',
    required: true,
    schema: { type: 'string', const: 'bytes' },
  },
  'Content-Range': {
    description: 'Which bytes of how many these are.',
    required: true,
    schema: { type: 'string', pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$' },
  },
  ETag: { description: 'Changes with the file; good for If-Range.', required: true, schema: text },
  'Last-Modified': { description: 'When the file was made.', required: true, schema: text },
  'Cache-Control': {
    description: 'Events are never kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Allow: { description: 'The methods that the address takes.', required: true, schema: text },
} as const satisfies Readonly<Record<string, Header>>;

/** The name of a header that is told. */
type HeaderName = keyof typeof headers;

const ofFiles = ['Accept-Ranges', 'ETag', 'Last-Modified', 'X-Content-Type-Options'] as const;

const ofRoutes: Readonly<Partial<Record<RouteName, Readonly<Record<number, readonly HeaderName[]>>>>> = {
  listJobs: { 200: ['X-Total-Count', 'Link'] },
  jobEvents: { 200: ['Cache-Control'] },
  hostedFile: { 200: ofFiles, 206: [...ofFiles, 'Content-Range'] },
};

/** The headers that a route has of its own with a status. */
function headersOfRoute(name: RouteName, status: number): readonly HeaderName[] {
  return ofRoutes[name]?.[status] ?? [];
}

/** The headers that a refusal has, whatever is refused. */
function headersOfErrorResponse(status: number): readonly HeaderName[] {
  if (status === 405) return ['Allow'];
  if (status === 416) return ['Content-Range'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

/** References to headers, with the one that every answer has. */
function headerRefs(names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  const all: readonly HeaderName[] = ['Access-Control-Allow-Origin', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
