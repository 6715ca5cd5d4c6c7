import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiBytes } from '../../../daemon/http/openapi/document.js';
import type {
  Method,
  OpenApiDocument,
  Operation,
  PathItem,
  ResponseNote,
} from '../../../daemon/http/openapi/document-types.js';
import type { Schema } from '../../../src/shared/settings/schema/schema.js';

/** The document that responses are checked against. Its URL and size limit do not matter. */
export const apiDocument: OpenApiDocument = JSON.parse(
  Buffer.concat(openApiBytes(50)('http://127.0.0.1')).toString(),
);

// Whether the document is valid is the question of test/http/openapi.test.ts.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, validateSchema: false });
formats.default(ajv);
ajv.addSchema(apiDocument, 'openapi');

const compiled = new WeakMap<Schema, ValidateFunction>();

/** Returns the violations of a schema of the document by a value, one sentence each. */
export function schemaErrors(schema: Schema, value: unknown, what: string): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
  compiled.set(schema, validate);
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${what}${sentence(error)}`);
}

/** References within the document are relative to its root; outside of it they need its name. */
function absolute(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : { ...schema, $ref: `openapi${schema.$ref}` };
}

function sentence({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  return `${instancePath.replaceAll('/', '.')} ${message} ${JSON.stringify(params)}`;
}

/** An operation with its path. */
interface FoundPath {
  readonly template: string;
  readonly item: PathItem;
}

const patterns = Object.entries(apiDocument.paths).map(([template, item]) => ({
  found: { template, item } satisfies FoundPath,
  pattern: new RegExp(
    `^${template
      .replace(/[.]/g, '\\.')
      .replace(/\{id\}/g, '\\d+')
      // The daemon reads a suffix of a representation as such.
      .replace(/\{token\}/g, '(?:(?!\\.(?:json|xml|js|txt)$)[^/])+')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  ),
}));

/** Finds the path template of the document that matches a path; undefined if there is none. */
export function findPath(pathname: string): FoundPath | undefined {
  const path = pathname.replace(/\/{2,}/g, '/').replace(/^\/api(?=\/|$)/, '');
  const trimmed = path === '/' || path === '' ? '/' : path.replace(/\/$/, '');
  return patterns.find(({ pattern }) => pattern.test(trimmed))?.found;
}

/**
 * Finds the operation of a method; undefined if the path does not support it. HEAD is handled like GET, except where a GET changes
 * something.
 */
export function findOperation({ item }: FoundPath, method: string): Operation | undefined {
  if (method === 'HEAD') return item.get?.operationId.includes('ByGet') ? undefined : item.get;
  // A lookup by a method that OpenAPI does not have finds nothing.
  return item[method.toLowerCase() as Method];
}

/** Finds the response of an operation by status, or a common response if there is no operation. */
export function findResponse(operation: Operation | undefined, status: number): ResponseNote | undefined {
  const given = operation?.responses[String(status)] ?? ofNoOperation(operation, status);
  return given !== undefined && '$ref' in given ? componentOf(given.$ref) : given;
}

function ofNoOperation(operation: Operation | undefined, status: number) {
  if (operation !== undefined) return undefined;
  if (status === 404) return apiDocument.components.responses.NotFound;
  return status === 405 ? apiDocument.components.responses.MethodNotAllowed : undefined;
}

function componentOf(reference: string): ResponseNote | undefined {
  return apiDocument.components.responses[reference.replace('#/components/responses/', '')];
}

/** The document that {@link at} searches. */
export const readOptions = { baseUrl: 'https://encode.example.com/venc', maxOutputs: 7 } as const;

/** Serialized and parsed, to have plain JSON without the types of the code. */
const read: unknown = JSON.parse(
  Buffer.concat(openApiBytes(readOptions.maxOutputs)(readOptions.baseUrl)).toString(),
);

/** The value of the document at a path of keys, following references; undefined if there is none. */
export function at(...keys: readonly string[]): unknown {
  return keys.reduce((value: unknown, key) => property(resolved(value), key), read);
}

/** The property of any value; undefined if it has none. */
export function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

/** The target of a reference; any other value is returned unchanged. */
export function resolved(value: unknown): unknown {
  const reference = property(value, '$ref');
  if (typeof reference !== 'string') return value;
  return at(...reference.replace('#/', '').split('/'));
}
