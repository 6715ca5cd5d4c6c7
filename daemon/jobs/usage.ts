import { isTransferOnly } from '../../src/shared/settings/sources.js';
import type { Job } from './job.js';

/** Total duration of the outputs of one job that finished on one day, in integer milliseconds. */
export interface JobDailyUsage {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  /** More than 0. */
  readonly encodedMs: number;
  /** Equal to `encodedMs`; 0 for test jobs. */
  readonly billableMs: number;
}

// Shared to save memory: many jobs may have no usage.
const noUsage: readonly JobDailyUsage[] = [];

/**
 * The usage of a job by UTC day (contract, section 8). The duration of each finished output counts on the day it
 * finished, regardless of the state of the job. Outputs that are only transferred do not count. Pure.
 */
export function usageOf(job: Job): readonly JobDailyUsage[] {
  const msByDay = new Map<string, number>();
  for (const { state, finishedAt, media, settings } of job.outputs) {
    if (state !== 'finished' || finishedAt === null || isTransferOnly(settings)) continue;
    const ms = Math.round((media?.durationSeconds ?? 0) * 1000);
    const day = finishedAt.slice(0, 10);
    // Also skips NaN, which an edited job file may contain.
    if (ms > 0) msByDay.set(day, (msByDay.get(day) ?? 0) + ms);
  }
  if (msByDay.size === 0) return noUsage;
  return Array.from(msByDay, ([day, encodedMs]) => ({
    day,
    grouping: job.grouping,
    encodedMs,
    billableMs: job.test ? 0 : encodedMs,
  }));
}
