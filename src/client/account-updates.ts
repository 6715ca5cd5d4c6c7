import { fieldsOf, itemsOf, readNumber, readText } from '../shared/client/coerce.js';
import { normaliseJobProgress } from '../shared/client/normalise.js';
import type { JobChangesRecord } from '../shared/records.js';
import type { Caller } from './call.js';
import type { HttpResponse } from './http.js';
import type { FollowedProgress, QueuePause } from './job-progress.js';
import { isEventStream, type MessageListener, readEventStream } from './job-updates.js';
import { isNotFound, mayLackRoute } from './network-errors.js';

/** What has changed of the jobs of an account. Of several changes of a job, the newest is left. */
export interface AccountChanges {
  /** Whether the jobs are all that have not ended. */
  readonly isActive: boolean;
  /** The number of active jobs that are not among the jobs. */
  readonly more: number;
  readonly jobs: ReadonlyMap<number, FollowedProgress>;
  readonly removed: ReadonlySet<number>;
  /** The pause of the queue; undefined if it has not changed, null if there is none. */
  readonly pause: QueuePause | null | undefined;
}

/** The changes of the jobs of an account, over one connection. */
export interface AccountUpdates {
  /** Resolves to the changes since the last call, as soon as there are any; null once the stream has ended. */
  next(): Promise<AccountChanges | null>;
  /** The last event that was received: the stream is resumed after it; empty if there is none. */
  readonly lastEventId: string;
  /** Milliseconds that the service asks to wait before the next request. */
  readonly retryMs: number;
  /** Whether the stream can be used; false once it has ended without events, or with others. */
  readonly isUsable: boolean;
}

/** Options of a request for the updates of an account. */
interface AccountUpdatesOptions {
  /** The jobs that the stream is about; all if absent. */
  readonly ids?: readonly number[] | undefined;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** Requests the stream of all jobs; resolves to null if the service has none. Rejects as `Client.open` does. */
export type RequestAccountUpdates = (options?: AccountUpdatesOptions) => Promise<AccountUpdates | null>;

/** Requests the stream of all jobs of an account, as the venc daemon has it. A missing route is not requested again. */
export function createAccountUpdates(open: Caller['open']): RequestAccountUpdates {
  let hasRoute: boolean | null = null;
  return async ({ ids, lastEventId = '', signal } = {}) => {
    if (hasRoute === false) return null;
    const last = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
    const headers = { Accept: 'text/event-stream', ...last };
    try {
      const response = await open('events', { query: { only: ids?.join() }, headers, signal });
      hasRoute = isEventStream(response);
      if (!hasRoute) {
        response.content.destroy();
        return null;
      }
      return new OpenUpdates(response, () => {
        hasRoute = false;
      });
    } catch (error) {
      if (hasRoute === true || !mayLackRoute(error)) throw error;
      if (isNotFound(error)) hasRoute = false;
      return null;
    }
  };
}

const nothing = { isActive: false, more: 0, pause: undefined } as const;

class OpenUpdates implements AccountUpdates {
  #changes: AccountChanges | null = null;
  #hasEnded = false;
  #isUsable = true;
  #lastEventId = '';
  #retryMs = 0;
  #wake: () => void = () => {};

  constructor({ content }: HttpResponse, onUnusable: () => void) {
    const onMessage: MessageListener = ({ data, id }, retryMs) => {
      const changes = parseChanges(data);
      if (changes === null) return 'unusable';
      this.#lastEventId = id;
      this.#retryMs = retryMs ?? 0;
      this.#changes = this.#changes === null ? changes : withChanges(this.#changes, changes);
      this.#wake();
      return 'next';
    };
    void readEventStream(content, onMessage).then((isUsable) => {
      this.#isUsable = isUsable;
      if (!isUsable) onUnusable();
      this.#hasEnded = true;
      this.#wake();
    });
  }

  get lastEventId(): string {
    return this.#lastEventId;
  }

  get retryMs(): number {
    return this.#retryMs;
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  async next(): Promise<AccountChanges | null> {
    while (this.#changes === null && !this.#hasEnded)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const changes = this.#changes;
    this.#changes = null;
    return changes;
  }
}

function withChanges(before: AccountChanges, next: AccountChanges): AccountChanges {
  const { isActive, more } = next.isActive ? next : before;
  const jobs = new Map([...before.jobs, ...next.jobs]);
  for (const id of next.removed) jobs.delete(id);
  const removed = new Set([...before.removed, ...next.removed]);
  return { isActive, more, jobs, removed, pause: next.pause === undefined ? before.pause : next.pause };
}

/** Parses the data of an event; null if they have another form. */
function parseChanges(data: string): AccountChanges | null {
  try {
    const record = fieldsOf(JSON.parse(data)) as Partial<Record<keyof JobChangesRecord, unknown>>;
    if (!Array.isArray(record.jobs)) return null;
    const jobs = itemsOf(record.jobs).map((job) => ({
      id: readNumber(fieldsOf(job).id) ?? 0,
      ...normaliseJobProgress(job),
    }));
    const removed = Array.isArray(record.removed) ? record.removed.map(readNumber) : [];
    return {
      ...nothing,
      jobs: new Map(jobs.map((job) => [job.id, job])),
      removed: new Set(removed.filter((id) => id !== null)),
      ...(record.active === true ? { isActive: true, more: readNumber(record.more) ?? 0 } : {}),
      ...(record.queue === undefined ? {} : { pause: readPause(record.queue) }),
    };
  } catch {
    return null;
  }
}

function readPause(queue: unknown): QueuePause | null {
  const { paused, until, frozen, reason } = fieldsOf(queue);
  if (paused !== true) return null;
  return { until: readText(until), isFrozen: frozen === true, isOutsideHours: reason === 'hours' };
}
