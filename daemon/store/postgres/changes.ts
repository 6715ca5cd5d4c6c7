import { type Kysely, sql } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { Log } from '../../../src/shared/util/log.js';
import { backoffDelayMs } from '../../../src/shared/util/timing.js';
import type { FileProgress } from '../../jobs/progress.js';
import type { WorkerTableChange } from '../worker-table.js';
import type { DatabaseTarget } from './errors.js';
import { lockHolderName, lockShared } from './locks.js';
import type { DatabaseSchema } from './schema.js';

/** The messages that the processes of a database send to each other, by type. */
interface Messages {
  /** A job has changed. `origin` names the store that changed it. */
  /** `removedFrom` is the account of a job that was removed. */
  readonly job: { readonly id: number; readonly origin: string; readonly removedFrom?: string };
  /** A job waits in the queue. */
  readonly queue: object;
  /** Accounts or keys have changed. */
  readonly accounts: object;
  /** Workers have changed. `from` names the daemon. */
  readonly workers: { readonly from: string; readonly changes: readonly WorkerTableChange[] };
  readonly progress: ProgressMessage;
}

type MessageType = keyof Messages;

/** The one channel of all messages. A payload is the type of a message, a space and the message as JSON. */
const channelName = 'venc_messages';

/** Checks a message; null if this version does not know its form: the daemons may have different ones. */
const checks: { readonly [Type in MessageType]: (value: object) => Messages[Type] | null } = {
  job: checkJob,
  queue: (value) => value,
  accounts: (value) => value,
  workers: checkWorkers,
  progress: checkProgress,
};

function checkJob(value: object): Messages['job'] | null {
  if (!isObject(value)) return null;
  const { id, origin, removedFrom } = value;
  if (typeof id !== 'number' || typeof origin !== 'string') return null;
  return typeof removedFrom === 'string' ? { id, origin, removedFrom } : { id, origin };
}

/** Receives the messages of one type. */
interface Subscriber<Type extends MessageType> {
  onMessage(message: Messages[Type]): void;
  /**
   * Called after the connection was lost and made again: notifications since this time of the server may be missing.
   */
  onGap(since: Date): void;
}

const backoff = { firstMs: 100, maxMs: 5_000 };
/** How often an idle connection is checked, in milliseconds: a network that is cut reports nothing. */
const checkIntervalMs = 15_000;
const checkTimeoutMs = 10_000;
/**
 * A change is notified when its transaction is committed, at most this long after the time that the change carries, in
 * milliseconds.
 */
const maxTransactionMs = 60_000;

/**
 * Receives messages (LISTEN) over a connection of its own, and makes it again whenever it is lost. Nothing is lost
 * silently: each subscriber then learns since when messages may be missing. The connection also has the lock that keeps
 * migrations away.
 */
export class ChangeChannel {
  readonly #config: ClientConfig;
  readonly #target: DatabaseTarget;
  readonly #log: Log;
  readonly #subscribers: { readonly [Type in MessageType]: Set<Subscriber<Type>> } = {
    job: new Set(),
    queue: new Set(),
    accounts: new Set(),
    workers: new Set(),
    progress: new Set(),
  };
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

  /** Receives the messages of a type from now on. The returned function ends that. */
  subscribe<Type extends MessageType>(type: Type, subscriber: Subscriber<Type>): () => void {
    const known: Set<Subscriber<Type>> = this.#subscribers[type];
    known.add(subscriber);
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
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    try {
      await client.connect();
      await lockShared(client, this.#target);
      await client.query(`listen ${channelName}`);
      const now = await serverTime(client);
      const since = new Date(this.#aliveAt.getTime() - maxTransactionMs);
      const isReconnect = this.#aliveAt.getTime() > 0;
      this.#client = client;
      this.#aliveAt = now;
      this.#failures = 0;
      this.#startTimer(checkIntervalMs, () => this.#check(client));
      if (isReconnect)
        for (const known of Object.values(this.#subscribers)) for (const one of known) one.onGap(since);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#isClosed) await client.end().catch(() => undefined);
  }

  #receive(payload: string): void {
    const [type = ''] = payload.split(' ', 1);
    if (isMessageType(type)) this.#emit(type, payload.slice(type.length));
  }

  #emit<Type extends MessageType>(type: Type, json: string): void {
    const value = parseObject(json);
    const message = value === null ? null : checks[type](value);
    if (message === null) return;
    const subscribers: ReadonlySet<Subscriber<Type>> = this.#subscribers[type];
    for (const subscriber of subscribers) subscriber.onMessage(message);
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

/** Bytes of one notification that PostgreSQL accepts, less its type and some to spare. */
const maxMessageBytes = 7900;

/** Sends messages in one statement, also within a transaction: then they are delivered with its commit. */
export async function sendMessages<Type extends MessageType>(
  queries: Kysely<DatabaseSchema>,
  type: Type,
  messages: readonly Messages[Type][],
): Promise<void> {
  const payloads = messages.map((message) => payloadOf(type, message));
  await sql`select pg_notify(${channelName}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    queries,
  );
}

/** The expression that sends a message when it is evaluated, as a part of another statement. */
export function sending<Type extends MessageType>(type: Type, message: Messages[Type]) {
  return sql`pg_notify(${channelName}, ${payloadOf(type, message)})`;
}

function payloadOf<Type extends MessageType>(type: Type, message: Messages[Type]): string {
  return `${type} ${JSON.stringify(message)}`;
}

function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(checks, type);
}

function parseObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Distributes items over as few messages as fit into notifications. `messageOf` makes a message of some items. */
function splitMessage<T, Message>(
  items: readonly T[],
  messageOf: (items: readonly T[]) => Message,
): readonly Message[] {
  const messages: Message[] = [];
  const emptyBytes = Buffer.byteLength(JSON.stringify(messageOf([])));
  let part: T[] = [];
  let bytes = emptyBytes;
  for (const item of items) {
    const itemBytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length > 0 && bytes + itemBytes > maxMessageBytes) {
      messages.push(messageOf(part));
      part = [];
      bytes = emptyBytes;
    }
    part.push(item);
    bytes += itemBytes;
  }
  if (part.length > 0) messages.push(messageOf(part));
  return messages;
}

/** The messages that report changes of workers. */
export function workerMessages(
  from: string,
  changes: readonly WorkerTableChange[],
): readonly Messages['workers'][] {
  return splitMessage(changes.flatMap(partsOf), (part) => ({ from, changes: part }));
}

/** Changes that this version does not know are left out. */
function checkWorkers(message: object): Messages['workers'] | null {
  if (!('changes' in message) || !Array.isArray(message.changes)) return null;
  const from = 'from' in message && typeof message.from === 'string' ? message.from : '';
  return { from, changes: message.changes.filter(isChange) };
}

/** One change for each worker that has left: together they might not fit into a notification. */
function partsOf(change: WorkerTableChange): readonly WorkerTableChange[] {
  return change.type === 'left' ? change.ids.map((id) => ({ type: 'left', ids: [id] })) : [change];
}

function isChange(value: unknown): value is WorkerTableChange {
  if (!isObject(value)) return false;
  const { type, id, ids, endedNames, name, isDraining, isPaused } = value;
  if (type === 'joined') return typeof id === 'string' && areTexts(endedNames);
  if (type === 'left') return areTexts(ids);
  if (type === 'pausing') return typeof name === 'string' && typeof isPaused === 'boolean';
  return type === 'draining' && typeof name === 'string' && typeof isDraining === 'boolean';
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** What is published of one file of a run, or of the run alone. */
interface ProgressItem {
  readonly job: number;
  readonly run: number;
  /** Absent for a run without progress so far. */
  readonly file?: FileProgress & { readonly id: number };
  readonly isEnded?: true;
}

/** The progress of jobs that a daemon runs. */
export interface ProgressMessage {
  /** Names the daemon. */
  readonly from: string;
  /** Whether the daemon needs the progress of all runs of the others. */
  readonly isRequest: boolean;
  readonly items: readonly ProgressItem[];
}

/** The same as messages that are short enough for a notification. */
export function progressMessages({ from, isRequest, items }: ProgressMessage): readonly ProgressMessage[] {
  const messages = splitMessage(items, (part) => ({ from, isRequest: false, items: part }));
  return isRequest ? [{ from, isRequest, items: [] }, ...messages] : messages;
}

function checkProgress(message: object): ProgressMessage | null {
  if (!('from' in message) || typeof message.from !== 'string') return null;
  const items = 'items' in message && Array.isArray(message.items) ? message.items.filter(isItem) : [];
  return { from: message.from, isRequest: 'isRequest' in message && message.isRequest === true, items };
}

function isItem(item: unknown): item is ProgressItem {
  if (!isObject(item) || typeof item.job !== 'number' || typeof item.run !== 'number') return false;
  const { file } = item;
  if (file === undefined) return true;
  const isNumber = (value: unknown) => typeof value === 'number';
  return (
    isObject(file) &&
    typeof file.event === 'string' &&
    [file.id, file.percent, file.overallPercent].every(isNumber)
  );
}
