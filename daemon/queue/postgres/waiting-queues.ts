import { sql } from 'kysely';
import type { PostgresDatabase } from '../../store/postgres/open-database.js';
import type { WaitingJob } from '../waiting-jobs.js';

/** A queue in which jobs wait, with the one that is probably its first. */
interface WaitingQueue extends WaitingJob {
  readonly name: string;
}

interface QueueRow {
  readonly name: string;
  readonly account_id: string;
  readonly requires: string;
  readonly needs: string;
  readonly job_id: string;
  readonly priority: number;
}

/**
 * The queues in which jobs wait, as they were when `load` read them. It decides from which of them the next job is taken, as `WaitingJobs`
 * does in memory: from the account with the fewest running jobs on all machines, then the one whose job has the greatest priority, then the
 * oldest.
 */
export class WaitingQueues {
  readonly #queries: PostgresDatabase['queries'];
  readonly #queues = new Map<string, WaitingQueue>();
  #runningByAccount = new Map<string, number>();

  constructor(queries: PostgresDatabase['queries']) {
    this.#queries = queries;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** Reads the queues. Takes a few steps in an index for each queue in which jobs wait, whatever their number. */
  async load(): Promise<void> {
    const { rows } = await sql<QueueRow>`
      with recursive names (name) as (
        (select min(queue) from venc.queue_entries where is_waiting)
        union all
        select (select min(queue) from venc.queue_entries where is_waiting and queue > names.name)
        from names where names.name is not null
      )
      select queues.*, first.job_id, first.priority
      from names
      join venc.queues on queues.name = names.name
      cross join lateral (
        select job_id, priority from venc.queue_entries
        where is_waiting and queue = names.name order by priority desc, job_id limit 1
      ) as first`.execute(this.#queries);
    const running = await this.#queries
      .selectFrom('queue_entries')
      .innerJoin('queues', 'queues.name', 'queue_entries.queue')
      .select(({ fn }) => ['queues.account_id', fn.countAll<string>().as('count')])
      .where('queue_entries.is_waiting', '=', false)
      .groupBy('queues.account_id')
      .execute();
    this.#queues.clear();
    for (const { name, account_id: accountId, requires, needs, job_id: id, priority } of rows)
      this.#queues.set(name, {
        ...{ name, accountId, priority, id: Number(id) },
        ...{ requires: JSON.parse(requires), needsKey: needs },
      });
    this.#runningByAccount = new Map(running.map(({ account_id: id, count }) => [id, Number(count)]));
  }

  /** The queue of the next job that is accepted; null if there is none. */
  next(accepts: (job: WaitingJob) => boolean): WaitingQueue | null {
    let best: WaitingQueue | null = null;
    for (const queue of this.#queues.values())
      if ((best === null || this.#isBefore(queue, best)) && accepts(queue)) best = queue;
    return best;
  }

  /** Forgets a queue until it is read again: it has no job that can be taken. */
  forget(name: string): void {
    this.#queues.delete(name);
  }

  #isBefore(one: WaitingQueue, other: WaitingQueue): boolean {
    const difference = this.#running(one) - this.#running(other) || other.priority - one.priority;
    return difference === 0 ? one.id < other.id : difference < 0;
  }

  #running({ accountId }: WaitingQueue): number {
    return this.#runningByAccount.get(accountId) ?? 0;
  }
}
