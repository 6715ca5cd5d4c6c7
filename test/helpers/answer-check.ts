import type { MediaType, Operation, ResponseNote } from '../../daemon/http/openapi/document-types.js';
import { apiDocument, findOperation, findPath, findResponse, schemaErrors } from './answers/document.js';
import { readXmlAnswer } from './read-xml.js';

/** An answer as it came over the wire. */
export interface GivenAnswer {
  readonly method: string;
  /** The whole address that was asked. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** null where it was not read, as of files and event streams. */
  readonly body: string | null;
}

/** What an answer was, for counting. */
export interface SeenAnswer {
  readonly route: string;
  readonly representation: string;
  readonly status: number;
}

/** Exactly these are the types of answers: clients compare them as texts. */
const exactTypes: Readonly<Record<string, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'application/xml': 'application/xml; charset=utf-8',
  'application/javascript': 'application/javascript; charset=utf-8',
};
const representations: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/xml': 'xml',
  'application/javascript': 'jsonp',
};

/**
 * Checks an answer against the OpenAPI document: its address and method, its status, its headers, its type and its body. Throws with
 * everything that is not as told. XML is read back by its own types, JSONP is called, and both are held to the schema of the JSON.
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
  const complaints =
    method === 'OPTIONS' ? preflightComplaints(answer) : findErrors(answer, path !== undefined, operation);
  if (complaints.length === 0) return seen;
  const lines = complaints.map((validationError) => `  ${validationError}`).join('\n');
  const start = answer.body === null ? '' : `\n  the body begins: ${answer.body.slice(0, 300)}`;
  throw new Error(
    `${method} ${url} was answered with ${status}, and not as openapi.json tells:\n${lines}${start}`,
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
    const told = Object.keys(operation?.responses ?? {}).join(', ');
    return [`the status is none of those of ${operation?.operationId}: ${told}`];
  }
  return [...headerComplaints(answer, response), ...bodyComplaints(answer, response)];
}

function preflightComplaints({ status, body, headers }: GivenAnswer): readonly string[] {
  return [
    ...(status === 204 ? [] : ['OPTIONS is answered with 204']),
    ...(body ? ['OPTIONS has no body'] : []),
    ...(headers.get('access-control-allow-origin') === '*' ? [] : ['scripts of other origins are shut out']),
  ];
}

function headerComplaints({ headers }: GivenAnswer, response: ResponseNote): readonly string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, told]) => {
    const header = '$ref' in told ? apiDocument.components.headers[name] : told;
    const given = headers.get(name);
    if (header === undefined) return [`the header ${name} is told nowhere`];
    if (given === null) return header.required ? [`the header ${name} is missing`] : [];
    const value = header.schema.type === 'integer' && /^\d+$/.test(given) ? Number(given) : given;
    return schemaErrors(header.schema, value, `the header ${name}`);
  });
}

function bodyComplaints(answer: GivenAnswer, { content }: ResponseNote): readonly string[] {
  const { method, body } = answer;
  const type = typeOf(answer);
  if (content === undefined) return body === null || body === '' ? [] : ['there must be no body'];
  const media = content[type] ?? content['*/*'];
  if (media === undefined) return [`the type "${type}" is none of ${Object.keys(content).join(', ')}`];
  const given = answer.headers.get('content-type') ?? '';
  const exact = exactTypes[type];
  const ofType =
    exact === undefined || given === exact ? [] : [`the type must be exactly "${exact}", not "${given}"`];
  if (method === 'HEAD') return [...ofType, ...(body ? ['an answer to HEAD has no body'] : [])];
  return [...ofType, ...(body === null ? [] : recordComplaints(type, media, body, answer.url))];
}

function recordComplaints(type: string, { schema }: MediaType, body: string, url: string): readonly string[] {
  if (body === '') return ['the body is empty'];
  if (schema === undefined) return [];
  try {
    switch (type) {
      case 'application/json':
        return schemaErrors(schema, JSON.parse(body), 'body');
      case 'application/xml':
        return schemaErrors(schema, readXmlAnswer(body), 'body');
      case 'application/javascript':
        return scriptComplaints(schema, body, url);
      default:
        return schemaErrors(schema, body, 'body');
    }
  } catch (error) {
    return [`the body cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function scriptComplaints(
  schema: NonNullable<MediaType['schema']>,
  body: string,
  url: string,
): readonly string[] {
  const [, callback, json] = /^([\w$.]+)\((.*)\)$/s.exec(body) ?? [];
  const record = schema['x-record'];
  if (callback === undefined || json === undefined || record === undefined) return ['the body is no call'];
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

/** The name of the route: operations at an address with a suffix, and other methods of the same, add to it. */
function routeOf(operation: Operation | undefined): string {
  return operation?.operationId.replace(/(?:By[A-Z][a-z]+)?(?:Json|Xml|Jsonp)?$/, '') ?? 'no route';
}
