import { isVencError, VencError } from '../api/errors.js';
import { exitCodes } from '../api/exit-codes.js';
import type { JobRecord } from '../api/records.js';
import { isFinal } from '../api/states.js';
import type { Client } from './client.js';
import type { FollowedProgress } from './job-progress.js';
import { progressOfJob } from './normalise.js';
import { createPace, paceLimitsFor } from './pace.js';

/** What happens while jobs are followed. Made for a reducer: each event stands for itself. */
export type FollowEvent =
  | { readonly type: 'progress'; readonly job: FollowedProgress }
  /** The job is in a final state, once for each job. */
  | { readonly type: 'final'; readonly job: JobRecord }
  /** The service will not tell about this job (no such job, key refused): it is followed no longer. */
  | { readonly type: 'refused'; readonly id: number; readonly error: VencError }
  /** The service is out of reach; it is tried again until it is `back`. Once for each outage. */
  | { readonly type: 'unreachable'; readonly error: VencError }
  | { readonly type: 'back' };

/** How to follow. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The service answered a moment ago: an outage at the first question is waited out as well. */
  readonly isKnownReachable?: boolean;
}

/** From this many jobs on, one list tells more cheaply which of them need asking about. */
const listFromJobs = 4;
const listPageJobs = 50;
/** Errors that concern one id and not the others. */
const refusals = ['NotFoundError', 'GoneError', 'ForbiddenError'] as const;

/**
 * Follows jobs until all of them are final, one request at a time: at most five a second on this machine and
 * one a second elsewhere, fewer while nothing changes. A lost connection is waited out. Throws what cannot pass: a service
 * that never answered, a refused key, and the signal's own reason (`InterruptedError` where that is none of ours).
 */
export async function* follow(
  client: Client,
  ids: readonly number[],
  options: FollowOptions = {},
): AsyncGenerator<FollowEvent, void, undefined> {
  const { signal } = options;
  const pace = createPace(paceLimitsFor(client.target.url));
  const turn = () => pace.turn(signal);
  const open = new Set(ids);
  const lastSeen = new Map<number, string>();
  let hasAnswered = options.isKnownReachable === true;
  let isLost = false;

  /** One question, with an outage waited out. */
  async function* patiently<T>(question: () => Promise<T>): AsyncGenerator<FollowEvent, T, undefined> {
    for (;;) {
      try {
        await turn();
        const answer = await question();
        hasAnswered = true;
        if (isLost) yield { type: 'back' };
        isLost = false;
        return answer;
      } catch (error) {
        if (signal?.aborted === true) throw endOf(signal);
        if (!hasAnswered || !isVencError(error) || error.entry.exitCode !== exitCodes.unreachable)
          throw error;
        if (!isLost) yield { type: 'unreachable', error };
        isLost = true;
        pace.note(false);
        await client.relocate();
      }
    }
  }

  async function* one(id: number): AsyncGenerator<FollowEvent, void, undefined> {
    try {
      const job = yield* patiently(() => client.jobProgress(id, signal, turn));
      if (!isFinal(job.state)) yield { type: 'progress', job };
      else {
        const record = yield* patiently(() => client.job(id, signal));
        // It may have been resubmitted in between: then it is simply followed on.
        if (isFinal(record.state)) yield { type: 'final', job: record };
      }
    } catch (error) {
      if (!isVencError(error) || !refusals.some((name) => name === error.errorClass)) throw error;
      yield { type: 'refused', id, error };
    }
  }

  async function* round(): AsyncGenerator<FollowEvent, void, undefined> {
    const listed = new Map<number, JobRecord>();
    if (open.size >= listFromJobs) {
      const page = yield* patiently(() => client.listJobs({ perPage: listPageJobs }, signal));
      for (const job of page.jobs) listed.set(job.id, job);
    }
    for (const id of [...open]) {
      const job = listed.get(id);
      if (job === undefined || job.state === 'processing') yield* one(id);
      else if (isFinal(job.state)) yield { type: 'final', job };
      else yield { type: 'progress', job: { id, ...progressOfJob(job, new Map()) } };
    }
  }

  while (open.size > 0) {
    let hasChanged = false;
    for await (const event of round()) {
      if (event.type === 'final') open.delete(event.job.id);
      if (event.type === 'refused') open.delete(event.id);
      if (event.type === 'progress') {
        const seen = fingerprint(event.job);
        hasChanged ||= lastSeen.get(event.job.id) !== seen;
        lastSeen.set(event.job.id, seen);
      }
      yield event;
    }
    pace.note(hasChanged);
  }
}

/** What counts as a change: states, and whole percents. */
function fingerprint(job: FollowedProgress): string {
  const files = [job.input, ...job.outputs].map((file) => `${file.state} ${Math.floor(file.progress)}`);
  return [job.state, ...files].join();
}

function endOf(signal: AbortSignal): VencError {
  return isVencError(signal.reason) ? signal.reason : new VencError('InterruptedError', 'Interrupted.');
}
