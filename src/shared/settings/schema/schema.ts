import type { ValueSchema } from '../kinds/kind.js';

/** How a value is serialized as XML (OpenAPI, "XML Object"). */
interface XmlNote {
  readonly name?: string;
  readonly wrapped?: true;
}

/**
 * A JSON Schema, limited to the keywords that the schemas of venc use: 2020-12 in the OpenAPI document, and draft-07,
 * without `deprecated`, `xml` and `x-record`, in the schema for editors.
 */
export interface Schema extends ValueSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly const?: string;
  readonly default?: string | number | boolean;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly properties?: Schemas;
  readonly definitions?: Schemas;
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

/** What a schema of settings is for. */
export interface SchemaDialect {
  /**
   * `openapi`: what the daemon accepts, in an OpenAPI document. `editor`: what a request file should have, in JSON Schema
   * draft-07. It has examples, accepts no other names and no values that this daemon rejects, and accepts paths of local
   * files where the command line does.
   */
  readonly name: 'openapi' | 'editor';
  /** A reference to a named schema. */
  readonly refTo: (name: string) => Schema;
}
