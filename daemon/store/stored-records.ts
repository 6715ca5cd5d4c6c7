import type { JobDailyUsage } from '../jobs/usage.js';
import type { AccountsDocument } from './accounts/accounts-document.js';
import type { KeyUseTimes } from './accounts/key-use-recorder.js';
import type { StoredCredential } from './credentials/credentials-file.js';
import type { RemovedJob } from './jobs/index-entry.js';
import type { JobDocument } from './jobs/job-document.js';

/*
 * All records of a data folder or a database, as `venc migrate` copies and compares them. Only one process uses them:
 * it holds the lock of the folder and that of the database.
 */

/** A job and what is stored along with it. */
export interface StoredJob extends JobDocument {
  readonly usage: readonly JobDailyUsage[];
  /** Whether a create under its idempotency key finds it. */
  readonly isFoundByKey: boolean;
}

/** The ids after one, up to and including another. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
}

/** What is kept of the removed jobs of one folder in `jobs/done`, which has a thousand ids. */
export interface RemovedRecords {
  /** The name of the folder. */
  readonly folder: string;
  /** Removed jobs that have usage. */
  readonly entries: readonly RemovedJob[];
  /** Their hosted files that may still exist. */
  readonly files: readonly string[];
}

/** Saved credentials, decrypted. */
export interface PlainCredential extends Omit<StoredCredential, 'encrypted'> {
  readonly user: string;
  readonly secret: string;
}

/** Accounts, keys, credentials and the names of drained workers. */
export interface SetupRecords {
  readonly document: AccountsDocument;
  /** Only of keys that exist. */
  readonly keyUses: KeyUseTimes;
  /** null if there is none. */
  readonly ownerKey: string | null;
  readonly credentials: readonly PlainCredential[];
  /** Each name once. */
  readonly drainedWorkers: readonly string[];
}

/** A record that cannot be read. */
export interface DamagedRecord {
  /** Where it is: a path, and for one of several records in a file also its name. */
  readonly place: string;
  readonly reason: string;
}

/** The records of a data folder or a database. Reading changes nothing. */
export interface StoredRecords {
  /** What messages call it. Contains no password. */
  readonly name: string;
  countJobs(): Promise<number>;
  /** The jobs in a range, or all, in the order of their ids. Few are in memory at a time. */
  jobs(range?: IdRange): AsyncIterable<readonly StoredJob[]>;
  removed(): AsyncIterable<RemovedRecords>;
  setup(): Promise<SetupRecords>;
  /** The last id that was assigned or reserved. */
  lastId(): Promise<number>;
}

/** Names the migration that a target is part of. */
export interface MigrationName {
  /** The name of the source. */
  readonly source: string;
  /** A checksum of the key of the database. */
  readonly keyCheck: string;
}

/** What a target contains before a migration. */
export type TargetState =
  | { readonly kind: 'empty' }
  /** Records that no unfinished or finished migration explains; `what` names some. */
  | { readonly kind: 'used'; readonly what: string }
  | { readonly kind: 'migration'; readonly migration: MigrationName; readonly isFinished: boolean };

/** Records that can be written. Each promise resolves when the change survives a crash of the machine. */
export interface WritableRecords extends StoredRecords {
  state(): Promise<TargetState>;
  /** Records that a migration has begun: until `finish`, no daemon uses the target. */
  begin(migration: MigrationName): Promise<void>;
  finish(): Promise<void>;
  /** The ids of all jobs in a range, also of those whose record is damaged. */
  idsOf(range: IdRange): Promise<readonly number[]>;
  /** Adds jobs, or replaces those with the same ids. */
  putJobs(jobs: readonly StoredJob[]): Promise<void>;
  deleteJobs(ids: readonly number[]): Promise<void>;
  replaceRemoved(records: AsyncIterable<RemovedRecords>): Promise<void>;
  replaceSetup(setup: SetupRecords): Promise<void>;
  replaceLastId(id: number): Promise<void>;
}
