import { sql } from 'kysely';
import type { JobDailyUsage } from '../../jobs/usage.js';
import { decrypt } from '../credentials/credentials-file.js';
import { doneFolderName } from '../data-folder/layout.js';
import type { RemovedJob } from '../jobs/index-entry.js';
import { idempotencyName } from '../jobs/index-entry.js';
import { type JobDocument, readJobDocument } from '../jobs/job-document.js';
import type {
  DamagedRecord,
  IdRange,
  PlainCredential,
  RemovedRecords,
  SetupRecords,
  StoredJob,
  StoredRecords,
} from '../stored-records.js';
import { readAccountRows, readOwner } from './accounts.js';
import type { ExclusiveDatabase } from './exclusive-database.js';
import { type JobRow, jobColumns } from './job-rows.js';
import { listCredentialRows } from './postgres-credentials.js';

/** The options of `DatabaseRecords`. */
interface DatabaseRecordsOptions {
  readonly database: ExclusiveDatabase;
  readonly encryptionKey: Buffer;
  /** Idempotency keys of jobs that were created before are forgotten. */
  readonly keysSince: Date;
  /** Called for each job whose record is invalid, at each time that it is read. It is left out. */
  readonly onDamaged: (record: DamagedRecord) => void;
}

/** Jobs that are read with one query: a job may have a record of megabytes. */
const jobsPerQuery = 100;
const idsPerFolder = 1000;

/** The records of a database. */
export class DatabaseRecords implements StoredRecords {
  readonly name: string;
  protected readonly options: DatabaseRecordsOptions;

  constructor(options: DatabaseRecordsOptions) {
    this.options = options;
    this.name = options.database.name;
  }

  protected get queries(): ExclusiveDatabase['queries'] {
    this.options.database.requireLock();
    return this.options.database.queries;
  }

  async countJobs(): Promise<number> {
    const counted = await this.queries
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    return Number(counted.total);
  }

  async *jobs({ after, upTo }: IdRange = { after: 0, upTo: Number.POSITIVE_INFINITY }) {
    for (let last = after; ; ) {
      const rows = await this.queries
        .selectFrom('jobs')
        .select(jobColumns)
        .where('id', '>', last)
        .where('id', '<=', Math.min(upTo, Number.MAX_SAFE_INTEGER))
        .orderBy('id')
        .limit(jobsPerQuery)
        .execute();
      if (rows.length === 0) return;
      yield await this.#stored(rows);
      last = Number(rows.at(-1)?.id);
    }
  }

  async *removed(): AsyncIterable<RemovedRecords> {
    for (let id = await this.#nextUsed(0); id !== null; ) {
      const folder = doneFolderName(id);
      const first = Number(folder) * idsPerFolder;
      const rows = await this.#usageRows({ after: first - 1, upTo: first + idsPerFolder - 1 }, 'removed');
      const files = await this.queries
        .selectFrom('removed_files')
        .select('url')
        .distinct()
        .where('job_id', '>=', first)
        .where('job_id', '<', first + idsPerFolder)
        .orderBy('url')
        .execute();
      if (rows.length + files.length > 0)
        yield { folder, entries: entriesOf(rows), files: files.map(({ url }) => url) };
      id = await this.#nextUsed(first + idsPerFolder);
    }
  }

  async setup(): Promise<SetupRecords> {
    const { encryptionKey } = this.options;
    const document = await readAccountRows(this.queries, encryptionKey);
    const uses = await this.queries
      .selectFrom('api_keys')
      .select(['id', 'last_used_at'])
      .unionAll(this.queries.selectFrom('worker_keys').select(['id', 'last_used_at']))
      .orderBy('id')
      .execute();
    return {
      document,
      keyUses: Object.fromEntries(
        uses.flatMap(({ id, last_used_at: at }) => (at === null ? [] : [[id, at.toISOString()]])),
      ),
      ownerKey: await readOwner(this.queries, encryptionKey),
      credentials: await this.#credentials(),
      drainedWorkers: await this.#drainedWorkers(),
    };
  }

  async lastId(): Promise<number> {
    const row = await this.queries.selectFrom('ids').select('last_id').executeTakeFirstOrThrow();
    return Number(row.last_id);
  }

  /** Adds the usage and the keys of jobs to their rows. */
  async #stored(rows: readonly JobRow[]): Promise<readonly StoredJob[]> {
    const ids = rows.map(({ id }) => Number(id));
    const range = { after: (ids[0] ?? 0) - 1, upTo: ids.at(-1) ?? 0 };
    const usage = new Map(
      entriesOf(await this.#usageRows(range, 'existing')).map((one) => [one.id, one.usage]),
    );
    const keys = await this.queries
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('job_id', 'in', ids)
      .where('created_at', '>', this.options.keysSince)
      .execute();
    const names = new Map(keys.map((row) => [Number(row.job_id), idempotencyName(row.account_id, row.key)]));
    return rows.flatMap((row) => {
      const document = this.#read(row);
      if (document === null) return [];
      const { id, accountId, idempotency } = document.job;
      const isFoundByKey =
        idempotency !== null && names.get(id) === idempotencyName(accountId, idempotency.key);
      return [{ ...document, usage: usage.get(id) ?? [], isFoundByKey }];
    });
  }

  #read({ id, revision, document }: JobRow): JobDocument | null {
    const found = readJobDocument({ revision, job: JSON.parse(document) as unknown }, Number(id));
    if (found === null)
      this.options.onDamaged({
        place: `job ${id} in ${this.name}`,
        reason: 'its fields are not those of a job',
      });
    return found;
  }

  /** The usage of the jobs in a range that exist, or that were removed. */
  async #usageRows({ after, upTo }: IdRange, which: 'existing' | 'removed'): Promise<readonly UsageRow[]> {
    const exists = sql<boolean>`exists (select from venc.jobs where jobs.id = usage.job_id)`;
    return this.queries
      .selectFrom('usage')
      .selectAll()
      .where('job_id', '>', after)
      .where('job_id', '<=', upTo)
      .where(exists, '=', which === 'existing')
      .orderBy('job_id')
      .orderBy('day')
      .execute();
  }

  /** The first id, from this one on, of a job that has usage or files; null if there is none. Index scans alone find it. */
  async #nextUsed(from: number): Promise<number | null> {
    const { rows } = await sql<{ id: string | null }>`
      select least(
        (select min(job_id) from venc.usage where job_id >= ${from}),
        (select min(job_id) from venc.removed_files where job_id >= ${from})
      ) as id`.execute(this.queries);
    const id = rows[0]?.id ?? null;
    return id === null ? null : Number(id);
  }

  async #drainedWorkers(): Promise<readonly string[]> {
    const rows = await this.queries.selectFrom('drained_workers').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  }

  async #credentials(): Promise<readonly PlainCredential[]> {
    const stored = await listCredentialRows(this.queries);
    return stored.map(({ encrypted, ...entry }) => ({
      ...entry,
      ...decrypt({ ...entry, encrypted }, this.options.encryptionKey),
    }));
  }
}

/** A row of the table of usage. */
interface UsageRow {
  readonly job_id: number | string;
  readonly account_id: string;
  readonly day: string;
  readonly grouping: string;
  readonly encoded_ms: number | string;
  readonly billable_ms: number | string;
}

/** Groups rows, which are ordered by job, by their jobs. The state of a removed job is not stored, and nothing depends on it. */
function entriesOf(rows: readonly UsageRow[]): readonly RemovedJob[] {
  const entries = new Map<number, RemovedJob & { usage: JobDailyUsage[] }>();
  for (const row of rows) {
    const id = Number(row.job_id);
    const entry = entries.get(id) ?? { id, accountId: row.account_id, state: 'finished', usage: [] };
    entry.usage.push({
      day: row.day,
      grouping: JSON.parse(row.grouping) as string | null,
      encodedMs: Number(row.encoded_ms),
      billableMs: Number(row.billable_ms),
    });
    entries.set(id, entry);
  }
  return [...entries.values()];
}
