import { roundToHundredths } from '../../src/shared/util/rounding.js';
import type { FileProgress, JobProgress } from '../jobs/progress.js';

/** Called when what the book knows of a job has changed. Must not throw. */
export type ProgressListener = (jobId: number) => void;

/**
 * Where progress lives: in memory, by job, while the job is run. What is told of a file replaces what was told
 * before, but its overall percent never falls within one run, and percentages stay within 0 and 100.
 */
export class ProgressTracker {
  readonly #jobs = new Map<number, Map<number, FileProgress>>();
  readonly #listeners = new Set<ProgressListener>();

  /** Begins a run of a job: what an earlier run told is forgotten. */
  start(jobId: number): void {
    this.#jobs.set(jobId, new Map());
    this.#emit(jobId);
  }

  /** Notes how far a file is. Ignored where no run of the job is open. */
  update(jobId: number, fileId: number, progress: FileProgress): void {
    const files = this.#jobs.get(jobId);
    if (files === undefined) return;
    const previousPercent = files.get(fileId)?.overallPercent ?? 0;
    files.set(fileId, {
      ...progress,
      percent: clampPercent(progress.percent),
      overallPercent: Math.max(previousPercent, clampPercent(progress.overallPercent)),
    });
    this.#emit(jobId);
  }

  /** What is known of a job's files at this moment; empty where it is not run. */
  read(jobId: number): JobProgress {
    return new Map(this.#jobs.get(jobId));
  }

  /** Ends a run: nothing of it stays. */
  clear(jobId: number): void {
    if (this.#jobs.delete(jobId)) this.#emit(jobId);
  }

  /** Calls a listener after every change of what is known, until the function returned is called. */
  watch(listener: ProgressListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #emit(jobId: number): void {
    for (const listener of this.#listeners) listener(jobId);
  }
}

/** A percentage as answers give it: within 0 and 100, at most two decimals. */
function clampPercent(percent: number): number {
  if (!Number.isFinite(percent)) return 0;
  return roundToHundredths(Math.min(100, Math.max(0, percent)));
}
