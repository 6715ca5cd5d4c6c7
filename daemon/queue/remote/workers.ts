import { isDeepStrictEqual } from 'node:util';
import { workerProtocol } from '../../../src/shared/version.js';
import { serviceLabel } from '../../jobs/required-labels.js';
import type { JoinAnswer, JoinRequest, WorkerClosure, WorkerState } from '../../jobs/worker-protocol.js';
import { type DrainedWorkers, drainedInMemory } from '../../store/data-folder/drained-workers.js';
import { pausedName, type WorkerHalt, type WorkerSession } from '../../store/worker-table.js';
import type { WorkerAbilities } from '../parts/part-selection.js';
import {
  decideJoin,
  forgottenAfterLeases,
  joinAnswer,
  requireProtocol,
  unknownWorker,
} from './decide-join.js';

/** What a claim needs to know of its worker. */
export interface ClaimingRemoteWorker {
  readonly name: string;
  readonly isDraining: boolean;
  /** Whether it takes no job for now. */
  readonly isPaused: boolean;
  readonly abilities: WorkerAbilities;
  /** Aborted when the worker drains or is paused. */
  readonly stopped: AbortSignal;
}

/** A worker whose process has ended. */
export interface EndedWorker {
  readonly name: string;
  /** The session of the process that has replaced it, under the same name or another one. */
  readonly replacedBy: string;
}

/** A worker that has joined, without its jobs. */
export type ListedWorker = Omit<WorkerState, 'jobIds' | 'speed'>;

/** A worker to be known. */
interface NewWorker {
  readonly id: string;
  readonly name: string;
  readonly request: JoinRequest;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date;
  readonly isDraining: boolean;
  readonly isPaused: boolean;
}

/** A worker that has joined. */
interface KnownWorker extends NewWorker {
  readonly abilities: WorkerAbilities;
  lastSeenAt: Date;
  isDraining: boolean;
  isPaused: boolean;
  closed: WorkerClosure | null;
  /** Ends its waiting claims, once it drains, is paused or leaves. */
  stopping: AbortController;
}

function takesJobs({ isDraining, isPaused, closed }: KnownWorker): boolean {
  return !isDraining && !isPaused && closed === null;
}

/** The dependencies of `Workers`. */
export interface WorkersOptions {
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly leaseMs: number;
  /** The names that drain or are paused; in memory if absent. */
  readonly drained?: DrainedWorkers;
}

/**
 * The remote workers that have joined, in memory: after a start of the daemon, they join again. A worker that has not
 * been seen for
 * {@link forgottenAfterLeases} is forgotten, and joins again. Where several daemons share their workers (`SharedWorkers`), methods
 * that return a promise may reject with `UnavailableError`.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #drained: DrainedWorkers;
  readonly #workers = new Map<string, KnownWorker>();
  readonly #endedListeners = new Set<(ended: EndedWorker) => void>();
  readonly #unavailableListeners = new Set<() => void>();
  /** Workers that have not been seen within a lease. */
  readonly #silent = new Set<string>();
  #silenceTimer: NodeJS.Timeout | null = null;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#drained = options.drained ?? drainedInMemory();
  }

  /**
   * Admits a worker. Rejects with `ConflictError` if its protocol is too old or too new. A name that another worker has
   * gets a number, unless that worker is silent: it has lost its jobs, so it is forgotten. A worker that joins from the
   * same folder replaces its earlier session; if that was another process, which must have ended, the listeners of
   * `watchEnded` are called. If a process has joined before and another one has joined from its folder since, both run:
   * then the join rejects with `ConflictError`, so that they do not replace each other in turn.
   */
  async join(request: JoinRequest): Promise<JoinAnswer> {
    requireProtocol(request);
    const { now, randomToken, leaseMs } = this.#options;
    const { name, removedIds, endedNames } = decideJoin(this.#sessions(), request, leaseMs);
    for (const id of removedIds) this.remove(id);
    const id = randomToken();
    const times = { joinedAt: now(), lastSeenAt: now() };
    const halt = { isDraining: this.#drained.has(name), isPaused: this.#drained.has(pausedName(name)) };
    this.add({ ...times, id, name, request, ...halt });
    this.emitEnded(endedNames, id);
    return joinAnswer(id, name, leaseMs);
  }

  /** The worker leaves. No-op if it is not known. */
  async leave(workerId: string): Promise<void> {
    this.remove(workerId);
  }

  /**
   * Records that a worker asked for a job. Rejects with `NotFoundError` if no worker with this id has joined: it must
   * join again. With `closed` it takes none now, until it asks without.
   */
  async find(workerId: string, closed: WorkerClosure | null = null): Promise<ClaimingRemoteWorker> {
    this.seen(workerId);
    this.setSessionHalt(workerId, { closed });
    const worker = this.#workers.get(workerId);
    if (worker === undefined) throw unknownWorker();
    const { name, isDraining, isPaused, abilities, stopping } = worker;
    return { name, isDraining, isPaused, abilities, stopped: stopping.signal };
  }

  /** Records that a worker reported. No-op if it is not known, as after a start of the daemon. */
  seen(workerId: string): void {
    this.seenAt(workerId, this.#options.now());
  }

  /** Whether a worker drains; false if it is not known. Never rejects. */
  async isDraining(workerId: string): Promise<boolean> {
    return this.#workers.get(workerId)?.isDraining ?? false;
  }

  /**
   * Makes the workers of a name take no further jobs and end, or take jobs again. This lasts until it is changed, also
   * after they or the daemon have started again. Resolves to whether there is such a worker.
   */
  async setDraining(name: string, isDraining: boolean): Promise<boolean> {
    if (isDraining && this.#named(name).length === 0) return false;
    const wasDrained = await this.#drained.set(name, isDraining);
    return this.setKnownHalt(name, { isDraining }) || wasDrained;
  }

  /** Like `setDraining`, but the workers take no jobs for now and stay joined. */
  async setPaused(name: string, isPaused: boolean): Promise<boolean> {
    if (isPaused && this.#named(name).length === 0) return false;
    const wasPaused = await this.#drained.set(pausedName(name), isPaused);
    return this.setKnownHalt(name, { isPaused }) || wasPaused;
  }

  /** The oldest version of the protocol that a worker of a name speaks; the current one if there is none. */
  protocolOf(name: string): number {
    return Math.min(workerProtocol.current, ...this.#named(name).map(({ request }) => request.protocol));
  }

  /** The workers that have joined, by name. */
  list(): readonly ListedWorker[] {
    this.#forgetOld();
    return [...this.#workers.values()]
      .map(({ name, request, isDraining, isPaused, closed, joinedAt, lastSeenAt }) => ({
        name,
        version: request.version,
        ffmpeg: request.ffmpeg,
        jobs: request.jobs,
        labels: request.labels,
        isDraining,
        isPaused,
        closed,
        joinedAt: joinedAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** What the connected workers can do, for checks of requests. */
  abilities(): readonly WorkerAbilities[] {
    this.#forgetOld();
    return [...this.#workers.values()].map(({ abilities }) => abilities);
  }

  /**
   * What the connected workers can do that take jobs, each set of abilities once: they do not drain, are not paused or
   * closed, have been seen within a lease, and are none that take one job and have it. `hasJob` returns whether the worker of a
   * name runs a job.
   */
  availableAbilities(hasJob: (name: string) => boolean): ReadonlySet<WorkerAbilities> {
    const oldestMs = this.#oldestMs();
    const available = [...this.#workers.values()].filter(
      (worker) =>
        takesJobs(worker) &&
        worker.lastSeenAt.getTime() >= oldestMs &&
        !(worker.request.isOnce === true && hasJob(worker.name)),
    );
    return new Set(available.map(({ abilities }) => abilities));
  }

  /** Calls a listener for each worker whose process has ended, in every daemon that shares the workers. */
  watchEnded(listener: (ended: EndedWorker) => void): () => void {
    this.#endedListeners.add(listener);
    return () => void this.#endedListeners.delete(listener);
  }

  /**
   * Calls a listener when a worker no longer takes jobs: it has left, drains, is paused or closed, or has not been seen
   * within a lease.
   */
  watchUnavailable(listener: () => void): () => void {
    this.#unavailableListeners.add(listener);
    return () => void this.#unavailableListeners.delete(listener);
  }

  /** Ends the work in the background. */
  async close(): Promise<void> {}

  protected get ids(): readonly string[] {
    return [...this.#workers.keys()];
  }

  protected has(id: string): boolean {
    return this.#workers.has(id);
  }

  /** Adds a worker. No-op if it is known. */
  protected add(worker: NewWorker): void {
    if (this.#workers.has(worker.id)) return;
    const { labels, services, capabilities } = worker.request;
    const abilities = { labels: new Set([...labels, ...services.map(serviceLabel)]), capabilities };
    const shared = this.#shared(abilities);
    const known = { ...worker, abilities: shared, closed: null, stopping: new AbortController() };
    this.#workers.set(worker.id, known);
    this.#awaitSilence();
  }

  protected remove(id: string): void {
    this.#workers.get(id)?.stopping.abort();
    this.#silent.delete(id);
    if (this.#workers.delete(id)) this.#emitUnavailable();
  }

  /** Records when a worker was seen, unless it has been seen since. */
  protected seenAt(id: string, at: Date): void {
    const worker = this.#workers.get(id);
    if (worker === undefined || at <= worker.lastSeenAt) return;
    worker.lastSeenAt = at;
    if (this.#silent.delete(id)) this.#awaitSilence();
  }

  /** The workers of a name drain, are paused, or are not any more. Returns whether there are any. */
  protected setKnownHalt(name: string, halt: Partial<WorkerHalt>): boolean {
    const found = this.#named(name);
    for (const { id } of found) this.setSessionHalt(id, halt);
    return found.length > 0;
  }

  protected setSessionHalt(id: string, halt: Partial<WorkerHalt & Pick<KnownWorker, 'closed'>>): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    const tookJobs = takesJobs(worker);
    Object.assign(worker, halt);
    if (takesJobs(worker) && !tookJobs) worker.stopping = new AbortController();
    if (takesJobs(worker) || !tookJobs) return;
    worker.stopping.abort();
    this.#emitUnavailable();
  }

  /** What a decision about a join needs of the workers. */
  #sessions(): readonly WorkerSession[] {
    const nowMs = this.#options.now().getTime();
    return [...this.#workers.values()].map(({ id, name, request, lastSeenAt }) => {
      const { folderId, processId } = request;
      return {
        ...{ id, name, seenAgoMs: nowMs - lastSeenAt.getTime() },
        ...(folderId === undefined ? {} : { folderId }),
        ...(processId === undefined ? {} : { processId }),
      };
    });
  }

  #named(name: string): readonly KnownWorker[] {
    this.#forgetOld();
    return [...this.#workers.values()].filter((worker) => worker.name === name);
  }

  /** Removes the workers that have not been seen for long. */
  #forgetOld(): void {
    const { now, leaseMs } = this.#options;
    const oldest = now().getTime() - forgottenAfterLeases * leaseMs;
    for (const [id, { lastSeenAt }] of this.#workers) if (lastSeenAt.getTime() < oldest) this.remove(id);
  }

  /** Reports that processes have ended. */
  protected emitEnded(names: readonly string[], replacedBy: string): void {
    for (const name of names) for (const listener of this.#endedListeners) listener({ name, replacedBy });
  }

  #emitUnavailable(): void {
    for (const listener of this.#unavailableListeners) listener();
  }

  /** A worker that was last seen before has not been seen within a lease. */
  #oldestMs(): number {
    return this.#options.now().getTime() - this.#options.leaseMs;
  }

  /** Waits until the first worker has not been seen within a lease, unless it already does. */
  #awaitSilence(): void {
    if (this.#silenceTimer !== null) return;
    const seen = [...this.#workers.values()].filter(({ id }) => !this.#silent.has(id));
    if (seen.length === 0) return;
    const firstMs = Math.min(...seen.map(({ lastSeenAt }) => lastSeenAt.getTime()));
    this.#silenceTimer = setTimeout(
      () => {
        this.#silenceTimer = null;
        this.#findSilent();
        this.#awaitSilence();
      },
      Math.max(0, firstMs - this.#oldestMs()) + 1,
    ).unref();
  }

  #findSilent(): void {
    const oldestMs = this.#oldestMs();
    const found = [...this.#workers.values()].filter(
      ({ id, lastSeenAt }) => lastSeenAt.getTime() < oldestMs && !this.#silent.has(id),
    );
    for (const { id } of found) this.#silent.add(id);
    if (found.length > 0) this.#emitUnavailable();
  }

  /**
   * The abilities of another worker if they are equal, and its capabilities if those are: what is known of them is
   * known of this worker.
   */
  #shared(abilities: WorkerAbilities): WorkerAbilities {
    const known = [...new Set([...this.#workers.values()].map((worker) => worker.abilities))];
    const equal = known.filter(({ capabilities }) => isDeepStrictEqual(capabilities, abilities.capabilities));
    const labels = [...abilities.labels].toSorted();
    return (
      equal.find((one) => isDeepStrictEqual([...one.labels].toSorted(), labels)) ?? {
        ...abilities,
        capabilities: equal[0]?.capabilities ?? abilities.capabilities,
      }
    );
  }
}
