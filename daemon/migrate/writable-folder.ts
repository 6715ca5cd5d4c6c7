import { dirname } from 'node:path';
import { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { type Disk, realDisk } from '../../src/shared/util/disk.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { toWriteError } from '../store/data-folder/disk-errors.js';
import { readFolderMigration } from '../store/data-folder/folder-migration.js';
import { foldersOfJobs, jobFile } from '../store/data-folder/layout.js';
import { writeNextId } from '../store/data-folder/sequence.js';
import { maxConcurrentReads } from '../store/jobs/job-document.js';
import { removedFile, writeRemovedJobs } from '../store/jobs/removed-jobs.js';
import type {
  MigrationName,
  RemovedRecords,
  SetupRecords,
  StoredJob,
  TargetState,
  WritableRecords,
} from '../store/stored-records.js';
import { FolderRecords, type FolderRecordsOptions, namesIn, otherJobFile } from './folder-records.js';
import { writeFolderSetup } from './folder-setup.js';

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
