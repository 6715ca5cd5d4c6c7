import { dirname } from 'node:path';
import { isVencError, VencError } from '../../../src/api/errors.js';
import { isFinal } from '../../../src/api/states.js';
import type { JobDraft } from '../../jobs/draft.js';
import type { Job } from '../../jobs/job.js';
import type { JobFilter, JobPage, JobStore } from '../job-store.js';
import { Chains } from './chains.js';
import { DamagedJobs, type StoreLog } from './damaged-jobs.js';
import { type Disk, realDisk } from './disk.js';
import { openingError } from './disk-errors.js';
import { writeDocument } from './document.js';
import { DurableFiles } from './durable-files.js';
import { writeIndexFile } from './index-file.js';
import type { JobDocument } from './job-document.js';
import { JobRecords } from './job-records.js';
import { type DataLayout, dataLayout, foldersOfJobs, jobFile } from './layout.js';
import { clearLeftovers } from './leftovers.js';
import { readJobs } from './read-jobs.js';
import { Sequence } from './sequence.js';

/** Final jobs read at a start that make it worthwhile to write the index at once, not only at the close. */
const indexWorthwhileCount = 2000;

/** What opening a job store takes. */
export interface OpenJobStoreOptions {
  /** Is told of damaged files. */
  readonly log: StoreLog;
  /** For tests that make steps fail; this machine's disk otherwise. */
  readonly disk?: Disk;
}

/**
 * Opens the jobs in a data folder, which the caller holds the lock of (`lockDataFolder`) until the store is closed.
 * Rejects with `UsageError` where the folder cannot be written, with `OutOfSpaceError` where there is no room for it.
 */
export async function openJobStore(dataFolder: string, options: OpenJobStoreOptions): Promise<JobStore> {
  const layout = dataLayout(dataFolder);
  const disk = options.disk ?? realDisk;
  const { log } = options;
  try {
    const files = new DurableFiles(disk);
    for (const folder of foldersOfJobs(layout)) await files.makeFolder(folder);
    await clearLeftovers(layout, disk);
    const damaged = await DamagedJobs.open(layout.damaged, disk, log);
    const found = await readJobs(layout, disk, damaged);
    const sequence = await Sequence.open(files, layout.sequence, found.greatestId);
    const records = new JobRecords(layout, damaged, found);
    const store = new JsonJobStore({ layout, disk, files, sequence, records, log });
    if (found.doneRead >= indexWorthwhileCount) await store.writeIndex();
    return store;
  } catch (error) {
    throw openingError(error, dataFolder);
  }
}

interface Parts {
  readonly layout: DataLayout;
  readonly disk: Disk;
  readonly files: DurableFiles;
  readonly sequence: Sequence;
  readonly records: JobRecords;
  readonly log: StoreLog;
}

/**
 * Jobs as JSON files, one a job: `jobs/active/ID.json` until it is final, then `jobs/done/N/ID.json`. A job that moves
 * is first written where it goes and then removed where it was; a crash between leaves both, and the revision
 * in them tells the newer.
 */
class JsonJobStore implements JobStore {
  readonly #parts: Parts;
  readonly #records: JobRecords;
  readonly #chains = new Chains();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#records = parts.records;
  }

  async create(draft: JobDraft): Promise<Job> {
    const document = { revision: 1, job: draft.number(await this.#parts.sequence.take(draft.idCount)) };
    return this.#chains.run(document.job.id, async () => {
      try {
        await this.#write(document);
      } catch (error) {
        // Only where the fsync of the folder failed is there anything to remove.
        await this.#parts.disk.remove(this.#pathOf(document)).catch(() => undefined);
        throw error;
      }
      this.#records.remember(document);
      return document.job;
    });
  }

  async get(id: number): Promise<Job | null> {
    const known = this.#records.known(id);
    if (known !== undefined) return known.job;
    // In the chain, so that what is read cannot be overtaken by an update and remembered after it.
    const document = await this.#chains.run(id, () => this.#records.load(id));
    return document?.job ?? null;
  }

  async findByFile(fileId: number): Promise<Job | null> {
    const owner = this.#records.index.floor(fileId);
    if (owner === undefined || owner.id === fileId) return null;
    const job = await this.#whole(owner.id);
    const isPart = job?.input.id === fileId || job?.outputs.some(({ id }) => id === fileId);
    return isPart ? job : null;
  }

  async list(filter: JobFilter): Promise<JobPage> {
    for (;;) {
      const { ids, total } = this.#records.index.page(filter);
      const jobs = (await Promise.all(ids.map((id) => this.#whole(id)))).filter((job) => job !== null);
      // A job that turned out to be damaged has left the index by now, and the next takes its place.
      if (jobs.length === ids.length) return { jobs, total };
    }
  }

  async active(): Promise<readonly Job[]> {
    return [...this.#records.active()].sort((a, b) => a.id - b.id);
  }

  update(id: number, change: (job: Job) => Job): Promise<Job> {
    return this.#chains.run(id, async () => {
      const before = await this.#records.load(id);
      if (before === null) throw new VencError('NotFoundError', `There is no job ${id}.`);
      const job = change(before.job);
      if (job === before.job) return job;
      const after = { revision: before.revision + 1, job };
      try {
        await this.#write(after);
      } catch (error) {
        await this.#records.lookAgain(before);
        throw error;
      }
      await this.#removeFormer(before, after);
      this.#records.remember(after);
      return job;
    });
  }

  async close(): Promise<void> {
    await this.#chains.idle();
    try {
      await this.#parts.sequence.close();
    } catch {
      // The ids that stay reserved are skipped, which harms nobody.
    }
    await this.writeIndex();
  }

  /** Writes the cache of final jobs. Never rejects: a start can do without it. */
  async writeIndex(): Promise<void> {
    const { files, layout, log } = this.#parts;
    const done = this.#records.index.all().filter(({ state }) => isFinal(state));
    try {
      await writeIndexFile(files, layout, done, new Date());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(
        'warn',
        `The index of the jobs could not be written (${why}); the next start takes a little longer.`,
      );
    }
  }

  #pathOf({ job }: JobDocument): string {
    return jobFile(this.#parts.layout, job.id, job.state);
  }

  async #write(document: JobDocument): Promise<void> {
    const path = this.#pathOf(document);
    if (isFinal(document.job.state)) await this.#parts.files.makeFolder(dirname(path));
    await writeDocument(this.#parts.files, path, document);
  }

  async #removeFormer(before: JobDocument, after: JobDocument): Promise<void> {
    const former = this.#pathOf(before);
    // Should this fail, the next start finds two files, and the revision tells it which one to keep.
    if (former !== this.#pathOf(after)) await this.#parts.disk.remove(former).catch(() => undefined);
  }

  /** The job, or null where there is none that could be read. */
  async #whole(id: number): Promise<Job | null> {
    try {
      return await this.get(id);
    } catch (error) {
      if (isVencError(error, 'GoneError')) return null;
      throw error;
    }
  }
}
