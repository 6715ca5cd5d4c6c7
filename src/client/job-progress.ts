import {
  normaliseJob,
  normaliseJobProgress,
  normaliseProgress,
  progressOfJob,
} from '../shared/client/normalise.js';
import { isVencError } from '../shared/errors.js';
import type { JobProgressRecord, JobRecord, ProgressRecord } from '../shared/records.js';
import type { RouteName } from '../shared/routes.js';
import { isFinal } from '../shared/states.js';
import type { Caller } from './call.js';
import { mayLackRoute } from './network-errors.js';

/** Progress of a job, with the job's id. */
export type FollowedProgress = JobProgressRecord & { readonly id: number };

/** A pause of the queue of a daemon, an addition to the service document. */
export interface QueuePause {
  /** When it ends, in ISO 8601; null if it holds until the queue is resumed. */
  readonly until: string | null;
  /** Whether running encodes are stopped as well. */
  readonly isFrozen: boolean;
  /** Whether nothing is paused, and the daemon is outside its hours. */
  readonly isOutsideHours: boolean;
}

/** Awaited before a request is sent, so that the caller keeps its polling schedule. */
export type WaitForSlot = () => Promise<void>;

/**
 * Requests the progress of a whole job. Only the venc daemon has such a route: elsewhere it is derived from the job's
 * details (section 4.2) and the progress of its files (sections 4.8 and 4.9).
 */
export function createJobProgress(
  call: Caller['call'],
): (id: number, signal?: AbortSignal, waitForSlot?: WaitForSlot) => Promise<FollowedProgress> {
  // The first response shows whether the service has the route; if not, it is not requested again.
  let hasRoute = true;

  async function requestFileProgress(
    job: JobRecord,
    signal: AbortSignal | undefined,
    waitForSlot: WaitForSlot,
  ) {
    const records = new Map<number, ProgressRecord>();
    const requestRecord = async (route: RouteName, id: number) => {
      await waitForSlot();
      try {
        records.set(id, normaliseProgress((await call(route, { values: { id }, signal })).body));
      } catch (error) {
        // The job's details have the state of the file.
        if (!isVencError(error, 'NotFoundError') && !isVencError(error, 'GoneError')) throw error;
      }
    };
    if (isFinal(job.state)) return records;
    if (job.input_media_file.id > 0 && !isFinal(job.input_media_file.state)) {
      await requestRecord('inputProgress', job.input_media_file.id);
    }
    for (const output of job.output_media_files) {
      if (output.id > 0 && !isFinal(output.state) && output.state !== 'waiting') {
        await requestRecord('outputProgress', output.id);
      }
    }
    return records;
  }

  return async (id, signal, waitForSlot = async () => {}) => {
    if (hasRoute) {
      try {
        const { body } = await call('jobProgress', { values: { id }, signal });
        return { id, ...normaliseJobProgress(body) };
      } catch (error) {
        if (!mayLackRoute(error)) throw error;
      }
      await waitForSlot();
    }
    const job = normaliseJob((await call('jobDetails', { values: { id }, signal })).body, id);
    hasRoute = false;
    return { id, ...progressOfJob(job, await requestFileProgress(job, signal, waitForSlot)) };
  };
}
