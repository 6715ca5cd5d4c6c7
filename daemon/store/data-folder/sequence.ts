import { VencError } from '../../../src/shared/errors.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { DurableJsonFile, JsonDocument, readDocument } from './document.js';

/** Number of ids that are reserved with one write: enough for about three hundred creates. */
const reserveCount = 1000;
/** More than the parts of any job: the gap that is skipped if the end of the last job's ids is unknown. */
const lostSequenceGap = 100_000;
/** More than the ids that a daemon gives between a backup and its restore: those of some 300,000 jobs. */
const restoredSequenceGap = 1_000_000;
/** Ids are below 2^31 (contract, section 4). */
const idLimit = 2 ** 31;

interface SequenceDocument {
  /** All ids below this one are used or reserved. */
  readonly next: number;
}

function parseSequence(value: unknown): SequenceDocument | null {
  if (!isObject(value) || typeof value.next !== 'number') return null;
  return Number.isSafeInteger(value.next) && value.next >= 1 ? { next: value.next } : null;
}

/** The id that `Sequence.open` continues with. */
export async function readNextId(path: string, maxId: number): Promise<number> {
  const found = await readDocument(path, parseSequence);
  if (found.kind === 'whole' && found.data.next > maxId) return found.data.next;
  const isNew = maxId === 0 && found.kind === 'missing';
  return isNew ? 1 : maxId + lostSequenceGap;
}

/**
 * Writes a sequence that continues well above those in the files `from`: jobs that were created after a backup had ids
 * that it does not know. Writes nothing if there is none.
 */
export async function raiseNextId(
  files: AtomicFiles,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): Promise<void> {
  const found = await Promise.all(from.map((path) => readDocument(path, parseSequence)));
  const next = Math.max(0, ...found.map((each) => (each.kind === 'whole' ? each.data.next : 0)));
  if (next > 0) await writeNextId(files, to, Math.min(idLimit, next + restoredSequenceGap));
}

/** Writes the id that the next start continues with. */
export function writeNextId(files: AtomicFiles, path: string, next: number): Promise<void> {
  const file = new DurableJsonFile({ path, files, parse: parseSequence });
  return new JsonDocument(file, { next: 1 }).update(() => ({ next }));
}
/**
 * Allocates ids, each only once and each greater than all before. They are reserved on disk in blocks, so
 * that most allocations write nothing; the rest of a block is never used after a crash.
 */
export class Sequence {
  readonly #files: AtomicFiles;
  readonly #path: string;
  #next: number;
  #reservedEnd: number;
  #reserving: Promise<void> | null = null;

  private constructor(files: AtomicFiles, path: string, next: number) {
    this.#files = files;
    this.#path = path;
    this.#next = next;
    this.#reservedEnd = next;
  }

  /**
   * Continues where the file says. If the file is lost, damaged or older than the jobs (`maxId` is the
   * greatest id that was found in the folder, 0 for none), continues well above them.
   */
  static async open(files: AtomicFiles, path: string, maxId: number): Promise<Sequence> {
    return new Sequence(files, path, await readNextId(path, maxId));
  }

  /**
   * Allocates `count` consecutive ids and resolves to the first. Rejects with `OutOfSpaceError` if a block
   * cannot be reserved, with `UnavailableError` once all ids below 2^31 are used.
   */
  async allocate(count: number): Promise<number> {
    while (this.#next + count > this.#reservedEnd) await this.#reserve(count);
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** Returns the unused part of the reserved block. No id may be allocated afterwards. */
  async close(): Promise<void> {
    if (this.#next < this.#reservedEnd) await writeNextId(this.#files, this.#path, this.#next);
  }

  /** Concurrent calls share one write. */
  #reserve(count: number): Promise<void> {
    this.#reserving ??= this.#reserveBlock(count).finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #reserveBlock(count: number): Promise<void> {
    if (this.#next + count > idLimit) {
      throw new VencError(
        'UnavailableError',
        'All job ids below 2^31 are used; no more jobs can be accepted.',
      );
    }
    const end = Math.min(idLimit, this.#next + count + reserveCount);
    await writeNextId(this.#files, this.#path, end);
    this.#reservedEnd = end;
  }
}
