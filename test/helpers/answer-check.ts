import type { MediaType, Operation, ResponseNote } from '../../daemon/http/openapi/document-types.js';
import { apiDocument, findOperation, findPath, findResponse, schemaErrors } from './answers/document.js';
import { readXmlAnswer } from './read-xml.js';

/** A response as received. */
export interface GivenAnswer {
  readonly method: string;
  /** The full request URL. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** null if the body was not read, as for files and event streams. */
  readonly body: string | null;
}

/** What a response was, for the coverage table. */
export interface SeenAnswer {
  readonly route: string;
  readonly representation: string;
  readonly status: number;
}

/** The exact content types of responses. Clients may compare them as strings. */
const exactTypes: Readonly<Record<string, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'application/xml': 'application/xml; charset=utf-8',
  'application/javascript': 'application/javascript; charset=utf-8',
  'text/plain': 'text/plain; charset=utf-8',
};
/** The type that Prometheus asks for. */
const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';
const representations: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/xml': 'xml',
  'application/javascript': 'jsonp',
  'text/plain': 'text',
};

/**
 * Checks a response against the OpenAPI document: path, method, status, headers, content type and body. Throws an error that lists every
 * difference. XML is converted back to JSON by its own types and JSONP is called; both must then match the schema of the JSON.
 */
export function checkAnswer(answer: GivenAnswer): SeenAnswer {
  const { method, url, status } = answer;
  const path = findPath(new URL(url).pathname);
  const operation = path === undefined ? undefined : findOperation(path, method);
  const seen = {
    route: routeOf(operation),
    representation: representations[typeOf(answer)] ?? (typeOf(answer) === '' ? 'none' : typeOf(answer)),
    status,
  };
  const errors =
    method === 'OPTIONS' ? preflightErrors(answer) : findErrors(answer, path !== undefined, operation);
  if (errors.length === 0) return seen;
  const lines = errors.map((error) => `  ${error}`).join('\n');
  const start = answer.body === null ? '' : `\n  the body begins: ${answer.body.slice(0, 300)}`;
  throw new Error(
    `${method} ${url} was answered with ${status}, which does not match openapi.json:\n${lines}${start}`,
  );
}

function findErrors(
  answer: GivenAnswer,
  isKnown: boolean,
  operation: Operation | undefined,
): readonly string[] {
  const response = findResponse(operation, answer.status);
  if (operation === undefined && answer.status !== (isKnown ? 405 : 404)) {
    return [
      `there is no such ${isKnown ? 'method at this address' : 'address'}, so it must be ${isKnown ? 405 : 404}`,
    ];
  }
  if (response === undefined) {
    const statuses = Object.keys(operation?.responses ?? {}).join(', ');
    return [`the status is none of those of ${operation?.operationId}: ${statuses}`];
  }
  return [...headerErrors(answer, response), ...bodyErrors(answer, response)];
}

function preflightErrors({ status, body, headers }: GivenAnswer): readonly string[] {
  return [
    ...(status === 204 ? [] : ['OPTIONS must be answered with 204']),
    ...(body ? ['the response to OPTIONS must have no body'] : []),
    ...(headers.get('access-control-allow-origin') === '*' ? [] : ['Access-Control-Allow-Origin must be *']),
  ];
}

function headerErrors({ headers }: GivenAnswer, response: ResponseNote): readonly string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, documented]) => {
    const header = '$ref' in documented ? apiDocument.components.headers[name] : documented;
    const given = headers.get(name);
    if (header === undefined) return [`the header ${name} is not documented`];
    if (given === null) return header.required ? [`the header ${name} is missing`] : [];
    const value = header.schema.type === 'integer' && /^\d+$/.test(given) ? Number(given) : given;
    return schemaErrors(header.schema, value, `the header ${name}`);
  });
}

function bodyErrors(answer: GivenAnswer, { content }: ResponseNote): readonly string[] {
  const { method, body } = answer;
  const type = typeOf(answer);
  if (content === undefined) return body === null || body === '' ? [] : ['there must be no body'];
  const media = content[type] ?? content['*/*'];
  if (media === undefined) return [`the type "${type}" is none of ${Object.keys(content).join(', ')}`];
  const given = answer.headers.get('content-type') ?? '';
  const exact = given.includes('version=') ? prometheusType : exactTypes[type];
  const ofType =
    exact === undefined || given === exact ? [] : [`the type must be exactly "${exact}", not "${given}"`];
  if (method === 'HEAD') return [...ofType, ...(body ? ['a response to HEAD has no body'] : [])];
  return [...ofType, ...(body === null ? [] : recordErrors(type, media, body, answer.url))];
}

function recordErrors(type: string, { schema }: MediaType, body: string, url: string): readonly string[] {
  if (body === '') return ['the body is empty'];
  if (schema === undefined) return [];
  try {
    switch (type) {
      case 'application/json':
        return schemaErrors(schema, JSON.parse(body), 'body');
      case 'application/xml':
        return schemaErrors(schema, readXmlAnswer(body), 'body');
      case 'application/javascript':
        return scriptErrors(schema, body, url);
      default:
        return schemaErrors(schema, body, 'body');
    }
  } catch (error) {
    return [`the body cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function scriptErrors(
  schema: NonNullable<MediaType['schema']>,
  body: string,
  url: string,
): readonly string[] {
  const [, callback, json] = /^([\w$.]+)\((.*)\)$/s.exec(body) ?? [];
  const record = schema['x-record'];
  if (callback === undefined || json === undefined || record === undefined) return ['the body is not a call'];
  const asked = new URL(url).searchParams.get('callback');
  return [
    ...(asked === null || asked === callback ? [] : [`the callback is ${callback}`]),
    ...(/[\u2028\u2029]/.test(json) ? ['line separators must be escaped'] : []),
    ...schemaErrors(record, JSON.parse(json), 'body'),
  ];
}

function typeOf({ headers }: GivenAnswer): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The name of the route. The operation ids of suffixed paths and of other methods of a route extend it. */
function routeOf(operation: Operation | undefined): string {
  return operation?.operationId.replace(/(?:By[A-Z][a-z]+)?(?:Json|Xml|Jsonp)?$/, '') ?? 'no route';
}
