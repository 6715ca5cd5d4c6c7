import { roundToHundredths } from '../../src/shared/util/rounding.js';
import type { FileProgress, JobProgress } from '../jobs/progress.js';

/** Called when the known progress of a job has changed. Must not throw. */
type ProgressListener = (jobId: number) => void;

/**
 * The progress of running jobs, in memory. An update of a file replaces the previous one, but its overall
 * percentage never falls within one run, and percentages stay within 0 and 100.
 */
export class ProgressTracker {
  readonly #jobs = new Map<number, Map<number, FileProgress>>();
  readonly #listeners = new Set<ProgressListener>();

  /** Begins a run of a job and drops the progress of an earlier run. */
  start(jobId: number): void {
    this.#jobs.set(jobId, new Map());
    this.#emit(jobId);
  }

  /** Updates the progress of a file. Ignored if no run of the job has started. */
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

  /** The current progress of a job's files; empty if the job is not running. */
  read(jobId: number): JobProgress {
    return new Map(this.#jobs.get(jobId));
  }

  /** Ends a run and drops its progress. */
  clear(jobId: number): void {
    if (this.#jobs.delete(jobId)) this.#emit(jobId);
  }

  /** Calls a listener after every change, until the returned function is called. */
  watch(listener: ProgressListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #emit(jobId: number): void {
    for (const listener of this.#listeners) listener(jobId);
  }
}

/** A percentage as in answers: within 0 and 100, at most two decimals. */
function clampPercent(percent: number): number {
  if (!Number.isFinite(percent)) return 0;
  return roundToHundredths(Math.min(100, Math.max(0, percent)));
}
