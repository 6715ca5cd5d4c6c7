import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { AccountChanges, AccountUpdates } from './account-updates.js';
import { recordsOf } from './discover-jobs.js';
import { type FollowContext, type FollowEvents, isolateJobErrors, reportProgress } from './follow-context.js';

/** The jobs that a stream is restricted to at most: their ids are in the URL, which proxies limit. */
const maxIdsInUrl = 500;

/** After so many streams without an event, the stream is not used. */
const maxEmptyStreams = 2;

/** Whether jobs can be followed by one stream. A single one has a stream of its own, with more updates per second. */
export function canFollowChanges(ids: readonly number[], hasDiscovery: boolean): boolean {
  return hasDiscovery || (ids.length > 1 && ids.length <= maxIdsInUrl);
}

/**
 * Opens the stream of all jobs; resolves to null if the service has none or does not answer. It takes no slot of the
 * schedule, so that a service without the stream is followed as soon as without this request. Never rejects.
 */
export function openUpdates(
  { client, signal }: Pick<FollowContext, 'client' | 'signal'>,
  ids: readonly number[] | undefined,
): Promise<AccountUpdates | null> {
  // Another request reports the error.
  return client.accountUpdates({ ids, signal }).catch(() => null);
}

/** What `followChanges` begins with. */
interface FollowStart {
  /** The open stream. */
  readonly updates: AccountUpdates;
  /** The jobs that it is about; absent for all. */
  readonly ids: readonly number[] | undefined;
  /** The newest jobs when it was open. */
  readonly newest: readonly Pick<JobRecord, 'id'>[];
}

/**
 * Reports the jobs over one connection. Without `ids` each new job and each that is run again as well. Ends if the
 * stream turns out to be unusable, as behind a proxy that buffers it; otherwise only with an error.
 */
export async function* followChanges(
  context: FollowContext,
  { updates: first, ids, newest }: FollowStart,
): FollowEvents {
  const { client, schedule, signal, withRetry } = context;
  const startId = Math.max(0, ...newest.map(({ id }) => id));
  const report = createReporter(context, ids === undefined ? startId : null);
  let lastEventId = '';
  /** The streams in a row that ended without an event. */
  let emptyCount = 0;
  for (let updates: AccountUpdates | null = first; updates !== null; ) {
    emptyCount += 1;
    for (let changes = await updates.next(); changes !== null; changes = await updates.next()) {
      emptyCount = 0;
      yield* report(changes);
    }
    if (!updates.isUsable || emptyCount === maxEmptyStreams) return;
    lastEventId = updates.lastEventId === '' ? lastEventId : updates.lastEventId;
    schedule.endRound(true, updates.retryMs);
    updates = yield* withRetry(() => client.accountUpdates({ ids, lastEventId, signal }));
  }
}

/** Makes a function that reports changes. `startId` is the id of the newest job at first, null without discovery. */
function createReporter(context: FollowContext, startId: number | null) {
  const { client, jobs, signal, withRetry } = context;
  /** Jobs that waited at first and were not in the lists. They are reported when they begin. */
  const waitingIds = new Set<number>();
  /** New jobs that were reported and have ended. */
  const endedIds = new Set<number>();

  async function* reportEnd(id: number): FollowEvents {
    const record = yield* withRetry(() => client.job(id, signal));
    if (isFinal(record.state)) yield { type: 'final', job: record };
  }

  async function* reportActive(id: number): FollowEvents {
    yield* reportProgress(context, yield* withRetry(() => client.jobProgress(id, signal)));
  }

  function* unknownIds({ jobs: changed, isActive }: AccountChanges): Generator<number> {
    if (startId === null) return;
    for (const [id, { state }] of changed) {
      if (jobs.has(id) || endedIds.has(id)) {
        // It is run again.
        if (!isFinal(state) && !jobs.has(id)) yield id;
      } else if (isFinal(state)) {
        if (id > startId) yield id;
      } else if (state !== 'processing' && id <= startId && (isActive || waitingIds.has(id)))
        waitingIds.add(id);
      else yield id;
    }
  }

  async function* reportNew(changes: AccountChanges): FollowEvents {
    const ids = [...unknownIds(changes)];
    if (ids.length === 0) return;
    const found = yield* recordsOf(context, ids);
    for (const id of ids) {
      waitingIds.delete(id);
      endedIds.delete(id);
    }
    yield { type: 'found', jobs: found };
    for (const job of found) {
      if (!isFinal(job.state)) continue;
      endedIds.add(job.id);
      yield { type: 'final', job };
    }
  }

  return async function* report(changes: AccountChanges): FollowEvents {
    if (changes.pause !== undefined && jobs.notePause(changes.pause))
      yield { type: 'queue', pause: changes.pause };
    const before = jobs.ids;
    yield* reportNew(changes);
    for (const [id, job] of changes.jobs)
      if (jobs.has(id)) {
        if (isFinal(job.state)) endedIds.add(id);
        yield* isolateJobErrors(id, reportProgress(context, job));
      }
    for (const id of changes.removed) if (jobs.has(id)) yield* isolateJobErrors(id, reportEnd(id));
    if (!changes.isActive) return;
    for (const id of before)
      if (jobs.has(id) && !changes.jobs.has(id))
        yield* isolateJobErrors(id, changes.more > 0 ? reportActive(id) : reportEnd(id));
  };
}
