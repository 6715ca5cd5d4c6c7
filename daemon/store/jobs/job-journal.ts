import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Disk, type DiskFile, readTextFile } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { type JobDocument, readJobDocument } from './job-document.js';

/*
 * `jobs/journal/N` are files of lines: the checksum of a job's document, a space, and the document. Each line is also
 * written to the file of its job, later; then the file with the line is deleted. A start after a kill reads the lines
 * first: of all documents of a job, in whichever file, the one with the greatest revision counts. Removals need no line:
 * `removed.json` is durable before a removal is answered, and hides every document of the job.
 */

/** A journal file that is open. */
interface Segment {
  readonly path: string;
  readonly file: DiskFile;
  /** The length of what is durable, in bytes. */
  length: number;
}

/** What is left in the journal of a daemon that was killed. */
export interface JournalContent {
  /** The newest document of each job. */
  readonly documents: ReadonlyMap<number, JobDocument>;
  readonly paths: readonly string[];
  /** Those of `paths` with a line that is damaged, although a later one is whole. */
  readonly damagedPaths: readonly string[];
  readonly nextNumber: number;
}

/** Appends documents of jobs to files, many with one fsync. */
export class JobJournal {
  readonly #folder: string;
  readonly #disk: Disk;
  #nextNumber: number;
  #current: Segment | null = null;
  readonly #keptPaths: ReadonlyMap<string, string>;
  #length = 0;
  /** Files to which nothing is appended any more, by path, with their length. */
  readonly #ended = new Map<string, number>();
  /** The file in which a failed write may have left something that was not acknowledged. */
  #uncut: Pick<Segment, 'path' | 'length'> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** `keptPaths` says where files with damaged lines are moved to. */
  constructor(folder: string, disk: Disk, found: JournalContent, keptPaths: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#disk = disk;
    this.#nextNumber = found.nextNumber;
    for (const path of found.paths) this.#ended.set(path, 0);
    this.#keptPaths = keptPaths;
  }

  /** The length of all files, in bytes, as far as this object has written them. */
  get length(): number {
    return this.#length;
  }

  /**
   * Appends lines. Calls `onDurable`, and resolves, when they survive a power cut. If that fails, rejects with the
   * system's error: none of them is there any more, and nothing is appended to that file again.
   */
  append(lines: string, onDurable: () => void): Promise<void> {
    return this.#runAfterOthers(async () => {
      await this.#cutRejected();
      this.#current ??= await this.#begin();
      const segment = this.#current;
      try {
        await segment.file.write(lines);
        await segment.file.sync();
      } catch (error) {
        this.#uncut = segment;
        await this.#end();
        // If this fails, too, the next append tries it again first.
        await this.#cutRejected().catch(() => undefined);
        throw error;
      }
      const length = Buffer.byteLength(lines);
      segment.length += length;
      this.#length += length;
      onDurable();
    });
  }

  /**
   * Ends the file: what is appended later goes to another one. Calls `onEnded` before that, and resolves to the paths of all files
   * that have ended. Rejects if what a failed append left cannot be removed.
   */
  end(onEnded: () => void): Promise<readonly string[]> {
    return this.#runAfterOthers(async () => {
      await this.#cutRejected();
      await this.#end();
      onEnded();
      return [...this.#ended.keys()];
    });
  }

  /** Deletes files of which every line is in the file of its job, durably. Those with damaged lines are kept in `damaged`. */
  async delete(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const kept = this.#keptPaths.get(path);
      const leave = kept === undefined ? this.#disk.remove(path) : this.#disk.rename(path, kept);
      await leave.catch((error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      });
      this.#length -= this.#ended.get(path) ?? 0;
      this.#ended.delete(path);
    }
  }

  #runAfterOthers<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task);
    this.#last = result;
    return result;
  }

  async #begin(): Promise<Segment> {
    const path = join(this.#folder, String(this.#nextNumber));
    this.#nextNumber += 1;
    const file = await this.#disk.create(path);
    try {
      await this.#disk.syncFolder(this.#folder);
    } catch (error) {
      this.#ended.set(path, 0);
      await file.close().catch(() => undefined);
      throw error;
    }
    return { path, file, length: 0 };
  }

  async #end(): Promise<void> {
    if (this.#current === null) return;
    const { path, file, length } = this.#current;
    this.#current = null;
    this.#ended.set(path, length);
    await file.close().catch(() => undefined);
  }

  async #cutRejected(): Promise<void> {
    if (this.#uncut === null) return;
    await this.#disk.truncate(this.#uncut.path, this.#uncut.length);
    this.#uncut = null;
  }
}

/** The line of a document, given as JSON. */
export function journalLine(text: string): string {
  return `${crc32(text).toString(16)} ${text}\n`;
}

/** Reads the journal in a folder; empty if there is no such folder. Rejects as `readTextFile` does. */
export async function readJournal(folder: string): Promise<JournalContent> {
  const numbers = (await namesIn(folder)).filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
  const documents = new Map<number, JobDocument>();
  const paths: string[] = [];
  const damagedPaths: string[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const path = join(folder, String(number));
    paths.push(path);
    const lines = ((await readTextFile(path)) ?? '').split('\n').map(readLine);
    // The end is what was being written when the daemon or the machine stopped: no client was answered.
    const lastWhole = lines.findLastIndex((line) => line !== 'torn');
    const whole = lines.slice(0, lastWhole + 1);
    if (whole.some((line) => typeof line === 'string')) damagedPaths.push(path);
    for (const document of whole) {
      if (typeof document === 'string') continue;
      const { id } = document.job;
      if (document.revision >= (documents.get(id)?.revision ?? 0)) documents.set(id, document);
    }
  }
  return { documents, paths, damagedPaths, nextNumber: (numbers.at(-1) ?? 0) + 1 };
}

/** The names of the files of a journal; none if there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
}

function readLine(line: string): JobDocument | 'torn' | 'invalid' {
  const space = line.indexOf(' ');
  const text = line.slice(space + 1);
  if (space < 1 || crc32(text).toString(16) !== line.slice(0, space)) return 'torn';
  const value: unknown = JSON.parse(text);
  const id = isObject(value) && isObject(value.job) ? Number(value.job.id) : 0;
  return readJobDocument(value, id) ?? 'invalid';
}
