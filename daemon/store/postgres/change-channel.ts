import { Client, type ClientConfig } from 'pg';
import { backoffDelayMs } from '../../../src/shared/util/backoff.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { DatabaseTarget } from './database-errors.js';
import { lockHolderName, lockShared } from './database-lock.js';

/** Receives the notifications of one channel. */
interface ChannelSubscriber {
  onNotification(payload: string): void;
  /** Called after the connection was lost and made again: notifications since this time of the server may be missing. */
  onGap(since: Date): void;
}

const backoff = { firstMs: 100, maxMs: 5_000 };
/** How often an idle connection is checked, in milliseconds: a network that is cut reports nothing. */
const checkIntervalMs = 15_000;
const checkTimeoutMs = 10_000;
/** A change is notified when its transaction is committed, at most this long after the time that the change carries, in milliseconds. */
const maxTransactionMs = 60_000;

/**
 * Receives notifications (LISTEN) over a connection of its own, and makes it again whenever it is lost. Nothing is lost silently: each
 * subscriber then learns since when notifications may be missing. The connection also has the lock that keeps migrations away.
 */
export class ChangeChannel {
  readonly #config: ClientConfig;
  readonly #target: DatabaseTarget;
  readonly #log: Log;
  readonly #subscribers = new Map<string, Set<ChannelSubscriber>>();
  #client: Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #isClosed = false;
  /** The last time of the server at which the connection worked. */
  #aliveAt = new Date(0);

  private constructor(config: ClientConfig, target: DatabaseTarget, log: Log) {
    this.#config = { ...config, application_name: lockHolderName('venc') };
    this.#target = target;
    this.#log = log;
  }

  /** Connects. Rejects with the error of the driver, or with `InUseError` during a migration. */
  static async open(config: ClientConfig, target: DatabaseTarget, log: Log): Promise<ChangeChannel> {
    const channel = new ChangeChannel(config, target, log);
    await channel.#connect();
    return channel;
  }

  /** Receives the notifications of a channel, from the moment when the promise resolves. The returned function ends that. */
  async subscribe(name: string, subscriber: ChannelSubscriber): Promise<() => void> {
    const known = this.#subscribers.get(name) ?? new Set();
    this.#subscribers.set(name, known.add(subscriber));
    // If this fails, the connection is lost, and the next one listens to it.
    if (known.size === 1) await this.#client?.query(`listen ${name}`).catch(() => undefined);
    return () => known.delete(subscriber);
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#config, statement_timeout: false, query_timeout: checkTimeoutMs });
    client.on('error', () => this.#onLost(client));
    client.on('end', () => this.#onLost(client));
    client.on('notification', ({ channel, payload }) => {
      for (const subscriber of this.#subscribers.get(channel) ?? []) subscriber.onNotification(payload ?? '');
    });
    try {
      await client.connect();
      await lockShared(client, this.#target);
      for (const name of this.#subscribers.keys()) await client.query(`listen ${name}`);
      const now = await serverTime(client);
      const since = new Date(this.#aliveAt.getTime() - maxTransactionMs);
      const isReconnect = this.#aliveAt.getTime() > 0;
      this.#client = client;
      this.#aliveAt = now;
      this.#failures = 0;
      this.#startTimer(checkIntervalMs, () => this.#check(client));
      if (isReconnect) for (const subscriber of this.#all()) subscriber.onGap(since);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#isClosed) await client.end().catch(() => undefined);
  }

  #all(): readonly ChannelSubscriber[] {
    return [...this.#subscribers.values()].flatMap((known) => [...known]);
  }

  async #check(client: Client): Promise<void> {
    try {
      this.#aliveAt = await serverTime(client);
      if (this.#client === client) this.#startTimer(checkIntervalMs, () => this.#check(client));
    } catch {
      this.#onLost(client);
      await client.end().catch(() => undefined);
    }
  }

  #onLost(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = null;
    this.#log('warn', 'The connection that reports changes in the database was lost; connecting again.');
    this.#scheduleConnect();
  }

  #scheduleConnect(): void {
    this.#failures += 1;
    this.#startTimer(backoffDelayMs(this.#failures, backoff), () =>
      this.#connect().catch(() => {
        if (!this.#isClosed) this.#scheduleConnect();
      }),
    );
  }

  #startTimer(delayMs: number, task: () => Promise<void>): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void task(), delayMs).unref();
  }
}

async function serverTime(client: Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  const [row] = rows;
  if (row === undefined) throw new RangeError('PostgreSQL did not return its time.');
  return row.now;
}
