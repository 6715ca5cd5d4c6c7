import type { JobDocument } from './job-document.js';

interface RecentJob {
  readonly document: JobDocument;
  readonly length: number;
}

/**
 * Recently read final jobs, parsed, so that lists and reads need not open a file each time. Held in two
 * generations, each bounded by the length of the texts of its jobs. When the current generation is full, it
 * becomes the previous one, and jobs that were not read meanwhile are dropped. (One Map in order of use, kept
 * by deleting and inserting, slows down with its size: finding the oldest entry walks past all deleted ones.)
 */
export class RecentJobs {
  readonly #maxLength: number;
  #current = new Map<number, RecentJob>();
  #previous = new Map<number, RecentJob>();
  #currentLength = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get(id: number): JobDocument | undefined {
    const found = this.#current.get(id);
    if (found !== undefined) return found.document;
    const previous = this.#previous.get(id);
    if (previous !== undefined) this.set(previous.document, previous.length);
    return previous?.document;
  }

  /** Adds or replaces a job whose text has `length` characters. */
  set(document: JobDocument, length: number): void {
    const { id } = document.job;
    this.delete(id);
    this.#current.set(id, { document, length });
    this.#currentLength += length;
    if (this.#currentLength < this.#maxLength) return;
    this.#previous = this.#current;
    this.#current = new Map();
    this.#currentLength = 0;
  }

  delete(id: number): void {
    this.#previous.delete(id);
    const former = this.#current.get(id);
    if (former === undefined) return;
    this.#current.delete(id);
    this.#currentLength -= former.length;
  }

  clear(): void {
    this.#current = new Map();
    this.#previous = new Map();
    this.#currentLength = 0;
  }
}
