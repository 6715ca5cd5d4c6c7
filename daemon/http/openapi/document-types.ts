import type { ValueSchema } from '../../../src/shared/settings/kinds/kind.js';

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

/** How a value is serialized as XML (OpenAPI, "XML Object"). */
interface XmlNote {
  readonly name?: string;
  readonly wrapped?: true;
}

/** A JSON Schema (2020-12, as in OpenAPI 3.1), limited to the keywords that this document uses. */
export interface Schema extends ValueSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly const?: string;
  readonly default?: string | number | boolean;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly xml?: XmlNote;
  /**
   * The record that a JSONP callback or an event contains. The surrounding text is not JSON, so no schema applies to
   * it.
   */
  readonly 'x-record'?: Schema;
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A reference to a named schema. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
