import type { Schema, SchemaDialect, Schemas } from '../../../src/shared/settings/schema/schema.js';

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

/** A body in one media type. */
export interface MediaType {
  readonly schema?: Schema;
  readonly example?: string;
}

/** A response header. */
export interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

/** A response. */
export interface ResponseNote {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

/** The body of a request. */
export interface RequestBody {
  readonly description: string;
  readonly required?: true;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** One method of a path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly never[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody | Reference;
  readonly responses: Readonly<Record<string, ResponseNote | Reference>>;
}

/** The methods of OpenAPI 3.1 that routes use. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The operations of a path. */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

/** The document without its version and its servers. */
export interface DocumentBody {
  readonly info: Readonly<Record<string, unknown>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly requestBodies: Readonly<Record<string, RequestBody>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseNote>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** An OpenAPI document. */
export interface OpenApiDocument extends DocumentBody {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
}

/** A reference to a named schema. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schemas of settings in this document. */
export const openApiDialect: SchemaDialect = { name: 'openapi', refTo };
