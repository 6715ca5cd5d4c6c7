/** A type of JSON Schema. */
export type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** How a generator is to write something in XML (OpenAPI, "XML Object"). */
export interface XmlNote {
  readonly name?: string;
  readonly wrapped?: true;
}

/** A JSON Schema (2020-12, as OpenAPI 3.1 has it), with as many of its words as this document needs. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly description?: string;
  readonly deprecated?: true;
  readonly const?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: string | number | boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly contentMediaType?: string;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly xml?: XmlNote;
  /** What a callback is called with, or an event tells: the text around it is no JSON that a schema could be laid on. */
  readonly 'x-record'?: Schema;
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A reference to one of the schemas that are told by name. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
