import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isFinal } from '../../../src/shared/states.js';
import { type AtomicFiles, replaceFile } from '../../../src/shared/util/atomic-files.js';
import type { Disk, DiskFile } from '../../../src/shared/util/disk.js';
import type { Log } from '../../../src/shared/util/log.js';
import { randomToken } from '../../../src/shared/util/random-token.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import type { Job } from '../../jobs/job.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import { type DataLayout, jobFile } from '../data-folder/layout.js';
import type { JobListener, RemovalListener } from '../job-store.js';
import { type JobDocument, readJobFile } from './job-document.js';
import { JobJournal, journalLine, readJournal } from './job-journal.js';

/** A job is written to its file so much later than to the journal, in milliseconds: one that changes often, only once. */
const fileDelayMs = 1000;
/** A failed write of files is repeated after so many milliseconds. */
const retryDelayMs = 5000;
/** From this length of the journal, in bytes, jobs are written to their files at once: about a thousand jobs. */
const eagerLength = 2 ** 21;
/** At this length, changes of jobs wait until files are written. */
const longestJournal = 2 ** 24;
/** Few: the fsyncs of the journal, for which clients wait, share the threads and the disk. */
const maxConcurrentWrites = 2;

/** A job that is in the journal, and not yet in its file. */
interface PendingFile {
  readonly document: JobDocument;
  readonly text: string;
  readonly path: string;
  /** Where else an older file of the job may be. */
  readonly others: readonly string[];
}

/** Changes that share an fsync. */
interface Batch {
  readonly changes: Change[];
  readonly written: Promise<void>;
}

interface Change {
  readonly before: JobDocument | null;
  readonly after: JobDocument;
  readonly text: string;
}

/** The dependencies of the writer. */
interface JobFileWriterParts {
  readonly layout: DataLayout;
  readonly disk: Disk;
  readonly files: AtomicFiles;
  readonly log: Log;
}

/**
 * Writes jobs durably: to the journal, where all that arrive during one fsync share the next one, and a second later to
 * their files, one per job: `jobs/active/ID.json` until the job is final, then `jobs/done/N/ID.json`. A job that moves
 * is written to its new path first and then removed from the old one; a crash in between leaves both, and the revision
 * shows the newer one. The caller holds the lock of the folder, and makes one write per job at a time.
 */
export class JobFileWriter {
  readonly #parts: JobFileWriterParts;
  readonly #journal: JobJournal;
  #pending = new Map<number, PendingFile>();
  /** The jobs whose files are being written. They may be pending again. */
  #writing = new Map<number, PendingFile>();
  #batch: Batch | null = null;
  #flushed: Promise<void> = Promise.resolve();
  #filesWritten: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Whether files could not be written at the latest attempt. */
  #hasFailed = false;
  #isClosed = false;

  private constructor(parts: JobFileWriterParts, journal: JobJournal) {
    this.#parts = parts;
    this.#journal = journal;
  }

  /**
   * Opens the writer, and first writes the jobs that a killed daemon left in the journal to their files. Rejects as
   * `AtomicFiles.write` does.
   */
  static async open(parts: JobFileWriterParts): Promise<JobFileWriter> {
    const { layout, disk, log } = parts;
    const found = await readJournal(layout.journal);
    const kept = new Map(found.damagedPaths.map((path) => [path, keptPath(layout, path)]));
    for (const [path, target] of kept)
      log(
        'error',
        `Lines of the journal ${path} are damaged; the others are used. It is moved to ${target}.`,
      );
    const writer = new JobFileWriter(parts, new JobJournal(layout.journal, disk, found, kept));
    for (const document of found.documents.values()) await writer.#recover(document);
    if (found.paths.length > 0) await writer.#writeFiles();
    return writer;
  }

  /** The job that is not yet in its file. */
  get(id: number): JobDocument | undefined {
    return (this.#pending.get(id) ?? this.#writing.get(id))?.document;
  }

  /** The ids of the jobs that are not yet in their files. */
  *pendingIds(): Iterable<number> {
    yield* this.#pending.keys();
    yield* this.#writing.keys();
  }

  /**
   * Stores a new job, or replaces one. Resolves to the length of its text when it survives a power cut. Rejects as
   * `AtomicFiles.write` does: nothing of it is stored then.
   */
  async write(before: JobDocument | null, after: JobDocument): Promise<number> {
    if (this.#journal.length > longestJournal) await this.#makeRoom();
    const text = JSON.stringify(after);
    this.#batch ??= this.#beginBatch();
    this.#batch.changes.push({ before, after, text });
    await this.#batch.written;
    return text.length;
  }

  /** Deletes the files of a removed job. Rejects never. */
  async remove(id: number): Promise<void> {
    const { disk, layout } = this.#parts;
    this.#pending.delete(id);
    // Its file may be about to be renamed.
    if (this.#writing.delete(id)) await this.#filesWritten?.catch(() => undefined);
    for (const state of ['waiting', 'finished'] as const)
      await disk.remove(jobFile(layout, id, state)).catch(() => undefined);
  }

  /** Writes all jobs to their files, and empties the journal. Never rejects: the next start reads what stays in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      await this.writeFiles();
    } catch (error) {
      this.#logFailure(error);
    }
  }

  get #hasWork(): boolean {
    return this.#pending.size > 0 || this.#journal.length > 0;
  }

  /** Shortens the journal. Rejects if too many files cannot be written. */
  async #makeRoom(): Promise<void> {
    await this.#writeFiles().catch((error: unknown) => {
      if (this.#journal.length > longestJournal) throw error;
    });
  }

  #beginBatch(): Batch {
    // What arrives until the flush of the batch before has ended, or in this turn of the event loop, belongs to it.
    const flush = () => {
      this.#batch = null;
      return this.#flush(batch.changes);
    };
    const written = this.#flushed.then(() => setImmediate()).then(flush);
    this.#flushed = written.catch(() => undefined);
    const batch: Batch = { changes: [], written };
    return batch;
  }

  async #flush(changes: readonly Change[]): Promise<void> {
    try {
      await this.#journal.append(changes.map(({ text }) => journalLine(text)).join(''), () => {
        for (const change of changes) this.#keep(change);
      });
    } catch (error) {
      throw toWriteError(error);
    }
    this.#begin(this.#journal.length > eagerLength && !this.#hasFailed ? 0 : fileDelayMs);
  }

  /** Adds a job that is in the journal to those whose file is written. */
  #keep({ before, after, text }: Change): void {
    const { id } = after.job;
    const [pending, writing] = [this.#pending.get(id), this.#writing.get(id)];
    const found = before === null ? [] : [this.#pathOf(before)];
    const others = pending?.others ?? (writing === undefined ? found : [...writing.others, writing.path]);
    this.#pending.set(id, { document: after, text, path: this.#pathOf(after), others });
  }

  /** Adds a job that was found in the journal, unless a file of it is newer. One that is as new may not be durable yet. */
  async #recover(document: JobDocument): Promise<void> {
    const { id } = document.job;
    const paths = (['waiting', 'finished'] as const).map((state) => jobFile(this.#parts.layout, id, state));
    for (const path of paths) {
      const found = await readJobFile(path, id);
      if (found.kind === 'whole' && found.data.revision > document.revision) return;
      if (found.kind === 'damaged') await this.#parts.disk.rename(path, keptPath(this.#parts.layout, path));
    }
    const text = JSON.stringify(document);
    this.#pending.set(id, { document, text, path: this.#pathOf(document), others: paths });
  }

  /** Writes the files after a while. */
  #begin(delayMs: number): void {
    if (this.#isClosed || (delayMs > 0 && (this.#timer !== null || this.#filesWritten !== null))) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#writeFiles().then(
        () => {
          this.#hasFailed = false;
          if (this.#hasWork) this.#begin(fileDelayMs);
        },
        (error: unknown) => {
          this.#hasFailed = true;
          this.#logFailure(error);
          this.#begin(retryDelayMs);
        },
      );
    }, delayMs).unref();
  }

  #logFailure(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const count = this.#pending.size;
    this.#parts.log(
      'warn',
      `The files of ${count} jobs could not be written (${why}); the journal has these jobs.`,
    );
  }

  /** Writes all jobs that are in the journal to their files, and empties it. Rejects as `AtomicFiles.write` does. */
  async writeFiles(): Promise<void> {
    do await this.#writeFiles();
    while (this.#hasWork);
  }

  /** Writes all pending jobs to their files. Calls at the same time share the work. */
  #writeFiles(): Promise<void> {
    this.#filesWritten ??= this.#writePending()
      .catch((error: unknown) => {
        throw toWriteError(error);
      })
      .finally(() => {
        this.#filesWritten = null;
      });
    return this.#filesWritten;
  }

  async #writePending(): Promise<void> {
    const paths = await this.#journal.end(() => {
      this.#writing = this.#pending;
      this.#pending = new Map();
    });
    const failures: unknown[] = [];
    const files = [...this.#writing.values()];
    const written = await mapWithConcurrency(files, maxConcurrentWrites, (file) =>
      this.#writeFile(file, failures),
    );
    const folders = new Set(written.flatMap((file) => (file === null ? [] : [dirname(file.path)])));
    for (const folder of folders) {
      const isDurable = await this.#parts.disk.syncFolder(folder).then(
        () => true,
        (error: unknown) => failures.push(error) < 0,
      );
      if (!isDurable) continue;
      for (const file of written)
        if (file !== null && dirname(file.path) === folder) await this.#finish(file);
    }
    await this.#leaveJournal(paths);
    if (failures.length > 0) throw failures[0];
  }

  /** Resolves to the file if it was written, otherwise to null. */
  async #writeFile(file: PendingFile, failures: unknown[]): Promise<PendingFile | null> {
    const { id, state } = file.document.job;
    if (this.#writing.get(id) !== file) return null;
    const { disk, files } = this.#parts;
    const fill = (opened: DiskFile) => opened.write(file.text);
    try {
      if (isFinal(state)) await files.makeFolder(dirname(file.path));
      // Their folders are synced at the end, once for all files.
      await replaceFile(file.path, fill, { disk, syncFolder: async () => {} });
      return file;
    } catch (error) {
      failures.push(error);
      return null;
    }
  }

  /** Removes older files of a job whose file is durable. */
  async #finish({ document, path, others }: PendingFile): Promise<void> {
    // If this fails, the next start finds two files and keeps the one with the greater revision.
    for (const other of others)
      if (other !== path) await this.#parts.disk.remove(other).catch(() => undefined);
    this.#writing.delete(document.job.id);
  }

  /** Deletes files of the journal. Jobs whose file could not be written are in the next one then, and pending again. */
  async #leaveJournal(paths: readonly string[]): Promise<void> {
    const failed = [...this.#writing.values()];
    const keepAgain = () => {
      for (const file of failed) {
        const { id } = file.document.job;
        if (!this.#writing.delete(id) || this.#pending.has(id)) continue;
        this.#pending.set(id, { ...file, others: [...file.others, file.path] });
      }
    };
    try {
      if (failed.length > 0)
        await this.#journal.append(failed.map(({ text }) => journalLine(text)).join(''), keepAgain);
      await this.#journal.delete(paths);
    } finally {
      keepAgain();
    }
  }

  #pathOf({ job }: JobDocument): string {
    return jobFile(this.#parts.layout, job.id, job.state);
  }
}

/** Where a damaged file is kept whose content is known from elsewhere. */
function keptPath(layout: DataLayout, path: string): string {
  return join(layout.damaged, `${basename(dirname(path))}-${basename(path)}-${randomToken()}`);
}

/** The listeners for job changes. */
export class JobListeners {
  readonly #log: Log;
  /**
   * Each in an object of its own: a listener that was added twice is called twice, and is removed separately.
   */
  #subscriptions: readonly { readonly listener: JobListener }[] = [];

  readonly #removals = new Set<RemovalListener>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener for removals; the returned function removes it. */
  addRemoval(listener: RemovalListener): () => void {
    this.#removals.add(listener);
    return () => void this.#removals.delete(listener);
  }

  /** Reports a removal. */
  emitRemoved(id: number, accountId: string): void {
    for (const listener of this.#removals) listener.onRemoved(id, accountId);
  }

  /** Reports that removals may have been missed. */
  emitGap(): void {
    for (const listener of this.#removals) listener.onGap();
  }

  /** Adds a listener; the returned function removes it. */
  add(listener: JobListener): () => void {
    const subscription = { listener };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  /**
   * Calls all listeners after a stored change. Errors that they throw are logged and do not affect the
   * others.
   */
  emit(job: Job, before: Job | null): void {
    for (const { listener } of this.#subscriptions) {
      try {
        listener(job, before);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#log('error', `A listener for job changes failed at job ${job.id}: ${why}`, {
          jobId: job.id,
        });
      }
    }
  }
}
