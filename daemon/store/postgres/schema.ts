import type { Generated, Transaction } from 'kysely';
import type { JobState } from '../../../src/shared/states.js';

/** The schema of the database that contains all tables. */
export const schemaName = 'venc';

/**
 * The number of rows that one statement inserts at most: PostgreSQL accepts 65,535 parameters, one for each column of
 * each row.
 */
export const maxRowsPerInsert = 1000;

/** A job: its record, and what lists and look-ups filter by. */
export interface JobsTable {
  readonly id: number | string;
  /** The last id of the block that belongs to the job and its files. */
  readonly last_id: number | string;
  readonly account_id: string;
  readonly state: JobState;
  readonly created_at: Date;
  /** When a final job ended, in whole seconds; null if it is not final or its time is invalid. */
  readonly ended_at: Date | null;
  readonly has_notifications: boolean;
  readonly claim: string | null;
  /** Incremented at every change. */
  readonly revision: number;
  /** The time of the last change on the clock of the server. */
  readonly changed_at: Generated<Date>;
  /** The record as JSON. Not `jsonb`, which rejects NUL characters and unpaired surrogates, and reorders fields. */
  readonly document: string;
}

/** The last id that was assigned: one row. */
interface IdsTable {
  readonly last_id: number | string;
}

/** The job that was last created under an idempotency key of an account. */
export interface IdempotencyKeysTable {
  readonly account_id: string;
  readonly key: string;
  readonly job_id: number | string;
  readonly created_at: Date;
}

/** The usage of a job, existing or removed, on one day. */
export interface UsageTable {
  readonly job_id: number | string;
  readonly account_id: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  /** As JSON, because a grouping may contain characters that a text of PostgreSQL cannot. */
  readonly grouping: string;
  readonly encoded_ms: number | string;
  readonly billable_ms: number | string;
}

/** A hosted file of a removed job that may still exist. */
interface RemovedFilesTable {
  readonly job_id: number | string;
  readonly url: string;
}

interface AccountsTable {
  readonly id: string;
  readonly name: string;
  readonly is_integration: boolean;
  /** In ISO 8601. */
  readonly integration_since: string | null;
  readonly created_at: string;
  /** Encrypted: see `encrypt`. */
  readonly notification_secret: string;
  /** JSON of `Quotas`. */
  readonly quotas: string | null;
  /** JSON of a `Pause`. */
  readonly pause: string | null;
  /** JSON of an `OpenHoursSpan`. */
  readonly open_hours: string | null;
  /** JSON of the presets by name. */
  readonly presets: string | null;
  /** JSON of the sessions of the page. */
  readonly sessions: string | null;
}

interface ApiKeysTable {
  readonly id: string;
  readonly account_id: string;
  readonly kind: 'full' | 'read-only';
  readonly is_viewer: Generated<boolean>;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly created_at: string;
  readonly last_used_at: Date | null;
  readonly name: string | null;
  /** In ISO 8601, as `created_at`. */
  readonly expires_at: string | null;
}

/** Keys of workers. No key of an account has the same id. */
type WorkerKeysTable = Omit<ApiKeysTable, 'account_id' | 'kind' | 'is_viewer'>;

/** The SHA-256 of earlier keys of the owner. */
interface RetiredKeysTable {
  readonly hash: string;
}

/** The owner's key: at most one row. */
interface OwnerTable {
  readonly encrypted_key: string;
}

/** Saved credentials: see `StoredCredential`. */
interface CredentialsTable {
  readonly account_id: string;
  readonly name: string;
  readonly scheme: string | null;
  readonly is_default: boolean;
  readonly created_at: string;
  readonly encrypted: string;
}

/** A queue of the engine: the jobs of one account with equal labels and needs. */
interface QueuesTable {
  readonly name: string;
  readonly account_id: string;
  /** The labels, as JSON. */
  readonly requires: string;
  readonly needs: string;
}

/** The queue of each job that has not ended, and whether it is waiting. */
interface QueueEntriesTable {
  readonly job_id: number | string;
  readonly queue: string;
  readonly priority: number;
  readonly is_waiting: boolean;
  /** Grows each time that the job is given to a holder. */
  readonly attempt: Generated<number>;
  /** When the holder last reported; null if nobody holds the job. */
  readonly reported_at: Date | null;
}

/** Changes of the number of jobs of an account in a state. */
interface JobCountsTable {
  readonly account_id: string;
  readonly state: string;
  readonly change: number | string;
}

/** The migration from a data folder that has filled the database, or is filling it: at most one row. */
interface DataMigrationTable {
  readonly only_row: Generated<boolean>;
  readonly source: string;
  readonly key_check: string;
  readonly is_finished: boolean;
}

/** Remote workers that have joined. */
interface WorkersTable {
  /** The id of the session. */
  readonly id: string;
  readonly name: string;
  readonly folder_id: string | null;
  readonly process_id: string | null;
  /** The `JoinRequest` as JSON. */
  readonly request: string;
  /** Both times are on the clock of the server. */
  readonly joined_at: Generated<Date>;
  readonly last_seen_at: Generated<Date>;
}

/** The names of workers that drain, also of those that join later. */
interface DrainedWorkersTable {
  readonly name: string;
}

/** All tables. */
export interface DatabaseSchema {
  readonly jobs: JobsTable;
  readonly job_counts: JobCountsTable;
  readonly ids: IdsTable;
  readonly idempotency_keys: IdempotencyKeysTable;
  readonly usage: UsageTable;
  readonly removed_files: RemovedFilesTable;
  readonly accounts: AccountsTable;
  readonly api_keys: ApiKeysTable;
  readonly worker_keys: WorkerKeysTable;
  readonly retired_keys: RetiredKeysTable;
  readonly owner: OwnerTable;
  readonly credentials: CredentialsTable;
  readonly queues: QueuesTable;
  readonly queue_entries: QueueEntriesTable;
  readonly data_migration: DataMigrationTable;
  readonly workers: WorkersTable;
  readonly drained_workers: DrainedWorkersTable;
}

/** The transaction of a change. */
export type DatabaseTransaction = Transaction<DatabaseSchema>;
