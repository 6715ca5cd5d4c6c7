import type { JobDocument } from './job-document.js';

/**
 * The final jobs that were asked for of late, parsed, so that neither a list nor a read need open a file each time. Held in two
 * generations, each bounded by how many inputs, outputs and thumbnails its jobs have: once the younger is full it becomes the elder,
 * and what nobody asked for meanwhile is let go. (One Map, kept in the order of use by deleting and adding again, slows
 * down with its size: to find the oldest entry is to walk past all the places of those deleted before.)
 */
export class RecentJobs {
  readonly #maxParts: number;
  #current = new Map<number, JobDocument>();
  #previous = new Map<number, JobDocument>();
  #currentParts = 0;

  constructor(maxParts: number) {
    this.#maxParts = maxParts;
  }

  get(id: number): JobDocument | undefined {
    const found = this.#current.get(id);
    if (found !== undefined) return found;
    const previous = this.#previous.get(id);
    if (previous !== undefined) this.set(previous);
    return previous;
  }

  set(document: JobDocument): void {
    const { id } = document.job;
    this.delete(id);
    this.#current.set(id, document);
    this.#currentParts += partsOf(document);
    if (this.#currentParts < this.#maxParts) return;
    this.#previous = this.#current;
    this.#current = new Map();
    this.#currentParts = 0;
  }

  delete(id: number): void {
    this.#previous.delete(id);
    const former = this.#current.get(id);
    if (former === undefined) return;
    this.#current.delete(id);
    this.#currentParts -= partsOf(former);
  }
}

/** What a job takes of memory, in parts of about a kilobyte. */
function partsOf({ job }: JobDocument): number {
  return job.outputs.reduce((sum, { thumbnails }) => sum + 1 + thumbnails.length, 1);
}
