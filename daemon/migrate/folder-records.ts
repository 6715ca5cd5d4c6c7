import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFinal } from '../../src/shared/states.js';
import { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { chunksOf } from '../../src/shared/util/collections.js';
import { type Disk, realDisk } from '../../src/shared/util/disk.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { usageOf } from '../jobs/usage.js';
import { toWriteError } from '../store/data-folder/disk-errors.js';
import { readFolderMigration } from '../store/data-folder/folder-migration.js';
import {
  dataLayout,
  firstIdOfDoneFolder,
  foldersOfJobs,
  idOfJobFile,
  jobFile,
} from '../store/data-folder/layout.js';
import { readNextId, writeNextId } from '../store/data-folder/sequence.js';
import { idOfDamaged } from '../store/jobs/damaged-jobs.js';
import { indexEntry } from '../store/jobs/index-entry.js';
import { type JobDocument, maxConcurrentReads, readJobFile } from '../store/jobs/job-document.js';
import { readRemovedJobs, removedFile, writeRemovedJobs } from '../store/jobs/removed-jobs.js';
import type {
  DamagedRecord,
  IdRange,
  MigrationName,
  RemovedRecords,
  SetupRecords,
  StoredJob,
  StoredRecords,
  TargetState,
  WritableRecords,
} from '../store/stored-records.js';
import { readFolderSetup, writeFolderSetup } from './folder-setup.js';

/** The options of `FolderRecords`. */
interface FolderRecordsOptions {
  readonly folder: string;
  /** Called for each damaged record, at each time that it is read. It is left out. */
  readonly onDamaged: (record: DamagedRecord) => void;
  /** Idempotency keys of jobs that were created before are forgotten. */
  readonly keysSince: Date;
}

/** Ids per folder of final jobs. */
const idsPerBlock = 1000;

/** The files of one block of a thousand ids. */
interface Block {
  readonly name: string;
  readonly firstId: number;
  readonly active: ReadonlySet<number>;
  readonly done: ReadonlySet<number>;
}

/**
 * The records of a data folder. Reads it as the start of a daemon does, but repairs nothing: of two files of a job the
 * newer one counts, and the file of a removed job does not.
 */
export class FolderRecords implements StoredRecords {
  readonly name: string;
  protected readonly layout;
  readonly #options: FolderRecordsOptions;

  constructor(options: FolderRecordsOptions) {
    this.#options = options;
    this.layout = dataLayout(options.folder);
    this.name = `the data folder ${options.folder}`;
  }

  async countJobs(): Promise<number> {
    let count = 0;
    for await (const { active, done } of this.#blocks()) count += new Set([...active, ...done]).size;
    return count;
  }

  async *jobs(range: IdRange = { after: 0, upTo: Number.POSITIVE_INFINITY }) {
    for await (const block of this.#blocks(range)) {
      const { entries } = await readRemovedJobs(this.layout, block.name);
      const removed = new Set(entries.map(({ id }) => id));
      const ids = idsInBlock(block, range).filter((id) => !removed.has(id));
      for (const some of chunksOf(ids, maxConcurrentReads)) {
        const found = await mapWithConcurrency(some, maxConcurrentReads, (id) => this.#read(id, block));
        yield found.filter((document) => document !== null).map((document) => this.#stored(document));
      }
    }
  }

  /** The ids of all jobs in a range, also of those whose file is damaged. */
  async idsOf(range: IdRange): Promise<readonly number[]> {
    const ids: number[] = [];
    for await (const block of this.#blocks(range)) ids.push(...idsInBlock(block, range));
    return ids;
  }

  async *removed(): AsyncIterable<RemovedRecords> {
    for await (const { name: folder } of this.#blocks()) {
      const { entries, files } = await readRemovedJobs(this.layout, folder);
      const used = entries.filter(({ usage }) => usage.length > 0);
      if (used.length + files.length > 0) yield { folder, entries: used, files };
    }
  }

  setup(): Promise<SetupRecords> {
    return readFolderSetup(this.layout, this.#options.onDamaged);
  }

  async lastId(): Promise<number> {
    let maxId = 0;
    let last: Block | null = null;
    for await (const block of this.#blocks()) {
      last = block;
      for (const id of [block.firstId, ...block.active, ...block.done]) maxId = Math.max(maxId, id);
    }
    const { entries } = last === null ? { entries: [] } : await readRemovedJobs(this.layout, last.name);
    for (const { id } of entries) maxId = Math.max(maxId, id);
    for (const name of await namesIn(this.layout.damaged)) maxId = Math.max(maxId, idOfDamaged(name) ?? 0);
    return (await readNextId(this.layout.sequence, maxId)) - 1;
  }

  /** The damaged job files that a daemon has moved away. */
  async quarantined(): Promise<readonly DamagedRecord[]> {
    const names = (await namesIn(this.layout.damaged)).filter((name) => idOfDamaged(name) !== null);
    return names.map((name) => ({
      place: join(this.layout.damaged, name),
      reason: 'the daemon has moved it there, because it could not read it',
    }));
  }

  /** The blocks with ids of a range, or all, in the order of their ids. */
  async *#blocks(
    { after, upTo }: IdRange = { after: 0, upTo: Number.POSITIVE_INFINITY },
  ): AsyncIterable<Block> {
    const activeIds = idsOf(await namesIn(this.layout.active)).sort((a, b) => a - b);
    const doneFolders = (await namesIn(this.layout.done)).filter(
      (name) => firstIdOfDoneFolder(name) !== null,
    );
    const numbers = new Set([
      ...doneFolders.map(Number),
      ...activeIds.map((id) => Math.floor(id / idsPerBlock)),
    ]);
    let position = 0;
    for (const number of [...numbers].sort((a, b) => a - b)) {
      const firstId = number * idsPerBlock;
      const active = new Set<number>();
      for (let id = activeIds[position]; id !== undefined && id < firstId + idsPerBlock; ) {
        active.add(id);
        position += 1;
        id = activeIds[position];
      }
      if (firstId + idsPerBlock - 1 <= after || firstId > upTo) continue;
      const name = String(number);
      const inFolder = idsOf(await namesIn(join(this.layout.done, name)));
      const done = new Set(inFolder.filter((id) => Math.floor(id / idsPerBlock) === number));
      yield { name, firstId, active, done };
    }
  }

  async #read(id: number, { active, done }: Block): Promise<JobDocument | null> {
    const activeDocument = active.has(id)
      ? await this.#readFile(jobFile(this.layout, id, 'waiting'), id)
      : null;
    const doneDocument = done.has(id) ? await this.#readFile(jobFile(this.layout, id, 'finished'), id) : null;
    if (activeDocument === null || doneDocument === null) return activeDocument ?? doneDocument;
    return doneDocument.revision >= activeDocument.revision ? doneDocument : activeDocument;
  }

  async #readFile(path: string, id: number): Promise<JobDocument | null> {
    const found = await readJobFile(path, id);
    if (found.kind === 'damaged') this.#options.onDamaged({ place: path, reason: found.reason });
    return found.kind === 'whole' ? found.data : null;
  }

  #stored(document: JobDocument): StoredJob {
    const { idempotencyKey } = indexEntry(document.job);
    const isFoundByKey = (idempotencyKey?.createdAtMs ?? 0) > this.#options.keysSince.getTime();
    return { ...document, usage: usageOf(document.job), isFoundByKey };
  }
}

/** The names in a folder; none if there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
}

/** The path of a job's file in the folder that does not belong to its state. */
function otherJobFile(layout: ReturnType<typeof dataLayout>, { id, state }: StoredJob['job']): string {
  return jobFile(layout, id, isFinal(state) ? 'waiting' : 'finished');
}

/** The ids of a block in a range, in their order. */
function idsInBlock({ active, done }: Block, { after, upTo }: IdRange): readonly number[] {
  return [...new Set([...active, ...done])].filter((id) => id > after && id <= upTo).sort((a, b) => a - b);
}

function idsOf(names: readonly string[]): number[] {
  return names.map(idOfJobFile).filter((id) => id !== null);
}

/** The files, except those of jobs, that an empty data folder does not have. */
const setupFiles = [
  ...['accounts.json', 'owner-key', 'credentials.json', 'sequence.json', 'drained-workers.json'],
] as const;

/** A data folder to which a migration copies. */
export class WritableFolder extends FolderRecords implements WritableRecords {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #files: AtomicFiles;

  /** `disk` fails once the lock of the folder is lost. */
  constructor(options: FolderRecordsOptions, disk: Disk = realDisk) {
    super(options);
    this.#folder = options.folder;
    this.#disk = disk;
    this.#files = new AtomicFiles(disk, toWriteError);
  }

  async state(): Promise<TargetState> {
    const found = await readFolderMigration(this.#folder);
    if (found !== null) {
      const { isFinished, ...migration } = found;
      return { kind: 'migration', migration, isFinished };
    }
    const jobs = await this.countJobs();
    if (jobs > 0) return { kind: 'used', what: `${jobs} job${jobs === 1 ? '' : 's'}` };
    const names = new Set(await namesIn(this.#folder));
    const file = setupFiles.find((name) => names.has(name));
    if (file !== undefined) return { kind: 'used', what: `the file ${file}` };
    const damaged = (await this.quarantined()).length > 0;
    return damaged ? { kind: 'used', what: 'damaged jobs' } : { kind: 'empty' };
  }

  async begin(migration: MigrationName): Promise<void> {
    await this.#writeMigration(migration, false);
    for (const folder of foldersOfJobs(this.layout)) await this.#files.makeFolder(folder);
  }

  async finish(): Promise<void> {
    const found = await readFolderMigration(this.#folder);
    if (found !== null) await this.#writeMigration(found, true);
  }

  async putJobs(jobs: readonly StoredJob[]): Promise<void> {
    await mapWithConcurrency(jobs, maxConcurrentReads, async ({ revision, job }) => {
      const path = jobFile(this.layout, job.id, job.state);
      await this.#files.makeFolder(dirname(path));
      await this.#files.write(path, JSON.stringify({ revision, job }));
      await this.#remove(otherJobFile(this.layout, job));
    });
  }

  async deleteJobs(ids: readonly number[]): Promise<void> {
    for (const id of ids)
      for (const state of ['waiting', 'finished'] as const)
        await this.#remove(jobFile(this.layout, id, state));
  }

  async replaceRemoved(records: AsyncIterable<RemovedRecords>): Promise<void> {
    const written = new Set<string>();
    for await (const { folder, entries, files } of records) {
      await writeRemovedJobs(this.#files, this.layout, folder, { entries, files });
      written.add(folder);
    }
    for (const name of await namesIn(this.layout.done))
      if (!written.has(name)) await this.#remove(removedFile(this.layout, name));
  }

  replaceSetup(setup: SetupRecords): Promise<void> {
    return writeFolderSetup(this.#files, this.layout, setup);
  }

  replaceLastId(id: number): Promise<void> {
    return writeNextId(this.#files, this.layout.sequence, id + 1);
  }

  #writeMigration({ source, keyCheck }: MigrationName, isFinished: boolean): Promise<void> {
    return this.#files.write(this.layout.migration, JSON.stringify({ source, keyCheck, isFinished }));
  }

  async #remove(path: string): Promise<void> {
    await this.#disk.remove(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
    });
  }
}
