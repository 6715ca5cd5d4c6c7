import { join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { Job } from '../../jobs/job.js';
import { hostedFilesOf } from '../../jobs/thumbnails.js';
import { readDocument } from '../data-folder/document.js';
import { type DataLayout, doneFolderName } from '../data-folder/layout.js';
import { type IndexRow, type RemovedJob, readIndexRow, writeIndexRow } from './index-entry.js';

/*
 * `jobs/done/N/removed.json` lists the removed jobs of its folder, and their usage, which is kept. Its write
 * is the moment of the removal: the job file is deleted afterwards, and a start deletes what a crash left of
 * it.
 */

/** What is stored of the removed jobs of one folder in `jobs/done`. */
export interface RemovedFolder {
  readonly entries: readonly RemovedJob[];
  /** URLs of their hosted files, which may still exist. */
  readonly files: readonly string[];
}

interface RemovedDocument {
  readonly jobs: readonly IndexRow[];
  readonly files: readonly string[];
}

interface Addition {
  readonly entry: RemovedJob;
  readonly files: readonly string[];
}

/** Additions that share the next write of a folder. */
interface PendingAdditions {
  readonly additions: Addition[];
  readonly written: Promise<void>;
}

/** A folder without removed jobs. */
export const noneRemoved: RemovedFolder = { entries: [], files: [] };

/**
 * Reads the removed jobs of a folder. Rejects with `UsageError` if the file is damaged: usage would be lost.
 */
export async function readRemovedJobs(layout: DataLayout, folderName: string): Promise<RemovedFolder> {
  const path = removedFile(layout, folderName);
  const found = await readDocument(path, readRemoved);
  if (found.kind === 'whole') return found.data;
  if (found.kind === 'missing') return noneRemoved;
  throw new VencError('UsageError', `The file ${path} is damaged: ${found.reason}.`, {
    hint: 'Restore it from a backup, or move it away: reports then lack the usage of the removed jobs.',
  });
}

/** Records removed jobs. Additions to one folder during a write share the next one. */
export class RemovedJobs {
  readonly #layout: DataLayout;
  readonly #files: AtomicFiles;
  readonly #pending = new Map<string, PendingAdditions>();
  readonly #writing = new Map<string, Promise<void>>();
  readonly #folders: Set<string>;

  /** `folders` are those of which jobs were removed before. */
  constructor(layout: DataLayout, files: AtomicFiles, folders: ReadonlySet<string>) {
    this.#layout = layout;
    this.#files = files;
    this.#folders = new Set(folders);
  }

  /** The folders of which jobs were removed. */
  get folders(): ReadonlySet<string> {
    return this.#folders;
  }

  /** Resolves when the removal of a job is durable. Rejects as `AtomicFiles.write` does. */
  add(entry: RemovedJob, files: readonly string[]): Promise<void> {
    const name = doneFolderName(entry.id);
    this.#folders.add(name);
    const waiting = this.#pending.get(name);
    if (waiting !== undefined) {
      waiting.additions.push({ entry, files });
      return waiting.written;
    }
    const additions = [{ entry, files }];
    const written = this.#enqueue(name, () => {
      this.#pending.delete(name);
      // A write that failed in its last step is stored, and its removal is repeated: its usage must not count twice.
      const ids = new Set(additions.map((one) => one.entry.id));
      const files = additions.flatMap((one) => one.files);
      return this.#change(name, (previous) => ({
        entries: [...previous.entries.filter(({ id }) => !ids.has(id)), ...additions.map((one) => one.entry)],
        files: [...new Set([...previous.files, ...files])],
      }));
    });
    this.#pending.set(name, { additions, written });
    return written;
  }

  /** Forgets the hosted files of removed jobs, which are gone. */
  async forgetFilesOf(jobs: readonly Job[]): Promise<void> {
    for (const name of new Set(jobs.map(({ id }) => doneFolderName(id)))) {
      const files = jobs.filter(({ id }) => doneFolderName(id) === name).flatMap(hostedFilesOf);
      if (files.length > 0) await this.#forgetFiles(name, files);
    }
  }

  /** Forgets hosted files, which are gone, given by the name of the folder in `jobs/done`. */
  async forgetAllFiles(filesByFolder: ReadonlyMap<string, readonly string[]>): Promise<void> {
    for (const [name, files] of filesByFolder) await this.#forgetFiles(name, files);
  }

  #forgetFiles(folderName: string, files: readonly string[]): Promise<void> {
    const gone = new Set(files);
    return this.#enqueue(folderName, () =>
      this.#change(folderName, (previous) => ({
        entries: previous.entries,
        files: previous.files.filter((file) => !gone.has(file)),
      })),
    );
  }

  /** Runs a change of a folder's record after all earlier ones. */
  #enqueue(name: string, change: () => Promise<void>): Promise<void> {
    const before = this.#writing.get(name) ?? Promise.resolve();
    const writing = before.then(change, change);
    this.#writing.set(name, writing);
    const forget = () => {
      if (this.#writing.get(name) === writing) this.#writing.delete(name);
    };
    writing.then(forget, forget);
    return writing;
  }

  async #change(name: string, change: (previous: RemovedFolder) => RemovedFolder): Promise<void> {
    await writeRemovedJobs(
      this.#files,
      this.#layout,
      name,
      change(await readRemovedJobs(this.#layout, name)),
    );
  }
}

/** Replaces what is stored of the removed jobs of a folder. */
export async function writeRemovedJobs(
  writer: AtomicFiles,
  layout: DataLayout,
  folderName: string,
  { entries, files }: RemovedFolder,
): Promise<void> {
  const document: RemovedDocument = { jobs: entries.map(writeIndexRow), files };
  await writer.makeFolder(join(layout.done, folderName));
  await writer.write(removedFile(layout, folderName), JSON.stringify(document));
}

/** The path of the file with the removed jobs of a folder. */
export function removedFile(layout: DataLayout, folderName: string): string {
  return join(layout.done, folderName, 'removed.json');
}

function readRemoved(value: unknown): RemovedFolder | null {
  if (!isObject(value) || !Array.isArray(value.jobs) || !Array.isArray(value.files)) return null;
  const entries = value.jobs.flatMap((row: unknown) => readIndexRow(row) ?? []);
  const files = value.files.filter((file: unknown) => typeof file === 'string');
  return entries.length === value.jobs.length ? { entries, files } : null;
}
