import type { AtomicFiles } from '../../../../src/shared/util/atomic-files.js';
import type { Log } from '../../../../src/shared/util/log.js';
import type { DataLayout } from '../../data-folder/layout.js';
import { type IndexContent, writeIndexFile } from './index-file.js';

/**
 * The index is written again when this many jobs, and a tenth of all, have ended or were removed since. A start after a
 * crash then reads the folders of so many jobs at most.
 */
export const indexWriteThreshold = 2000;
const indexWriteShare = 0.1;

/** The dependencies of an index writer. */
export interface IndexWriterParts {
  readonly files: AtomicFiles;
  readonly layout: DataLayout;
  /** The folders in which a job's file is being written. */
  readonly busyFolders: () => ReadonlySet<string>;
  /** The folders of which jobs were removed. */
  readonly foldersWithRemoved: ReadonlySet<string>;
  readonly log: Log;
}

/** The index that is written. */
interface IndexSource {
  readonly content: () => IndexContent;
  /** The number of jobs. */
  readonly size: () => number;
}

/** Writes the index file: at the end, and now and then before, concurrently with changes of jobs. */
export class IndexWriter {
  readonly #parts: IndexWriterParts;
  readonly #source: IndexSource;
  /** Number of jobs that ended or were removed since the file was last written. */
  #changeCount = 0;
  #writing: Promise<void> | null = null;

  constructor(parts: IndexWriterParts, source: IndexSource) {
    this.#parts = parts;
    this.#source = source;
  }

  /** Counts an ended or removed job. Begins to write the file if it is too old. */
  countChange(): void {
    this.#changeCount += 1;
    const threshold = Math.max(indexWriteThreshold, this.#source.size() * indexWriteShare);
    if (this.#changeCount < threshold || this.#writing !== null) return;
    this.#changeCount = 0;
    this.#writing = this.write().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when the file is not being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** Writes the file. Never rejects: a start can do without it. */
  async write(): Promise<void> {
    const { files, layout, log } = this.#parts;
    try {
      await writeIndexFile(files, layout, this.#source.content(), new Date());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(
        'warn',
        `The index of the jobs could not be written (${why}); the next start takes a little longer.`,
      );
    }
  }
}
