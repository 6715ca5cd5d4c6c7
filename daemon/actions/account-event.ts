import type { LogRecord, QueueRecord } from '../../src/shared/records.js';
import type { StreamEvent } from './event-hub.js';

/** The jobs of one event at most, and the number of changes above which a slow reader has to begin again. */
export const maxJobsPerEvent = 1000;
const maxWaitingChanges = 2 * maxJobsPerEvent;

/** What an event says. */
interface EventContent {
  /** The position in the changes of jobs after which a client continues; null if it stays the same. */
  readonly position: string | null;
  /** The number of active jobs that the event leaves out; null if it does not have all others. */
  readonly more?: number | null;
  /** Whether the client has to load its list again. */
  readonly isReset?: boolean;
  readonly queue?: QueueRecord | null;
  /** The records of jobs as JSON, by id. */
  readonly jobs?: ReadonlyMap<number, string>;
  readonly removed?: ReadonlySet<number>;
  readonly log?: readonly LogRecord[];
  /** The id of the last line of the log that the client has then. */
  readonly lineId?: string | null;
}

/** What has changed of the jobs of an account: `JobChangesRecord`. Its JSON is made at most once. */
export class AccountEvent implements StreamEvent {
  readonly #content: Required<EventContent>;
  #json: string | null = null;

  constructor(content: EventContent) {
    const nothing = { more: null, isReset: false, queue: null, jobs: new Map(), removed: new Set<number>() };
    this.#content = { ...nothing, log: [], lineId: null, ...content };
  }

  get id(): string {
    const { position, lineId } = this.#content;
    return lineId === null ? `${position ?? ''}` : `${position ?? ''}.${lineId}`;
  }

  get position(): string | null {
    return this.#content.position;
  }

  get lineId(): string | null {
    return this.#content.lineId;
  }

  get json(): string {
    this.#json ??= this.#toJson();
    return this.#json;
  }

  /** The same for a client that also has a log. */
  at(position: string | null, lineId: string | null): AccountEvent {
    return new AccountEvent({ ...this.#content, position, lineId });
  }

  /** What has changed with this event and the next one; null if it is too much. */
  with(following: AccountEvent): AccountEvent | null {
    const [before, next] = [this.#content, following.#content];
    const isWhole = next.more !== null;
    const jobs = isWhole ? new Map(next.jobs) : new Map([...before.jobs, ...next.jobs]);
    const removed = isWhole ? next.removed : new Set([...before.removed, ...next.removed]);
    for (const id of removed) jobs.delete(id);
    const log = [...before.log, ...next.log];
    if (jobs.size + removed.size + log.length > maxWaitingChanges) return null;
    return new AccountEvent({
      position: next.position ?? before.position,
      more: isWhole ? next.more : before.more,
      isReset: before.isReset || next.isReset,
      queue: next.queue ?? before.queue,
      ...{ jobs, removed, log },
      lineId: next.lineId ?? before.lineId,
    });
  }

  #toJson(): string {
    const { more, isReset, queue, jobs, removed, log } = this.#content;
    const head = {
      ...(more === null ? {} : { active: true }),
      ...(isReset ? { reset: true } : {}),
      ...(more === null || more === 0 ? {} : { more }),
      ...(queue === null ? {} : { queue }),
    };
    const members = [
      ...Object.entries(head).map(([name, value]) => `"${name}":${JSON.stringify(value)}`),
      `"jobs":[${[...jobs.values()].join(',')}]`,
      `"removed":${JSON.stringify([...removed])}`,
      ...(log.length === 0 ? [] : [`"log":${JSON.stringify(log)}`]),
    ];
    return `{${members.join(',')}}`;
  }
}
