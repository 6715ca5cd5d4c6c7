import type { ResponseName } from './records/answers.js';
import type { WorkerMessageName } from './records/worker-messages.js';

/** The representation of a record, requested by suffix, by `format` or by `Accept`. Only logs have one as text. */
export type Representation = 'json' | 'xml' | 'jsonp' | 'text';

/** A query parameter, in addition to the key and those that select the representation. */
export interface QueryParameter {
  /** An `integer` is at least 1, a `count` at least 0. */
  readonly type: 'integer' | 'string' | 'date' | 'count';
  readonly description: string;
}

/** One route of the service, as data. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Whether every method except HEAD and OPTIONS does the same at the path without a suffix (section 4.5). */
  readonly acceptsAnyMethod?: true;
  /** Path below the base URL; `:id` is a whole number, `:name` and `:token` are any single segment. */
  readonly path: string;
  readonly summary: string;
  /** Section of the service document, or "addition" for routes that it does not have. */
  readonly section: string;
  /**
   * `none`: no key; `read`: at least a read-only key; `full`: a full access key; `owner`: a full access key of the
   * account `default`, and none for programs on the same machine; `worker`: a worker key, and no other. A viewer key
   * opens the routes with the method GET as a full access key does.
   */
  readonly key: 'none' | 'read' | 'full' | 'owner' | 'worker';
  /** Whether a viewer key may use it although it is no GET: it changes no job, preset or setting. */
  readonly isForViewers?: true;
  /** Empty if the response is not a record. */
  readonly representations: readonly Representation[];
  /** Default name of the JSONP callback. */
  readonly callback?: string;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /**
   * The content of the request body: a job request, the bytes of a file, the length of a pause, nothing but a key, a preset,
   * an offer of a file to be read in place, its proof, or a message of a worker.
   */
  readonly requestBody?:
    | ('job' | 'file' | 'pause' | 'key' | 'priority' | 'preset' | 'offer' | 'proof')
    | WorkerMessageName;
  /** HTTP status of a successful response. */
  readonly status: 200 | 201 | 204;
  /** The record in the response; absent if the response has no body, or one that is not a record. */
  readonly response?: ResponseName;
  /** Media type of a response that is not a record. */
  readonly contentType?: string;
}

/** The representations of a record. */
export const record = ['json', 'xml'] as const;
