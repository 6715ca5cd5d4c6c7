import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { InputState, JobState, OutputState } from '../../src/shared/states.js';
import type { JobFailure } from './job-failure.js';
import type { MediaFacts } from './media.js';
import type { Notification, NotificationTarget } from './notification.js';

/*
 * Terms. A job has one input and one or more outputs. A *run* is one attempt to carry a job out; it holds the
 * job's *claim*, a token. A *crash* is a run that ended without a word, because the daemon was killed.
 * Times are ISO 8601 texts in UTC, ids whole numbers from one sequence.
 */

/** What was taken in or delivered, measured on the very bytes. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** MD5 as 32 hexadecimal digits. */
  readonly md5: string;
}

/**
 * The `Idempotency-Key` that a job was created under (contract, section 4), and a fingerprint of its request: the same key
 * with another fingerprint is another request.
 */
export interface IdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
}

interface JobFile {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
  readonly media: MediaFacts | null;
  readonly file: FileFacts | null;
  readonly failure: JobFailure | null;
}

/** The input of a job. `url` may hold credentials: it is shown only without them. */
export interface JobInput extends JobFile {
  readonly state: InputState;
  readonly url: string;
  /** How many connections its download may use at once, where the request said so (`download_connections`). */
  readonly connections?: number;
}

/** One picture taken from an output. */
export interface JobThumbnail {
  readonly id: number;
  readonly url: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One output of a job. */
export interface JobOutput extends JobFile {
  readonly state: OutputState;
  readonly label: string | null;
  readonly settings: OutputSettings;
  /** Where the file goes, for the transports: may hold credentials; `hosted://TOKEN/FILE` for hosted ones. */
  readonly destination: string;
  /** Where the file can be fetched or found, as answers show it, without credentials. */
  readonly url: string;
  readonly thumbnails: readonly JobThumbnail[];
}

/** How far a file was when its job came to an end without finishing it. */
export interface LastProgress {
  /** Of the input or output. */
  readonly id: number;
  /** Overall percent, 0-100. */
  readonly percent: number;
}

/** A job as it is stored. Never edited in place: `apply` makes a new one of it and a change. */
export interface Job {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
  /** Test mode: outputs are cut to 5 seconds. */
  readonly test: boolean;
  readonly passThrough: string | null;
  readonly grouping: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly submittedAt: string;
  readonly finishedAt: string | null;
  readonly input: JobInput;
  readonly outputs: readonly JobOutput[];
  /** Token of the run that holds the job; null while none does. */
  readonly claim: string | null;
  /** Runs that ended in a crash since the job was submitted. */
  readonly crashes: number;
  readonly resubmits: number;
  /** What of it failed or was cancelled under way, and how far it had come; forgotten when it is tried again. */
  readonly lastProgress: readonly LastProgress[];
  /** null where the client gave no `Idempotency-Key`. */
  readonly idempotency: IdempotencyRecord | null;
  /** Who is told when the job comes to its end. Those of an output are in its settings. */
  readonly notifications: readonly NotificationTarget[];
  /** Notices that are not delivered yet. */
  readonly pendingNotifications: readonly Notification[];
}
