import { dirname } from 'node:path';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { isFinal, type JobState } from '../../../src/shared/states.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { chunksOf } from '../../../src/shared/util/collections.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import type { Log } from '../../../src/shared/util/log.js';
import { KeyedMutex, mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import type { JobDraft } from '../../jobs/draft.js';
import type { Job } from '../../jobs/job.js';
import { jobMatcher } from '../../jobs/search.js';
import { hostedFilesOf } from '../../jobs/thumbnails.js';
import { removeTemporaryFiles } from '../data-folder/data-folder.js';
import { toOpenError, toWriteError } from '../data-folder/disk-errors.js';
import { type DataLayout, dataLayout, doneFolderName, foldersOfJobs } from '../data-folder/layout.js';
import { Sequence } from '../data-folder/sequence.js';
import {
  type AccountDailyUsage,
  type ChangedJobs,
  type CreateOptions,
  idempotencyTtlMs,
  type JobFilter,
  type JobListener,
  type JobListPage,
  type JobSearch,
  type JobStore,
  type RemovableFilter,
  type RemovalListener,
  type UsageFilter,
} from '../job-store.js';
import { runSearch } from '../run-search.js';
import { type ChangeHistory, openHistory } from './change-history.js';
import { DamagedJobs } from './damaged-jobs.js';
import { HostedSizes } from './hosted-sizes.js';
import type { IndexWriter } from './index/index-writer.js';
import { JobIndex } from './index/job-index.js';
import { idempotencyName, indexEntry } from './index-entry.js';
import { JobCache } from './job-cache.js';
import { maxConcurrentReads } from './job-document.js';
import { JobFileWriter, JobListeners } from './job-file-writer.js';
import { readJobs } from './read-jobs.js';
import { RemovedJobs } from './removed-jobs.js';

/** Jobs of one step of a search, and how many of them are read at once: other reads have their turn. */
const searchStepSize = 64;
const maxSearchReads = 8;

/** The options of `openJobStore`. */
export interface OpenJobStoreOptions {
  /** Logs damaged files and failing listeners. */
  readonly log: Log;
  /** Reads every job file and counts usage from them, for files that were changed or restored by hand. */
  readonly isUsageRebuilt?: boolean;
  /** Removes what else is stored of a job that was removed, before the promise of the removal resolves. */
  readonly onRemoved?: (id: number) => Promise<void>;
  /** The real disk by default; tests make steps fail. */
  readonly disk?: Disk;
}

/** The jobs in a data folder. */
export interface FolderJobStore extends JobStore {
  /**
   * Writes all changes so far to the files of their jobs, which otherwise happens within about a second. Rejects as
   * `AtomicFiles.write` does.
   */
  writeFiles(): Promise<void>;
}

/**
 * Opens the jobs in a data folder. The caller must hold its lock (`lockDataFolder`) until the store is
 * closed. Rejects with `UsageError` if the folder cannot be written, with `OutOfSpaceError` if there is no
 * space for it.
 */
export async function openJobStore(
  dataFolder: string,
  options: OpenJobStoreOptions,
): Promise<FolderJobStore> {
  const layout = dataLayout(dataFolder);
  const disk = options.disk ?? realDisk;
  const { log } = options;
  const startedAt = performance.now();
  try {
    const files = new AtomicFiles(disk, toWriteError);
    for (const folder of foldersOfJobs(layout)) await files.makeFolder(folder);
    await removeTemporaryFiles(layout, disk);
    const writer = await JobFileWriter.open({ layout, disk, files, log });
    const damaged = await DamagedJobs.open(layout.damaged, disk, log);
    const isIndexIgnored = options.isUsageRebuilt ?? false;
    const found = await readJobs(layout, disk, damaged, { isIndexIgnored });
    const sequence = await Sequence.open(files, layout.sequence, found.maxId);
    const cache = new JobCache(layout, damaged, found, writer);
    const removed = new RemovedJobs(layout, files, found.foldersWithRemoved);
    const removedHostedFiles = found.removedFiles;
    const history = await openHistory(layout.changes, dirname(layout.changes), disk);
    const { onRemoved = async () => {} } = options;
    const store = new JsonJobStore({
      layout,
      files,
      sequence,
      cache,
      writer,
      removed,
      removedHostedFiles,
      history,
      onRemoved,
      log,
    });
    // Replaces an ignored index at once, so that it is not used after a crash either.
    if (isIndexIgnored || found.doneRead >= JobIndex.writeThreshold) await store.writeIndex();
    if (found.doneRead >= JobIndex.writeThreshold) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      log('info', `Read the files of ${found.doneRead} jobs in ${seconds} s: the index did not have them.`);
    }
    return store;
  } catch (error) {
    throw toOpenError(error, dataFolder);
  }
}

interface JsonJobStoreParts {
  readonly layout: DataLayout;
  readonly files: AtomicFiles;
  readonly sequence: Sequence;
  readonly cache: JobCache;
  readonly writer: JobFileWriter;
  readonly removed: RemovedJobs;
  /** Hosted files of removed jobs that may still exist, by the name of the folder in `jobs/done`. */
  readonly removedHostedFiles: Map<string, readonly string[]>;
  readonly history: ChangeHistory;
  readonly onRemoved: (id: number) => Promise<void>;
  readonly log: Log;
}

/** Stores jobs as JSON files, one per job, with an index of all jobs in memory. */
class JsonJobStore implements FolderJobStore {
  readonly #parts: JsonJobStoreParts;
  readonly #cache: JobCache;
  readonly #listeners: JobListeners;
  readonly #jobMutex = new KeyedMutex<number>();
  /** Serializes creates with one idempotency key, so that the later ones find the first. */
  readonly #createMutex = new KeyedMutex<string | symbol>();
  readonly #indexWriter: IndexWriter;
  readonly #hostedSizes = new HostedSizes();

  constructor(parts: JsonJobStoreParts) {
    this.#parts = parts;
    this.#cache = parts.cache;
    this.#listeners = new JobListeners(parts.log);
    this.#indexWriter = parts.cache.index.createWriter({
      ...parts,
      busyFolders: () =>
        new Set([...this.#jobMutex.keys(), ...parts.writer.pendingIds()].map(doneFolderName)),
      foldersWithRemoved: parts.removed.folders,
    });
  }

  create(draft: JobDraft, { requireRoom }: CreateOptions = {}): Promise<Job> {
    const { accountId, idempotency, createdAt } = draft.job;
    const now = Date.parse(createdAt);
    this.#cache.index.rotate(now);
    const persist = () => {
      if (requireRoom === undefined) return this.#persist(draft);
      return this.#createMutex.runExclusive(JSON.stringify([accountId]), async () => {
        requireRoom(this.#waitingCount(accountId));
        return this.#persist(draft);
      });
    };
    if (idempotency === null) return this.#createMutex.runExclusive(Symbol(), persist);
    const { key } = idempotency;
    return this.#createMutex.runExclusive(idempotencyName(accountId, key), async () => {
      const existing = await this.findByIdempotencyKey(accountId, key, new Date(now - idempotencyTtlMs));
      return existing ?? persist();
    });
  }

  #waitingCount(accountId: string): number {
    const totalOf = (state: JobState) =>
      this.#cache.index.page({ accountId, state, offset: 0, limit: 0 }).total;
    return totalOf('pending') + totalOf('waiting');
  }

  hostedBytes(accountId: string, now: Date): Promise<number> {
    return this.#hostedSizes.bytes(accountId, now, () => this.#jobsOf(accountId));
  }

  async *#jobsOf(accountId: string): AsyncIterable<readonly Job[]> {
    // The ids at the start: later jobs are added as they change.
    const { ids } = this.#cache.index.page({ accountId, offset: 0, limit: Number.MAX_SAFE_INTEGER });
    for (const some of chunksOf(ids, maxConcurrentReads)) yield this.#getAllReadable(some);
  }

  async findByIdempotencyKey(accountId: string, key: string, since: Date): Promise<Job | null> {
    const id = this.#cache.index.findByIdempotencyKey(accountId, key, since.getTime());
    return id === null ? null : this.#getReadable(id);
  }

  async get(id: number): Promise<Job | null> {
    const known = this.#cache.getCached(id);
    if (known !== undefined) return known.job;
    // Under the mutex, so that an update cannot overtake the read and be overwritten in the cache.
    const document = await this.#jobMutex.runExclusive(id, () => this.#cache.load(id));
    return document?.job ?? null;
  }

  async has(id: number): Promise<boolean> {
    return this.#cache.has(id);
  }

  async findByFile(fileId: number): Promise<Job | null> {
    const owner = this.#cache.index.floor(fileId);
    if (owner === undefined || owner.id === fileId) return null;
    const job = this.#cache.getCached(owner.id)?.job ?? (await this.#getReadable(owner.id));
    const isPart = job?.input.id === fileId || job?.outputs.some(({ id }) => id === fileId);
    return isPart ? job : null;
  }

  async list(filter: JobFilter): Promise<JobListPage> {
    if (filter.search !== undefined) return this.#search(filter, filter.search);
    for (;;) {
      const { ids, total } = this.#cache.index.page(filter);
      const jobs = await this.#getAllReadable(ids);
      // A job that turned out to be damaged is no longer in the index, and the next one takes its place.
      if (jobs.length === ids.length) return { jobs, total };
    }
  }

  async #search({ offset, limit, ...filter }: JobFilter, search: JobSearch): Promise<JobListPage> {
    // The ids at the start, and one more than it may read.
    const { ids: newest } = this.#cache.index.page({ ...filter, offset: 0, limit: search.maxJobs + 1 });
    const matches = jobMatcher(search);
    let position = 0;
    const { ids, ...extent } = await runSearch(search, searchStepSize, async (count) => {
      const some = newest.slice(position, position + count);
      position += some.length;
      const found = await mapWithConcurrency(some, maxSearchReads, async (id) => {
        const job = await this.#peek(id);
        return job !== null && matches(job) ? id : null;
      });
      return { readCount: some.length, matches: found.filter((id) => id !== null) };
    });
    const jobs = await this.#getAllReadable(ids.slice(offset, offset + limit));
    return { jobs, total: ids.length, search: extent };
  }

  async active(): Promise<readonly Job[]> {
    return [...this.#cache.active()].sort((a, b) => a.id - b.id);
  }

  async listWithNotifications(): Promise<readonly Job[]> {
    const jobs = await this.#getAllReadable(this.#cache.index.listWithNotifications());
    return jobs.filter(({ pendingNotifications }) => pendingNotifications.length > 0);
  }

  async usage(filter: UsageFilter): Promise<readonly AccountDailyUsage[]> {
    return this.#cache.index.usage(filter);
  }

  async listRemovable(filter: RemovableFilter): Promise<readonly number[]> {
    return this.#cache.index.listRemovable(filter);
  }

  watch(listener: JobListener): () => void {
    return this.#listeners.add(listener);
  }

  watchRemoved(listener: RemovalListener): () => void {
    return this.#listeners.addRemoval(listener);
  }

  async readPosition(): Promise<string> {
    return this.#parts.history.position;
  }

  reportedPosition(): string {
    return this.#parts.history.position;
  }

  async changesSince(position: string, accountId: string | null): Promise<ChangedJobs | null> {
    return this.#parts.history.since(position, accountId);
  }

  update(id: number, change: (job: Job) => Job): Promise<Job> {
    return this.#jobMutex.runExclusive(id, async () => {
      const before = await this.#cache.load(id);
      if (before === null) throw new VencError('NotFoundError', `There is no job ${id}.`);
      const job = change(before.job);
      if (job === before.job) return job;
      const after = { revision: before.revision + 1, job };
      const length = await this.#parts.writer.write(before, after);
      this.#cache.put(after, length);
      if (isFinal(job.state)) this.#indexWriter.countChange();
      this.#hostedSizes.put(job);
      this.#emit(job, before.job);
      return job;
    });
  }

  remove(id: number): Promise<Job> {
    return this.#jobMutex.runExclusive(id, async () => {
      const { removed, writer, onRemoved } = this.#parts;
      const document = await this.#cache.load(id);
      if (document === null) throw new VencError('NotFoundError', `There is no job ${id}.`);
      const { job } = document;
      if (!isFinal(job.state)) {
        const message = `Job ${id} is ${job.state}: only a job that has ended can be removed.`;
        throw new VencError('ConflictError', message, { hint: `cancel it first: venc cancel ${id}` });
      }
      await removed.add(
        indexEntry({ ...job, idempotency: null, pendingNotifications: [] }),
        hostedFilesOf(job),
      );
      this.#cache.remove(id);
      this.#hostedSizes.remove(job);
      await writer.remove(id);
      await onRemoved(id);
      this.#indexWriter.countChange();
      this.#parts.history.add(id, job.accountId, true);
      this.#listeners.emitRemoved(id, job.accountId);
      return job;
    });
  }

  removedFiles(): readonly string[] {
    return [...this.#parts.removedHostedFiles.values()].flat();
  }

  async forgetRemovedFiles(): Promise<void> {
    const { removed, removedHostedFiles } = this.#parts;
    await removed.forgetAllFiles(removedHostedFiles);
    removedHostedFiles.clear();
  }

  forgetFilesOf(jobs: readonly Job[]): Promise<void> {
    return this.#parts.removed.forgetFilesOf(jobs);
  }

  async close(): Promise<void> {
    await this.#createMutex.idle();
    await this.#jobMutex.idle();
    await this.#indexWriter.idle();
    await this.#parts.writer.close();
    // If that fails, the ids that stay reserved are skipped, which is harmless.
    await this.#parts.sequence.close().catch(() => undefined);
    await this.#indexWriter.write();
    // If that fails, clients load their lists again.
    await this.#parts.history.write(this.#parts.files, this.#parts.layout.changes).catch(() => undefined);
  }

  writeFiles(): Promise<void> {
    return this.#parts.writer.writeFiles();
  }

  writeIndex(): Promise<void> {
    return this.#indexWriter.write();
  }

  /** Assigns ids to a draft and writes it. */
  async #persist(draft: JobDraft): Promise<Job> {
    const job = draft.number(await this.#parts.sequence.allocate(draft.idCount));
    const document = { revision: 1, job };
    return this.#jobMutex.runExclusive(job.id, async () => {
      await this.#parts.writer.write(null, document);
      // A new job is not final: all of these are in memory.
      this.#cache.put(document, 0);
      this.#emit(job, null);
      return job;
    });
  }

  #emit(job: Job, before: Job | null): void {
    this.#parts.history.add(job.id, job.accountId);
    this.#listeners.emit(job, before);
  }

  /** The jobs with these ids that can be read. */
  async #getAllReadable(ids: readonly number[]): Promise<readonly Job[]> {
    const known = ids.map((id) => this.#cache.getCached(id)?.job ?? null);
    // Most listed jobs are in memory: no promise for each.
    const jobs = known.includes(null)
      ? await mapWithConcurrency(ids, maxConcurrentReads, (id) => this.#getReadable(id))
      : known;
    return jobs.filter((job) => job !== null);
  }

  /** The same as `#getReadable`, but keeps no job in memory that is not there yet. */
  async #peek(id: number): Promise<Job | null> {
    const found = this.#cache.getCached(id) ?? (await this.#cache.readFile(id));
    // Without a whole file it was removed, moved or damaged meanwhile.
    return found?.job ?? this.#getReadable(id);
  }

  /** The job, or null if there is none that can be read. */
  async #getReadable(id: number): Promise<Job | null> {
    return this.get(id).catch((error: unknown) => {
      if (isVencError(error, 'GoneError')) return null;
      throw error;
    });
  }
}
