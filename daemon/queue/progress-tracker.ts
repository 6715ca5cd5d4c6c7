import { roundToHundredths } from '../../src/shared/text/numbers.js';
import type { FileProgress, JobProgress, RunProgress } from '../jobs/progress.js';

/** Called when the known progress of a job has changed. Must not throw. */
type ProgressListener = (jobId: number) => void;

/** The progress of a run of this process. */
interface OwnRun extends RunProgress {
  readonly files: Map<number, FileProgress>;
}

/**
 * The progress of running jobs, in memory. An update of a file replaces the previous one, but its overall
 * percentage never falls within one run, and percentages stay within 0 and 100.
 */
export class ProgressTracker {
  readonly #own = new Map<number, OwnRun>();
  /** The progress of runs in other processes, by job. */
  readonly #mirrored = new Map<number, JobProgress>();
  readonly #listeners = new Set<ProgressListener>();
  #runCount = 0;

  /** Begins a run of a job and drops the progress of an earlier run. */
  start(jobId: number): void {
    this.#runCount += 1;
    this.#own.set(jobId, { run: this.#runCount, files: new Map() });
    this.#mirrored.delete(jobId);
    this.#emit(jobId);
  }

  /** Updates the progress of a file. Ignored if no run of the job has started. */
  update(jobId: number, fileId: number, progress: FileProgress): void {
    const files = this.#own.get(jobId)?.files;
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
    return new Map(this.#own.get(jobId)?.files ?? this.#mirrored.get(jobId));
  }

  /** Ends a run and drops its progress. */
  clear(jobId: number): void {
    if (this.#own.delete(jobId)) this.#emit(jobId);
  }

  /** The runs of this process, by job. */
  get own(): ReadonlyMap<number, RunProgress> {
    return this.#own;
  }

  /**
   * Sets what another process reports of a job that it runs; null drops it. It is read only while this process does not run the job itself.
   */
  mirror(jobId: number, progress: JobProgress | null): void {
    if (progress !== null) this.#mirrored.set(jobId, progress);
    else if (!this.#mirrored.delete(jobId)) return;
    if (!this.#own.has(jobId)) this.#emit(jobId);
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
