import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { chunksOf } from '../../src/shared/util/collections.js';
import { realDisk } from '../../src/shared/util/disk.js';
import { toWriteError } from '../store/data-folder/disk-errors.js';
import { dataLayout } from '../store/data-folder/layout.js';
import { type DataLock, lockDataFolder } from '../store/data-folder/lock.js';
import { idempotencyTtlMs } from '../store/job-store.js';
import { JobFileWriter } from '../store/jobs/job-file-writer.js';
import { type ExclusiveDatabase, openDatabaseExclusively } from '../store/postgres/connection.js';
import { checkOfKey, openDatabaseKey } from '../store/postgres/credentials.js';
import { requireFinishedMigration, targetState } from '../store/postgres/migrations.js';
import { DatabaseRecords, WritableDatabase } from '../store/postgres/records.js';
import type {
  DamagedRecord,
  IdRange,
  MigrationName,
  StoredJob,
  StoredRecords,
  TargetState,
  WritableRecords,
} from '../store/stored-records.js';
import { type Comparison, checksumOfJob, compareRecords } from './compare-records.js';
import { FolderRecords, WritableFolder } from './folder-records.js';

/** What a migration is doing, and for how many of the jobs it is done. */
interface MigrationProgress {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly done: number;
  readonly total: number;
}

/** The options of `migrateData`. */
interface MigrationOptions {
  /** `from`: from the data folder to the database. */
  readonly direction: 'from' | 'to';
  readonly dataFolder: string;
  /** The address of the database. */
  readonly dsn: string;
  /** The value of `VENC_DATABASE_KEY`. */
  readonly databaseKey: string | undefined;
  /** Whether damaged records are left out. Otherwise nothing is copied if there are any. */
  readonly areDamagedSkipped: boolean;
  readonly onProgress: (progress: MigrationProgress) => void;
}

/** The result of a migration. */
interface MigrationResult extends Comparison {
  readonly source: string;
  readonly target: string;
  /** What was left out. */
  readonly damaged: readonly DamagedRecord[];
  /** Whether an earlier run had copied everything. */
  readonly wasComplete: boolean;
}

/**
 * Copies all jobs, accounts, keys and credentials between a data folder and a database, and compares both sides
 * afterwards. The source is not changed, except that changes in the journal of a killed daemon are written to the files of their jobs. A migration that was interrupted continues; until it has finished, no daemon
 * uses the target.
 *
 * Rejects with `UsageError` for a folder or database that cannot be used and for damaged records, with `InUseError` if
 * another process uses one of them, with `ConflictError` if the target contains something else, and with
 * `UnavailableError` if the connection is lost.
 */
export async function migrateData(options: MigrationOptions): Promise<MigrationResult> {
  const { direction, dataFolder, dsn } = options;
  if (direction === 'from') await requireDataFolder(dataFolder);
  const database = await openDatabaseExclusively(dsn, { isCreated: direction === 'from' });
  try {
    const lock = await lockDataFolder(dataFolder, { isForMigration: direction === 'to' });
    try {
      return await migrate(options, database, lock);
    } finally {
      await lock.release();
    }
  } finally {
    await database.close();
  }
}

async function migrate(
  options: MigrationOptions,
  database: ExclusiveDatabase,
  lock: DataLock,
): Promise<MigrationResult> {
  const { areDamagedSkipped, onProgress } = options;
  const damaged = new Map<string, DamagedRecord>();
  const sides = await openSides(options, { database, lock, damaged });
  const { source, target, migration, progress, encryptionKey: key } = sides;
  const total = await source.countJobs();
  const report = (step: MigrationProgress['step']) => {
    let done = 0;
    return (count = 1) => {
      done += count;
      onProgress({ step, done: Math.min(done, total), total });
    };
  };
  // Before anything is written: this finds damaged records, and secrets that cannot be decrypted.
  await source.setup();
  const onRead = report('checking');
  for await (const jobs of source.jobs()) onRead(jobs.length);
  if (!areDamagedSkipped) requireUndamaged([...damaged.values()], source.name);

  let lost: VencError | null = null;
  void lock.lost.then((error) => {
    lost = error;
  });
  const check = () => {
    database.requireLock();
    if (lost !== null) throw lost;
  };
  if (progress !== 'finished') {
    await target.begin(migration);
    const isContinued = progress === 'unfinished';
    await copyRecords(source, target, { isContinued, check, onJobs: report('copying') });
  }
  const compared = await compareRecords(source, target, { key, onJob: report('comparing') });
  const isEqual = compared.rows.every((row) => row.isEqual);
  if (progress === 'finished' && !isEqual) throw changedSince(source, target);
  check();
  if (isEqual) await target.finish();
  return {
    ...compared,
    source: source.name,
    target: target.name,
    damaged: [...damaged.values()],
    wasComplete: progress === 'finished',
  };
}

/** The sides of a migration, and how far it is. */
interface Sides {
  readonly source: StoredRecords;
  readonly target: WritableRecords;
  readonly migration: MigrationName;
  readonly progress: TargetProgress;
  readonly encryptionKey: Buffer;
}

/** Opens both sides, and adds what is known to be damaged. Rejects if the target contains something else. */
async function openSides(
  { direction, dataFolder: folder, databaseKey: given }: MigrationOptions,
  parts: {
    readonly database: ExclusiveDatabase;
    readonly lock: DataLock;
    readonly damaged: Map<string, DamagedRecord>;
  },
): Promise<Sides> {
  const { database, lock, damaged } = parts;
  const onDamaged = (record: DamagedRecord) => void damaged.set(record.place, record);
  // What is damaged in a target is written again.
  const ignore = () => undefined;
  const keysSince = new Date(Date.now() - idempotencyTtlMs);
  const fromFolder = new FolderRecords({ folder, onDamaged, keysSince });
  const toFolder = new WritableFolder({ folder, onDamaged: ignore, keysSince }, lock.guard(realDisk));
  const isFrom = direction === 'from';
  if (isFrom) await writeJournaledJobs(folder, lock, onDamaged);
  if (!isFrom) await requireFinishedMigration(database.queries);
  const state = await (isFrom ? targetState(database.queries) : toFolder.state());
  const [source, target] = isFrom ? [fromFolder.name, database.name] : [database.name, toFolder.name];
  requireTarget(state, { source, keyCheck: null }, target);
  const isUnused = async () => isFrom && state.kind === 'empty';
  const encryptionKey = await openDatabaseKey({ dataFolder: folder, given, isUnused });
  const migration = { source, keyCheck: checkOfKey(encryptionKey) };
  const progress = requireTarget(state, migration, target);
  const common = { migration, progress, encryptionKey };
  const inDatabase = { database, encryptionKey, keysSince };
  if (!isFrom)
    return { ...common, source: new DatabaseRecords({ ...inDatabase, onDamaged }), target: toFolder };
  for (const record of await fromFolder.quarantined()) onDamaged(record);
  return {
    ...common,
    source: fromFolder,
    target: new WritableDatabase({ ...inDatabase, onDamaged: ignore }),
  };
}

/** Writes the jobs that a killed daemon left in the journal to their files. */
async function writeJournaledJobs(
  folder: string,
  lock: DataLock,
  onDamaged: (record: DamagedRecord) => void,
): Promise<void> {
  const layout = dataLayout(folder);
  const disk = lock.guard(realDisk);
  const log = (_: string, reason: string) => onDamaged({ place: layout.journal, reason });
  await JobFileWriter.open({ layout, disk, files: new AtomicFiles(disk, toWriteError), log });
}

/** More are only counted. */
const maxNamed = 20;

function requireUndamaged(damaged: readonly DamagedRecord[], source: string): void {
  if (damaged.length === 0) return;
  const named = damaged.slice(0, maxNamed).map(({ place, reason }) => `${place} is damaged: ${reason}.`);
  const more = damaged.length - named.length;
  const what = damaged.length === 1 ? 'A record' : `${damaged.length} records`;
  const summary = `${what} of ${source} cannot be read; nothing was copied.`;
  throw new VencError('UsageError', summary, {
    messages: [...named, ...(more === 0 ? [] : [`${more} more records are damaged.`]), summary],
    hint: 'restore them from a backup and put them back in their places, or leave them out with --skip-damaged',
  });
}

function changedSince({ name: source }: StoredRecords, { name: target }: StoredRecords): VencError {
  const message = `The migration from ${source} to ${target} has finished earlier, and one of them has changed since: nothing was copied.`;
  return new VencError('ConflictError', message, {
    hint: 'to migrate again, use an empty database, or an empty data folder',
  });
}

async function requireDataFolder(folder: string): Promise<void> {
  const found = await Promise.all(
    ['jobs', 'accounts.json'].map((name) => stat(join(folder, name)).catch(() => null)),
  );
  if (found.some((entry) => entry !== null)) return;
  throw new VencError('UsageError', `${folder} is not a data folder: it has neither jobs nor accounts.`, {
    hint: 'name the data folder of a daemon, such as ~/.local/share/venc',
  });
}

/** How far a migration to a target is. */
type TargetProgress = 'empty' | 'unfinished' | 'finished';

/** The name of a migration; `keyCheck` is null while the key is not known. */
interface ExpectedMigration extends Pick<MigrationName, 'source'> {
  readonly keyCheck: string | null;
}

/**
 * How far a migration to this target is. Throws `ConflictError` if the target contains anything else than its records.
 */
function requireTarget(state: TargetState, migration: ExpectedMigration, target: string): TargetProgress {
  if (state.kind === 'empty') return 'empty';
  if (state.kind === 'used')
    throw notEmpty(`${capitalized(target)} is not empty: it contains ${state.what}.`);
  const { source, keyCheck } = state.migration;
  const progress = state.isFinished ? 'finished' : 'unfinished';
  const part = state.isFinished ? 'the records' : 'a part of the records';
  if (source !== migration.source)
    throw notEmpty(`${capitalized(target)} contains ${part} of ${source}, not of ${migration.source}.`);
  if (migration.keyCheck !== null && keyCheck !== migration.keyCheck)
    throw notEmpty(`${capitalized(target)} contains ${part} of ${source} with another key of the database.`);
  return progress;
}

function notEmpty(message: string): VencError {
  return new VencError('ConflictError', message, {
    hint: 'migrate to an empty database (createdb), or to a new data folder',
  });
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The options of `copyRecords`. */
interface CopyOptions {
  /** Whether the target may contain a part of the records, and ones that the source no longer has. */
  readonly isContinued: boolean;
  /** Called before each write. Throws if nothing more may be written. */
  readonly check: () => void;
  readonly onJobs: (count: number) => void;
}

/** Makes the records of the target those of the source. What the target already has is not written again. */
async function copyRecords(
  source: StoredRecords,
  target: WritableRecords,
  { isContinued, check, onJobs }: CopyOptions,
): Promise<void> {
  let lastId = 0;
  for await (const jobs of source.jobs()) {
    const last = jobs.at(-1);
    if (last === undefined) continue;
    const range = { after: lastId, upTo: last.job.id };
    const missing = isContinued ? await missingIn(target, jobs, range) : jobs;
    check();
    if (isContinued) await removeOthers(target, jobs, range);
    await target.putJobs(missing);
    lastId = last.job.id;
    onJobs(jobs.length);
  }
  if (isContinued) await removeOthers(target, [], { after: lastId, upTo: Number.POSITIVE_INFINITY });
  check();
  await target.replaceRemoved(source.removed());
  check();
  await target.replaceLastId(await source.lastId());
  check();
  await target.replaceSetup(await source.setup());
}

/** The jobs that the target does not have in the same version. */
async function missingIn(
  target: WritableRecords,
  jobs: readonly StoredJob[],
  range: IdRange,
): Promise<readonly StoredJob[]> {
  const found = new Map<number, string>();
  for await (const some of target.jobs(range))
    for (const stored of some) found.set(stored.job.id, checksumOfJob(stored));
  return jobs.filter((stored) => found.get(stored.job.id) !== checksumOfJob(stored));
}

const maxDeleted = 1000;

/** Removes the jobs of the target in a range that are not among these. */
async function removeOthers(
  target: WritableRecords,
  jobs: readonly StoredJob[],
  range: IdRange,
): Promise<void> {
  const kept = new Set(jobs.map(({ job }) => job.id));
  const others = (await target.idsOf(range)).filter((id) => !kept.has(id));
  for (const some of chunksOf(others, maxDeleted)) await target.deleteJobs(some);
}
