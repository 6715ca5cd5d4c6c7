import type { JobChanges } from '../api-types/api-types.js';
import { fieldsOf, itemsOf, readNumber } from '../shared/client/coerce.js';
import { normaliseJobProgress } from '../shared/client/normalise.js';
import { initialSseState, parseSse, type SseMessage } from '../shared/client/sse.js';
import { isFinal } from '../shared/states.js';
import { abortableSleep, backoffDelayMs } from '../shared/util/timing.js';
import type { JobEvent } from './declarations.js';
import { invalidOption, NotFoundError, VencError } from './errors.js';
import { isTransient, type OpenAnswer, type Transport } from './transport.js';

/** Milliseconds without data after which a stream counts as broken: before its first event, and after it. */
const idleMs = { first: 10_000, next: 45_000 } as const;
/** After so many streams without an event, the jobs are polled: a proxy may hold events back. */
const maxEmptyStreams = 2;
const reconnect = { firstMs: 250, maxMs: 5000 };
const pollingMs = { min: 1000, max: 5000 } as const;
/** Ids are in the address of the stream, which proxies limit. */
const maxIds = 500;

/** What is needed to follow jobs. */
export interface FollowContext {
  readonly transport: Transport;
  readonly signal: AbortSignal | undefined;
  /** The progress of a job, at any service. */
  readonly progressOf: (id: number) => Promise<JobEvent>;
  /** The newest jobs. */
  readonly newestIds: () => Promise<readonly number[]>;
}

/** Yields the progress of jobs as it changes, until all have ended. */
export async function* followJobs(
  context: FollowContext,
  ids: readonly number[],
): AsyncGenerator<JobEvent, void, undefined> {
  if (ids.length > maxIds)
    throw invalidOption('jobs', `More than ${maxIds} jobs cannot be followed at once.`);
  const remaining = new Set(ids);
  if (remaining.size === 0) return;
  for await (const { jobs, removed = [] } of followChanges(context, ids)) {
    for (const job of jobs) {
      if (!remaining.has(job.id)) continue;
      if (isFinal(job.state)) remaining.delete(job.id);
      yield job;
    }
    for (const id of removed)
      if (remaining.has(id))
        throw new NotFoundError(`There is no job ${id} here.`, {
          code: 'not_found',
          hint: 'check the id and the key',
        });
    if (remaining.size === 0) return;
  }
}

/** Yields what changes of the jobs of the account, or of these. Does not end. */
export async function* followChanges(
  context: FollowContext,
  ids?: readonly number[],
): AsyncGenerator<JobChanges, void, undefined> {
  const { transport, signal } = context;
  let lastEventId = '';
  let emptyCount = 0;
  for (let failures = 0; emptyCount < maxEmptyStreams; ) {
    let stream: OpenAnswer | undefined;
    let retryMs = 0;
    try {
      stream = await transport.open('/v2/events', {
        query: { only: ids?.join() },
        headers: {
          Accept: 'text/event-stream',
          ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }),
        },
        signal,
      });
      if (!/^text\/event-stream\b/.test(stream.response.headers.get('content-type') ?? '')) break;
      emptyCount += 1;
      for await (const { message, retryMs: given } of readMessages(stream)) {
        const changes = parseChanges(message.data);
        if (changes === null) break;
        failures = 0;
        emptyCount = 0;
        lastEventId = message.id;
        retryMs = given ?? 0;
        yield changes;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissing(error)) break;
      // Once the service has answered it is expected to come back.
      if (lastEventId === '' || !(error instanceof VencError) || !isTransient(error)) throw error;
      failures += 1;
    } finally {
      stream?.close();
    }
    await abortableSleep(Math.max(retryMs, backoffDelayMs(failures + 1, reconnect)), signal);
  }
  yield* pollChanges(context, ids);
}

/** Whether the service lacks the stream. */
function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof VencError && error.code === 'invalid_answer');
}

async function* readMessages({ response, extend }: OpenAnswer): AsyncGenerator<{
  readonly message: SseMessage;
  readonly retryMs: number | null;
}> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let state = initialSseState;
  extend(idleMs.first);
  for (;;) {
    // What kind of error it is does not matter: the next request resumes the stream or reports it.
    const part = await reader?.read().catch(() => undefined);
    if (part === undefined || part.done) return;
    extend(idleMs.next);
    const read = parseSse(state, decoder.decode(part.value, { stream: true }));
    state = read.state;
    for (const message of read.messages)
      if (message.event === 'message') yield { message, retryMs: state.retryMs };
  }
}

/** Parses an event; null if it has another form. */
function parseChanges(data: string): JobChanges | null {
  try {
    const changes = fieldsOf(JSON.parse(data));
    return Array.isArray(changes.jobs) ? (changes as unknown as JobChanges) : null;
  } catch {
    return null;
  }
}

/** The same at a service without the stream, by asking for the progress of each job. */
async function* pollChanges(
  { progressOf, newestIds, signal }: FollowContext,
  ids?: readonly number[],
): AsyncGenerator<JobChanges, void, undefined> {
  const seen = new Map<number, string>();
  const ended = new Set<number>();
  let waitMs: number = pollingMs.min;
  for (let hasAnswered = false; ; ) {
    const jobs: JobEvent[] = [];
    const removed: number[] = [];
    try {
      for (const id of ids ?? (await newestIds())) {
        if (ended.has(id)) continue;
        const job = await progressOf(id).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error;
          removed.push(id);
          return null;
        });
        if (job === null || seen.get(id) === JSON.stringify(job)) continue;
        seen.set(id, JSON.stringify(job));
        // Without ids, a job may be run again.
        if (ids !== undefined && isFinal(job.state)) ended.add(id);
        jobs.push(job);
      }
      hasAnswered = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!hasAnswered || !(error instanceof VencError) || !isTransient(error)) throw error;
    }
    const hasChanged = jobs.length > 0 || removed.length > 0;
    if (hasChanged) yield { jobs, removed };
    waitMs = hasChanged ? pollingMs.min : Math.min(waitMs * 1.5, pollingMs.max);
    await abortableSleep(waitMs, signal);
  }
}

/** The progress of a job from the answer of a service. */
export function readProgress(id: number, answer: unknown): JobEvent {
  return { id, ...normaliseJobProgress(answer) } as JobEvent;
}

/** The ids of jobs in a list. */
export function idsIn(jobs: readonly unknown[]): readonly number[] {
  return jobs.flatMap((job) => readNumber(fieldsOf(job).id) ?? []);
}

/** The ids of the files of a job that have not ended. */
export function unfinishedFiles(files: unknown): readonly number[] {
  return idsIn(itemsOf(files).filter((file) => !isFinal(String(fieldsOf(file).state))));
}
