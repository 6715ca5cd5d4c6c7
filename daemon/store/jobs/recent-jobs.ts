import type { JobDocument } from './job-document.js';

/**
 * The final jobs that were asked for of late, parsed, so that neither a list nor a read need open a file each time. Held in two
 * generations, each bounded by how many inputs, outputs and thumbnails its jobs have: once the younger is full it becomes the elder,
 * and what nobody asked for meanwhile is let go. (One Map, kept in the order of use by deleting and adding again, slows
 * down with its size: to find the oldest entry is to walk past all the places of those deleted before.)
 */
export class RecentJobs {
  readonly #partLimit: number;
  #younger = new Map<number, JobDocument>();
  #elder = new Map<number, JobDocument>();
  #youngerParts = 0;

  constructor(partLimit: number) {
    this.#partLimit = partLimit;
  }

  get(id: number): JobDocument | undefined {
    const found = this.#younger.get(id);
    if (found !== undefined) return found;
    const elder = this.#elder.get(id);
    if (elder !== undefined) this.set(elder);
    return elder;
  }

  set(document: JobDocument): void {
    const { id } = document.job;
    this.delete(id);
    this.#younger.set(id, document);
    this.#youngerParts += partsOf(document);
    if (this.#youngerParts < this.#partLimit) return;
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#youngerParts = 0;
  }

  delete(id: number): void {
    this.#elder.delete(id);
    const former = this.#younger.get(id);
    if (former === undefined) return;
    this.#younger.delete(id);
    this.#youngerParts -= partsOf(former);
  }
}

/** What a job takes of memory, in parts of about a kilobyte. */
function partsOf({ job }: JobDocument): number {
  return job.outputs.reduce((sum, { thumbnails }) => sum + 1 + thumbnails.length, 1);
}
