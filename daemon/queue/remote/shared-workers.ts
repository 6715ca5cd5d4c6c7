import type { Log } from '../../../src/shared/util/log.js';
import type { JoinAnswer, JoinRequest, WorkerClosure } from '../../jobs/worker-protocol.js';
import type { StoredWorker, WorkerHalt, WorkerTable, WorkerTableChange } from '../../store/worker-table.js';
import { decideJoin, forgottenAfterLeases, joinAnswer, requireProtocol } from './decide-join.js';
import { type ClaimingRemoteWorker, Workers, type WorkersOptions } from './workers.js';

/** The dependencies of `openSharedWorkers`. */
interface SharedWorkersOptions extends Omit<WorkersOptions, 'drained'> {
  readonly table: WorkerTable;
  readonly log: Log;
}

/** Between two statements about when workers were seen, in milliseconds. Without workers there are none. */
const syncIntervalMs = 5000;

/**
 * Opens the workers of several daemons. Each knows all workers: it learns of joins, leaves and drains when they happen,
 * and every few seconds when the workers of the others were seen. Rejects with `UnavailableError` if the database
 * cannot be reached.
 */
export async function openSharedWorkers(options: SharedWorkersOptions): Promise<SharedWorkers> {
  const workers = new SharedWorkers(options);
  await workers.open();
  return workers;
}

/** The workers of several daemons, kept in step with their table. */
export class SharedWorkers extends Workers {
  readonly #options: SharedWorkersOptions;
  /** When this daemon has seen workers since the last statement. */
  #seen = new Map<string, Date>();
  /** Workers of other daemons that are about to be read. */
  readonly #unread = new Set<string>();
  #reading: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #hasFailed = false;
  /** Counts what is known of drains, so that an answer that is older changes nothing. */
  #drainCount = 0;
  #stops: (() => void)[] = [];

  constructor(options: SharedWorkersOptions) {
    super(options);
    this.#options = options;
  }

  async open(): Promise<void> {
    const stop = await this.#options.table.watch({
      onChange: (change) => this.#apply(change),
      onGap: () => void this.sync(),
    });
    this.#stops = [stop];
    try {
      await this.#exchange();
      await this.#reading;
    } catch (error) {
      stop();
      throw error;
    }
    const timer = setInterval(() => {
      if (this.ids.length > 0 || this.#seen.size > 0 || this.#hasFailed) void this.sync();
    }, syncIntervalMs).unref();
    this.#stops.push(() => clearInterval(timer));
  }

  override async join(request: JoinRequest): Promise<JoinAnswer> {
    requireProtocol(request);
    const { table, randomToken, leaseMs } = this.#options;
    const joined = await table.join({ id: randomToken(), request }, (sessions) =>
      decideJoin(this.#withOwnTimes(sessions), request, leaseMs),
    );
    for (const id of joined.removedIds) this.remove(id);
    this.#add(joined);
    this.emitEnded(joined.endedNames, joined.id);
    return joinAnswer(joined.id, joined.name, leaseMs);
  }

  override async leave(workerId: string): Promise<void> {
    this.remove(workerId);
    this.#seen.delete(workerId);
    await this.#options.table.leave(workerId);
  }

  override async find(workerId: string, closed: WorkerClosure | null = null): Promise<ClaimingRemoteWorker> {
    if (!this.has(workerId)) await this.#read([workerId]);
    return super.find(workerId, closed);
  }

  override seen(workerId: string): void {
    super.seen(workerId);
    // Also if it is not known: it may be by the other daemons.
    this.#seen.set(workerId, this.#options.now());
  }

  override async isDraining(workerId: string): Promise<boolean> {
    // A worker that cannot be read now drains a little later.
    if (!this.has(workerId)) await this.#read([workerId]).catch(() => undefined);
    return super.isDraining(workerId);
  }

  override async setDraining(name: string, isDraining: boolean): Promise<boolean> {
    await this.sync();
    const isFound = await this.#options.table.setDraining(name, isDraining, this.#forgottenAfterMs);
    if (isFound) this.setKnownHalt(name, { isDraining });
    return isFound;
  }

  override async setPaused(name: string, isPaused: boolean): Promise<boolean> {
    await this.sync();
    const isFound = await this.#options.table.setPaused(name, isPaused, this.#forgottenAfterMs);
    if (isFound) this.setKnownHalt(name, { isPaused });
    return isFound;
  }

  /** Stores when workers were seen, and reads what the other daemons have stored. A timer calls it. Never rejects. */
  sync(): Promise<void> {
    this.#syncing ??= this.#exchange()
      .then(
        () => {
          this.#hasFailed = false;
        },
        (error: unknown) => {
          if (!this.#hasFailed)
            this.#options.log('warn', `The workers of the other daemons could not be read: ${String(error)}`);
          this.#hasFailed = true;
        },
      )
      .finally(() => {
        this.#syncing = null;
      });
    return this.#syncing;
  }

  override async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    // What this daemon has seen last is of use to the others.
    await this.sync();
    await this.#reading;
  }

  get #forgottenAfterMs(): number {
    return forgottenAfterLeases * this.#options.leaseMs;
  }

  #apply(change: WorkerTableChange): void {
    if (change.type === 'joined') {
      this.emitEnded(change.endedNames, change.id);
      this.#readLater([change.id]);
    } else if (change.type === 'left') {
      for (const id of change.ids) {
        this.remove(id);
        this.#unread.delete(id);
      }
    } else if (change.type === 'draining') this.setKnownHalt(change.name, { isDraining: change.isDraining });
    else this.setKnownHalt(change.name, { isPaused: change.isPaused });
  }

  protected override setKnownHalt(name: string, halt: Partial<WorkerHalt>): boolean {
    this.#drainCount += 1;
    return super.setKnownHalt(name, halt);
  }

  #add({ id, name, request, isDraining, isPaused, joinedAgoMs, seenAgoMs }: StoredWorker): void {
    if (seenAgoMs > this.#forgottenAfterMs) return;
    const times = { joinedAt: this.#before(joinedAgoMs), lastSeenAt: this.#before(seenAgoMs) };
    this.add({ ...times, id, name, request, isDraining, isPaused });
  }

  /** Rejects with the error of the database. */
  async #exchange(): Promise<void> {
    const seen = this.#seen;
    this.#seen = new Map();
    const nowMs = this.#options.now().getTime();
    const agos = new Map([...seen].map(([id, at]) => [id, Math.max(0, nowMs - at.getTime())]));
    const knownBefore = this.ids;
    const drainCount = this.#drainCount;
    try {
      const found = await this.#options.table.sync(agos, this.#forgottenAfterMs);
      const foundIds = new Set(found.map(({ id }) => id));
      // One that has joined meanwhile is not in the answer.
      for (const id of knownBefore) if (!foundIds.has(id)) this.remove(id);
      for (const { id, seenAgoMs, isDraining, isPaused } of found) {
        this.seenAt(id, this.#before(seenAgoMs));
        if (drainCount === this.#drainCount) this.setSessionHalt(id, { isDraining, isPaused });
      }
      this.#readLater(found.map(({ id }) => id).filter((id) => !this.has(id)));
    } catch (error) {
      this.#seen = new Map([...seen, ...this.#seen]);
      throw error;
    }
  }

  /** The sessions, with the times at which this daemon has seen them since the last statement. */
  #withOwnTimes<T extends { readonly id: string; readonly seenAgoMs: number }>(
    sessions: readonly T[],
  ): readonly T[] {
    const nowMs = this.#options.now().getTime();
    return sessions.map((session) => {
      const at = this.#seen.get(session.id);
      if (at === undefined) return session;
      return { ...session, seenAgoMs: Math.min(session.seenAgoMs, Math.max(0, nowMs - at.getTime())) };
    });
  }

  async #read(ids: readonly string[]): Promise<void> {
    for (const worker of await this.#options.table.find(ids)) this.#add(worker);
  }

  /** Reads workers together with those that are added while others are read. What fails is read by the next `sync`. */
  #readLater(ids: readonly string[]): void {
    for (const id of ids) this.#unread.add(id);
    if (this.#unread.size === 0) return;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null;
    });
  }

  async #readAll(): Promise<void> {
    while (this.#unread.size > 0) {
      const ids = [...this.#unread].slice(0, maxWorkersPerRead);
      for (const id of ids) this.#unread.delete(id);
      await this.#read(ids).catch(() => undefined);
    }
  }

  #before(agoMs: number): Date {
    return new Date(this.#options.now().getTime() - agoMs);
  }
}

/** A worker takes about 10 kB. */
const maxWorkersPerRead = 100;
