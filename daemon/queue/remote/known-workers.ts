import { isDeepStrictEqual } from 'node:util';
import { serviceLabel } from '../../jobs/required-labels.js';
import type { JoinRequest } from '../../jobs/worker-protocol.js';
import type { WorkerSession } from '../../store/worker-table.js';
import type { WorkerAbilities } from './machine-abilities.js';
import {
  type ClaimingRemoteWorker,
  type EndedWorker,
  forgottenAfterLeases,
  type ListedWorker,
} from './worker-registry.js';

/** A worker to be known. */
interface NewWorker {
  readonly id: string;
  readonly name: string;
  readonly request: JoinRequest;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date;
  readonly isDraining: boolean;
}

/** A worker that has joined. */
interface KnownWorker extends NewWorker {
  readonly abilities: WorkerAbilities;
  lastSeenAt: Date;
  isDraining: boolean;
  /** Ends its waiting claims, once it drains or leaves. */
  stopping: AbortController;
}

/** The dependencies of `KnownWorkers`. */
interface KnownWorkersOptions {
  readonly now: () => Date;
  readonly leaseMs: number;
}

/** The workers that a daemon knows, in memory. */
export class KnownWorkers {
  readonly #options: KnownWorkersOptions;
  readonly #workers = new Map<string, KnownWorker>();
  readonly #endedListeners = new Set<(ended: EndedWorker) => void>();
  readonly #unavailableListeners = new Set<() => void>();
  /** Workers that have not been seen within a lease. */
  readonly #silent = new Set<string>();
  #silenceTimer: NodeJS.Timeout | null = null;

  constructor(options: KnownWorkersOptions) {
    this.#options = options;
  }

  get ids(): readonly string[] {
    return [...this.#workers.keys()];
  }

  has(id: string): boolean {
    return this.#workers.has(id);
  }

  /** Adds a worker. No-op if it is known. */
  add(worker: NewWorker): void {
    if (this.#workers.has(worker.id)) return;
    const { labels, services, capabilities } = worker.request;
    const abilities = { labels: new Set([...labels, ...services.map(serviceLabel)]), capabilities };
    const shared = this.#shared(abilities);
    this.#workers.set(worker.id, { ...worker, abilities: shared, stopping: new AbortController() });
    this.#awaitSilence();
  }

  remove(id: string): void {
    this.#workers.get(id)?.stopping.abort();
    this.#silent.delete(id);
    if (this.#workers.delete(id)) this.#emitUnavailable();
  }

  /** Records when a worker was seen: now by default, and never earlier than known. */
  seen(id: string, at: Date = this.#options.now()): void {
    const worker = this.#workers.get(id);
    if (worker === undefined || at <= worker.lastSeenAt) return;
    worker.lastSeenAt = at;
    if (this.#silent.delete(id)) this.#awaitSilence();
  }

  isDraining(id: string): boolean {
    return this.#workers.get(id)?.isDraining ?? false;
  }

  /** The workers of a name drain or take jobs again. Returns whether there are any. */
  setDraining(name: string, isDraining: boolean): boolean {
    this.forgetOld();
    const found = [...this.#workers.values()].filter((worker) => worker.name === name);
    for (const { id } of found) this.setSessionDraining(id, isDraining);
    return found.length > 0;
  }

  setSessionDraining(id: string, isDraining: boolean): void {
    const worker = this.#workers.get(id);
    if (worker === undefined || worker.isDraining === isDraining) return;
    worker.isDraining = isDraining;
    if (!isDraining) {
      worker.stopping = new AbortController();
      return;
    }
    worker.stopping.abort();
    this.#emitUnavailable();
  }

  /** The worker as a claim needs it; null if it is not known. */
  claiming(id: string): ClaimingRemoteWorker | null {
    const worker = this.#workers.get(id);
    if (worker === undefined) return null;
    const { name, isDraining, abilities, stopping } = worker;
    return { name, isDraining, abilities, stopped: stopping.signal };
  }

  /** What a decision about a join needs of the workers. */
  sessions(): readonly WorkerSession[] {
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

  list(): readonly ListedWorker[] {
    this.forgetOld();
    return [...this.#workers.values()]
      .map(({ name, request, isDraining, joinedAt, lastSeenAt }) => ({
        name,
        version: request.version,
        ffmpeg: request.ffmpeg,
        jobs: request.jobs,
        labels: request.labels,
        isDraining,
        joinedAt: joinedAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  abilities(): readonly WorkerAbilities[] {
    this.forgetOld();
    return [...this.#workers.values()].map(({ abilities }) => abilities);
  }

  /** See `WorkerRegistry.availableAbilities`. */
  availableAbilities(hasJob: (name: string) => boolean): ReadonlySet<WorkerAbilities> {
    const oldestMs = this.#oldestMs();
    const available = [...this.#workers.values()].filter(
      ({ name, request: { isOnce = false }, isDraining, lastSeenAt }) =>
        !isDraining && lastSeenAt.getTime() >= oldestMs && !(isOnce && hasJob(name)),
    );
    return new Set(available.map(({ abilities }) => abilities));
  }

  /** Removes the workers that have not been seen for long. */
  forgetOld(): void {
    const { now, leaseMs } = this.#options;
    const oldest = now().getTime() - forgottenAfterLeases * leaseMs;
    for (const [id, { lastSeenAt }] of this.#workers) if (lastSeenAt.getTime() < oldest) this.remove(id);
  }

  watchEnded(listener: (ended: EndedWorker) => void): () => void {
    this.#endedListeners.add(listener);
    return () => void this.#endedListeners.delete(listener);
  }

  /** Calls a listener when a worker no longer takes jobs: it has left, drains, or has not been seen within a lease. */
  watchUnavailable(listener: () => void): () => void {
    this.#unavailableListeners.add(listener);
    return () => void this.#unavailableListeners.delete(listener);
  }

  /** Reports that processes have ended. */
  emitEnded(names: readonly string[], replacedBy: string): void {
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

  /** The abilities of another worker if they are equal, and its capabilities if those are: what is known of them is known of this worker. */
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
