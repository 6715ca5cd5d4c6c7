import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { type FollowContext, type FollowEvents, isolateJobErrors, reportProgress } from './follow-context.js';
import type { FollowedProgress } from './job-progress.js';
import { progressOfJob } from './normalise.js';
import { maxStreamsFor } from './polling-schedule.js';

/** From this many jobs on, one list is cheaper than a request per job. */
const minJobsForList = 4;
const listPageSize = 50;
/** The list is fetched again after this many requests: it shows the end of many jobs at once. */
const maxJobsPerRound = 10;

/**
 * Polls the jobs that have no stream, and opens their streams where the service has them. Ends only with an error; waits while every
 * job has a stream.
 */
export async function* pollJobs(context: FollowContext, getPreferredId: () => number | null): FollowEvents {
  const { client, schedule, withRetry, signal, jobs, streams } = context;
  const maxStreams = maxStreamsFor(client.target.url);
  const waitForSlot = () => schedule.waitForSlot(signal);
  const requestedAt = new Map<number, number>();
  const fingerprints = new Map<number, string>();
  /** Whether the service has streams; null until its first answer. */
  let hasStreams: boolean | null = null;
  const canOpenStream = () => hasStreams !== false && streams.size < maxStreams;
  const unstreamedIds = () => jobs.ids.filter((id) => !streams.has(id));

  async function* requestJob(id: number): FollowEvents {
    if (!jobs.has(id) || streams.has(id)) return;
    requestedAt.set(id, performance.now());
    if (!canOpenStream()) {
      const job = yield* withRetry(() => client.jobProgress(id, signal, waitForSlot));
      yield* reportProgress(context, job);
      return;
    }
    const options = { eventId: streams.eventId(id), signal, waitForSlot };
    const updates = yield* withRetry(() => client.jobUpdates(id, options));
    hasStreams ??= updates.kind === 'events';
    if (updates.kind === 'events') streams.add(id, updates);
    else yield* reportProgress(context, updates.job);
  }

  /** The preferred job first, then those whose last request is longest ago. */
  function byUrgency(ids: readonly number[]): readonly number[] {
    const preferred = getPreferredId();
    const lastRequestedAt = (id: number) =>
      id === preferred ? Number.NEGATIVE_INFINITY : (requestedAt.get(id) ?? 0);
    return ids.toSorted((a, b) => lastRequestedAt(a) - lastRequestedAt(b));
  }

  async function* pollRound(listed: ReadonlyMap<number, JobRecord>): FollowEvents {
    const waitingIds: number[] = [];
    const otherIds: number[] = [];
    for (const id of unstreamedIds()) {
      const job = listed.get(id);
      if (job === undefined || job.state === 'processing') otherIds.push(id);
      else if (isFinal(job.state)) yield { type: 'final', job };
      else {
        waitingIds.push(id);
        yield { type: 'progress', job: { id, ...progressOfJob(job, new Map()) } };
      }
    }
    for (const id of byUrgency(otherIds).slice(0, maxJobsPerRound))
      yield* isolateJobErrors(id, requestJob(id));
    // The list shows all there is about a waiting job. Its stream is opened only where every job can have one.
    if (jobs.size > maxStreams) return;
    for (const id of waitingIds) if (canOpenStream()) yield* isolateJobErrors(id, requestJob(id));
  }

  for (;;) {
    if (!jobs.isDiscovered || unstreamedIds().length === 0) {
      await jobs.waitForChange(signal);
      continue;
    }
    const startedAt = performance.now();
    await schedule.waitUntilDue(signal);
    let list = jobs.listSince(startedAt);
    if (list.length === 0 && unstreamedIds().length >= minJobsForList)
      list = (yield* withRetry(() => client.listJobs({ perPage: listPageSize }, signal))).jobs;
    let hasChanged = false;
    for await (const event of pollRound(new Map(list.map((job) => [job.id, job])))) {
      if (event.type === 'progress') {
        const current = fingerprint(event.job);
        hasChanged ||= fingerprints.get(event.job.id) !== current;
        fingerprints.set(event.job.id, current);
      }
      yield event;
    }
    // While the maximum number of streams is open they report enough, so the other jobs are polled slowly.
    if (unstreamedIds().length > 0) schedule.endRound(hasChanged && streams.size < maxStreams);
  }
}

/** Identifies what counts as a change: states and whole percents. */
function fingerprint(job: FollowedProgress): string {
  const files = [job.input, ...job.outputs].map((file) => `${file.state} ${Math.floor(file.progress)}`);
  return [job.state, ...files].join();
}
