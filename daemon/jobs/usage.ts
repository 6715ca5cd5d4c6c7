import type { Job } from './job.js';

/** What the outputs of one job that finished on one day come to. Whole milliseconds of their own duration. */
export interface JobDailyUsage {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  /** More than 0. */
  readonly encodedMs: number;
  /** The same, 0 for test jobs. */
  readonly billableMs: number;
}

// One for all jobs that add nothing: there may be very many.
const formatNoUsage: readonly JobDailyUsage[] = [];

/**
 * What a job adds to its account's usage (contract, section 8): the duration of every finished output on the UTC day it finished,
 * by day. Whether the job itself is finished, failed, cancelled or running does not matter: what is delivered counts. Pure.
 */
export function usageOf(job: Job): readonly JobDailyUsage[] {
  const msByDay = new Map<string, number>();
  for (const { state, finishedAt, media } of job.outputs) {
    if (state !== 'finished' || finishedAt === null) continue;
    const ms = Math.round((media?.durationSeconds ?? 0) * 1000);
    const day = finishedAt.slice(0, 10);
    // Not so for what is no number either, as a file may hold that was written by hand.
    if (ms > 0) msByDay.set(day, (msByDay.get(day) ?? 0) + ms);
  }
  if (msByDay.size === 0) return formatNoUsage;
  return Array.from(msByDay, ([day, encodedMs]) => ({
    day,
    grouping: job.grouping,
    encodedMs,
    billableMs: job.test ? 0 : encodedMs,
  }));
}
