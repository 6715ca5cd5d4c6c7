import { EventEmitter, once } from 'node:events';
import { isVencError, type VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import type { FollowedProgress, QueuePause } from './job-progress.js';
import type { JobStreams } from './job-streams.js';
import type { ConnectionEvent, PollingSchedule, WithRetry } from './polling-schedule.js';

/** What `follow` reports. Each event is complete by itself, as a reducer needs it. */
export type FollowEvent =
  | { readonly type: 'progress'; readonly job: FollowedProgress }
  /**
   * Active jobs that were not followed yet: once at the start, even if there are none, and then whenever there are new
   * ones. From then on also new jobs that have already ended, each followed by its `final`.
   */
  | { readonly type: 'found'; readonly jobs: readonly JobRecord[] }
  /** The job is in a final state; once per job. */
  | { readonly type: 'final'; readonly job: JobRecord }
  /** The service rejects requests about this job (no such job, key rejected); the job is no longer followed. */
  | { readonly type: 'rejected'; readonly id: number; readonly error: VencError }
  /** The queue is paused, or no longer: at first if it is, and after each change that a list or a progress record shows. */
  | QueueEvent
  /** The service is unreachable and is retried until it is `back`; once per network error. */
  | ConnectionEvent;

/** See `FollowEvent`. */
export interface QueueEvent {
  readonly type: 'queue';
  readonly pause: QueuePause | null;
}

/** Events as an async iterable. */
export type FollowEvents = AsyncGenerator<FollowEvent, void, undefined>;

/** What discovery, streams and polling share. */
export interface FollowContext {
  readonly client: Client;
  readonly schedule: PollingSchedule;
  readonly withRetry: WithRetry;
  /** Aborted when the caller stops following. */
  readonly signal: AbortSignal;
  readonly jobs: FollowedJobs;
  readonly streams: JobStreams;
}

/** The ids that are followed, and the newest list of jobs. */
export class FollowedJobs {
  readonly #ids: Set<number>;
  readonly #changes = new EventEmitter();
  #isDiscovered: boolean;
  #list: readonly JobRecord[] = [];
  #listedAt = Number.NEGATIVE_INFINITY;
  #pause: QueuePause | null = null;

  /** `isDiscovered`: whether `ids` are all jobs, as no discovery adds more. */
  constructor(ids: Iterable<number>, isDiscovered: boolean) {
    this.#ids = new Set(ids);
    this.#isDiscovered = isDiscovered;
  }

  get ids(): readonly number[] {
    return [...this.#ids];
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** Whether the first discovery is over. */
  get isDiscovered(): boolean {
    return this.#isDiscovered;
  }

  /** Adds the jobs that were found and removes those that ended or that the service rejects. */
  apply(event: FollowEvent): void {
    if (event.type === 'found') {
      for (const { id, state } of event.jobs) if (!isFinal(state)) this.#ids.add(id);
      this.#isDiscovered = true;
    } else if (event.type === 'final') this.#ids.delete(event.job.id);
    else if (event.type === 'rejected') this.#ids.delete(event.id);
    else return;
    this.notifyChange();
  }

  /** Remembers the pause that a list or a progress record shows. Returns whether it is another one. */
  notePause(pause: QueuePause | null): boolean {
    const hasChanged =
      pause?.until !== this.#pause?.until ||
      pause?.isFrozen !== this.#pause?.isFrozen ||
      pause?.isOutsideHours !== this.#pause?.isOutsideHours;
    this.#pause = pause;
    return hasChanged;
  }

  /** Keeps the list that discovery fetched, which saves polling a request. */
  keepList(jobs: readonly JobRecord[]): void {
    this.#list = jobs;
    this.#listedAt = performance.now();
  }

  /** The list of discovery if it is newer than a time of `performance.now()`; otherwise none. */
  listSince(since: number): readonly JobRecord[] {
    return this.#listedAt >= since ? this.#list : [];
  }

  /** Wakes `waitForChange`: jobs were added or removed, or a stream ended. */
  notifyChange(): void {
    this.#changes.emit('change');
  }

  /** Resolves at the next change; rejects once the signal is aborted. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'change', { signal });
  }
}

/** Reports progress and the pause of the queue; for a job in a final state, its whole record instead. */
export async function* reportProgress(
  { client, withRetry, signal, jobs }: FollowContext,
  job: FollowedProgress,
): FollowEvents {
  if (!isFinal(job.state)) {
    const pause = pauseOf(job);
    if (jobs.notePause(pause)) yield { type: 'queue', pause };
    yield { type: 'progress', job };
    return;
  }
  const record = yield* withRetry(() => client.job(job.id, signal));
  // A job that was resubmitted in the meantime is followed further.
  if (isFinal(record.state)) yield { type: 'final', job: record };
}

function pauseOf({ queue }: FollowedProgress): QueuePause | null {
  if (queue === undefined) return null;
  return { until: queue.until, isFrozen: queue.frozen, isOutsideHours: queue.reason === 'hours' };
}

/** Errors that concern one job and no other. */
const jobErrorClasses = ['NotFoundError', 'GoneError', 'ForbiddenError'] as const;

/** Turns an error that concerns one job into an event, so that the other jobs are followed further. */
export async function* isolateJobErrors(id: number, events: FollowEvents): FollowEvents {
  try {
    yield* events;
  } catch (error) {
    if (!isJobError(error)) throw error;
    yield { type: 'rejected', id, error };
  }
}

/** Whether an error concerns one job and no other. */
export function isJobError(error: unknown): error is VencError {
  return isVencError(error) && jobErrorClasses.some((name) => name === error.errorClass);
}
