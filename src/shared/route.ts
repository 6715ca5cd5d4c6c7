import type { ResponseName } from './records/answers.js';

/** How a record may be asked for: by suffix, by `format` or by `Accept`. */
export type Representation = 'json' | 'xml' | 'jsonp';

/** A query parameter, beside the key and those that choose the representation. */
export interface QueryParameter {
  readonly type: 'integer' | 'string' | 'date';
  readonly description: string;
}

/** One route of the service: everything that is known about it, as data. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Whether any other method but HEAD and OPTIONS does the same at the path without a suffix (section 4.5). */
  readonly acceptsAnyMethod?: true;
  /** Path below the base address; `:id` is a whole number, `:name` and `:token` are any one segment. */
  readonly path: string;
  readonly summary: string;
  /** Section of the service document, or "addition" for what it does not have. */
  readonly section: string;
  /** `none`: no key; `read`: a read-only key will do; `full`: a full access key. */
  readonly key: 'none' | 'read' | 'full';
  /** None where the answer is no record. */
  readonly representations: readonly Representation[];
  /** Name of the JSONP callback where the client gives none. */
  readonly callback?: string;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** What the body holds: a request for a job, or the bytes of a file. */
  readonly requestBody?: 'job' | 'file';
  /** Status of success. */
  readonly status: 200 | 201 | 204;
  /** What it answers with; nothing where it has no body, or one that is no record. */
  readonly response?: ResponseName;
  /** Media type of an answer that is no record. */
  readonly contentType?: string;
}
