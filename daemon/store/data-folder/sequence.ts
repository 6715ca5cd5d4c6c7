import { VencError } from '../../../src/shared/errors.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { readDocument } from './document.js';

/** Ids that are reserved on disk at once: one write for about three hundred creates. */
const reserveCount = 1000;
/** More than the parts of any job: what is skipped where it is unknown how far the last job's ids went. */
const lostSequenceGap = 100_000;
/** Ids are below 2^31 (contract, section 4). */
const idLimit = 2 ** 31;

interface SequenceDocument {
  /** Every id below this one was given or reserved. */
  readonly next: number;
}

function readSequence(value: unknown): SequenceDocument | null {
  if (!isObject(value) || typeof value.next !== 'number') return null;
  return Number.isSafeInteger(value.next) && value.next >= 1 ? { next: value.next } : null;
}

/**
 * Gives ids, each once and for ever, each greater than all before. They are reserved on disk in blocks, so that
 * most takes write nothing; what is left of a block after a crash is never given.
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
   * Goes on where the file says. Where it is lost, damaged or older than the jobs (`greatestId` is the greatest id
   * that was met in the folder, 0 for none), it begins well above them.
   */
  static async open(files: AtomicFiles, path: string, maxId: number): Promise<Sequence> {
    const found = await readDocument(path, readSequence);
    if (found.kind === 'whole' && found.data.next > maxId) {
      return new Sequence(files, path, found.data.next);
    }
    const isNew = maxId === 0 && found.kind === 'missing';
    return new Sequence(files, path, isNew ? 1 : maxId + lostSequenceGap);
  }

  /**
   * The first of `count` consecutive ids that nobody had before. Rejects with `OutOfSpaceError` where a block cannot
   * be reserved, with `UnavailableError` once all ids below 2^31 are used.
   */
  async allocate(count: number): Promise<number> {
    while (this.#next + count > this.#reservedEnd) await this.#reserve(count);
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** Gives back what was reserved and not taken. Nothing may be taken afterwards. */
  async close(): Promise<void> {
    if (this.#next < this.#reservedEnd)
      await this.#files.write(this.#path, JSON.stringify({ next: this.#next }));
  }

  /** Whoever finds the block used up waits for the same write. */
  #reserve(count: number): Promise<void> {
    this.#reserving ??= this.#reserveBlock(count).finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #reserveBlock(count: number): Promise<void> {
    if (this.#next + count > idLimit) {
      throw new VencError('UnavailableError', 'All job ids below 2^31 are used; no more jobs can be taken.');
    }
    const end = Math.min(idLimit, this.#next + count + reserveCount);
    await this.#files.write(this.#path, JSON.stringify({ next: end }));
    this.#reservedEnd = end;
  }
}
