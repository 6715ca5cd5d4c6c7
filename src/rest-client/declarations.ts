/*
 * What `import 'venc/client'` offers besides the types of requests and records, as the build publishes it: only
 * declarations. index.ts implements them.
 */
import type {
  AllReport,
  CreatedJob,
  CreateJobRequest,
  InputDetails,
  InputProgress,
  Job,
  JobChanges,
  JobNotification,
  JobProgress,
  ListedJob,
  LiveReport,
  OutputDetails,
  OutputNotification,
  OutputProgress,
  Preset,
  PresetList,
  PresetRequest,
  SavedPreset,
  UploadedFile,
  Version,
  VodReport,
} from '../api-types/api-types.js';

export type * from '../api-types/api-types.js';

/** A signal that cancels a call, such as that of an `AbortController`. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Options of a client. */
export interface VencOptions {
  /** Address of the service, without its version: `https://encoding.example.com`. Default: `VENC_URL`. */
  readonly url?: string | undefined;
  /** API key. Default: `VENC_API_KEY`. It is sent in headers only. */
  readonly key?: string | undefined;
  /** How often a request that failed for a moment is repeated. Default: 4. */
  readonly retries?: number | undefined;
  /** Milliseconds that a service may take for an answer. Default: 60000. */
  readonly timeout_ms?: number | undefined;
  /** Sends the requests in place of the global `fetch`. */
  readonly fetch?: ((url: string, init: object) => Promise<unknown>) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, which then rejects with the reason of the signal. */
  readonly signal?: CancelSignal | undefined;
}

/** Options of `jobs.create`. */
export interface CreateOptions extends CallOptions {
  /** Two creates with the same key make one job, within 24 hours. Default: a random key. */
  readonly idempotency_key?: string | undefined;
}

/** A job: its id, or a record of it. */
export type JobReference = number | string | { readonly id: number | string | null };

/** Which jobs `jobs.list` returns. `state`, `q`, `label` and `account` are additions of venc. */
export interface ListOptions extends CallOptions {
  /** Number of the page, from 1. */
  readonly page?: number | undefined;
  /** Jobs on a page, 1 to 50. */
  readonly per_page?: number | undefined;
  /** Only jobs in this state. */
  readonly state?: Job['state'] | undefined;
  /** Only jobs with this text. */
  readonly q?: string | undefined;
  /** Only jobs with an output of exactly this label. */
  readonly label?: string | undefined;
  /** Only jobs of the account with this name, or `*` for all accounts. */
  readonly account?: string | undefined;
}

/** A page of jobs, newest first. */
export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** The number of jobs on all pages; null if the service does not send it. */
  readonly total: number | null;
}

/** The progress of one job. */
export interface JobEvent extends JobProgress {
  readonly id: number;
}

/** Options of `jobs.wait`. */
export interface WaitOptions extends CallOptions {
  /** Milliseconds after which the call rejects with `TimeoutError`. The job goes on. Default: no limit. */
  readonly timeout_ms?: number | undefined;
  /** Is called with the progress whenever it has changed. */
  readonly on_progress?: ((progress: JobEvent) => void) | undefined;
}

/** The jobs of the account. */
export interface Jobs {
  /**
   * Creates a job. A request whose answer was lost is repeated only if the service is venc, which then returns the same
   * job; otherwise only after 429, 503 and a connection that was not accepted.
   */
  create(request: CreateJobRequest, options?: CreateOptions): Promise<CreatedJob>;
  get(job: JobReference, options?: CallOptions): Promise<Job>;
  list(options?: ListOptions): Promise<JobPage>;
  cancel(job: JobReference, options?: CallOptions): Promise<void>;
  /** Runs a job again that did not finish. */
  resubmit(job: JobReference, options?: CallOptions): Promise<void>;
  /** Removes a job that has ended, with its hosted files. An addition of venc. */
  remove(job: JobReference, options?: CallOptions): Promise<void>;
  progress(job: JobReference, options?: CallOptions): Promise<JobProgress>;
  /**
   * Resolves to the job once it has ended, also if it failed or was cancelled. Rejects only if the service rejects the
   * request, after `timeout_ms`, and if the service never answered.
   */
  wait(job: JobReference, options?: WaitOptions): Promise<Job>;
  /** The progress of jobs as it changes, until all have ended. Broken connections are resumed. */
  events(
    jobs: JobReference | readonly JobReference[],
    options?: CallOptions,
  ): AsyncGenerator<JobEvent, void, undefined>;
  /** What changes of all jobs of the account, without an end. Broken connections are resumed. */
  events(options?: CallOptions): AsyncGenerator<JobChanges, void, undefined>;
}

/** The inputs of jobs. */
export interface Inputs {
  get(id: number | string, options?: CallOptions): Promise<InputDetails>;
  progress(id: number | string, options?: CallOptions): Promise<InputProgress>;
}

/** The outputs of jobs. */
export interface Outputs {
  get(id: number | string, options?: CallOptions): Promise<OutputDetails>;
  progress(id: number | string, options?: CallOptions): Promise<OutputProgress>;
}

/** A `Blob` or a `File`. */
export interface BlobLike {
  readonly size: number;
  slice(start?: number, end?: number): BlobLike;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A file to upload. A stream needs the option `size`. */
export type UploadSource =
  | BlobLike
  | ArrayBuffer
  | Uint8Array
  | AsyncIterable<Uint8Array>
  | {
      getReader(): {
        read(): Promise<{ done: boolean; value?: unknown }>;
        cancel(reason?: unknown): Promise<void>;
      };
    };

/** How far an upload is. */
export interface UploadProgress {
  /** Bytes that the service has. */
  readonly received: number;
  /** Size of the file in bytes. */
  readonly size: number;
}

/** Options of `uploads.put`. */
export interface UploadOptions extends CallOptions {
  /** Size of a stream in bytes. */
  readonly size?: number | undefined;
  /** Bytes in one request. Default: 8388608. */
  readonly part_size?: number | undefined;
  /** Is called after each part. */
  readonly on_progress?: ((progress: UploadProgress) => void) | undefined;
}

/** Files that are sent to the service. */
export interface Uploads {
  /**
   * Uploads a file, whose URL is then the input of a job. At a venc daemon it is sent in parts and continued after a
   * broken connection, also if the daemon was started again; at other services it is one request.
   */
  put(name: string, source: UploadSource, options?: UploadOptions): Promise<UploadedFile>;
}

/** The days of a report. */
export interface ReportOptions extends CallOptions {
  /** First day, YYYY-MM-DD. Default: 30 days ago. */
  readonly from?: string | undefined;
  /** Last day, YYYY-MM-DD. Default: yesterday. */
  readonly to?: string | undefined;
  /** Only jobs with this report grouping. */
  readonly grouping?: string | undefined;
}

/** The usage of the account by day. */
export interface Reports {
  all(options?: ReportOptions): Promise<AllReport>;
  live(options?: ReportOptions): Promise<LiveReport>;
  /** An addition of venc. */
  vod(options?: ReportOptions): Promise<VodReport>;
}

/** The presets of the account, an addition of venc. */
export interface Presets {
  list(options?: CallOptions): Promise<PresetList>;
  get(name: string, options?: CallOptions): Promise<Preset>;
  save(name: string, settings: PresetRequest, options?: CallOptions): Promise<SavedPreset>;
  remove(name: string, options?: CallOptions): Promise<void>;
}

/** A client of one service. Uses `fetch` and nothing else. */
export declare class Venc {
  constructor(options?: VencOptions);
  readonly jobs: Jobs;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly uploads: Uploads;
  readonly reports: Reports;
  readonly presets: Presets;
  /** Name and version of the service, an addition of venc. */
  version(options?: CallOptions): Promise<Version>;
}

/** Headers: those of the Web, or an object such as `request.headers` of Node.js. */
export type NotificationHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A notification as it was received: a `Request`, or its headers and the exact bytes or text of its body. */
export type ReceivedNotification =
  | { readonly headers: NotificationHeaders; text(): Promise<string> }
  | { readonly headers: NotificationHeaders; readonly body: string | Uint8Array | ArrayBuffer };

/**
 * Verifies the signature of a notification and its time, which may differ by 5 minutes, and returns it. `secret` is that
 * of the account (`venc accounts show NAME --secret`), or several while one replaces another. Rejects with
 * `SignatureError`.
 */
export declare function verifyNotification(
  request: ReceivedNotification,
  secret: string | readonly string[],
): Promise<JobNotification | OutputNotification>;

/** The error of every call. There is a class for each kind. */
export declare class VencError extends Error {
  override readonly name: string;
  /** What happened, in lower-case words such as `not_found`. */
  readonly code: string;
  /** The field of the request that it is about, such as `outputs[0].width`; null if it is about none. */
  readonly field: string | null;
  /** What to do; null if that is not known. */
  readonly hint: string | null;
  /** The HTTP status of the answer; null without one. */
  readonly status: number | null;
  /** All messages of the service, each about one field of a request. */
  readonly messages: readonly string[];
}

/** The request is not valid: 400, 413, 415 or 422, or an option of the call is wrong. */
export declare class InvalidRequestError extends VencError {}

/** The key is missing, unknown or expired, or does not allow this: 401 or 403. */
export declare class UnauthorizedError extends VencError {}

/** There is no such job, file or route: 404, 405 or 410. */
export declare class NotFoundError extends VencError {}

/** The state of the job does not allow this: 409. */
export declare class ConflictError extends VencError {}

/** Too many requests, or a limit of the account: 429. */
export declare class TooManyRequestsError extends VencError {}

/** The service accepts nothing at the moment: 503. */
export declare class UnavailableError extends VencError {}

/** The service failed: 500 and above. */
export declare class ServiceError extends VencError {}

/** There was no answer, or none of an encoding service. */
export declare class ConnectionError extends VencError {}

/** It took too long. */
export declare class TimeoutError extends VencError {}

/** A notification is not signed with the secret, or is too old. */
export declare class SignatureError extends VencError {}
