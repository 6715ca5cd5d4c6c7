import type { JoinAnswer, JoinRequest } from '../../jobs/worker-protocol.js';
import { type DrainedWorkers, drainedInMemory } from '../../store/data-folder/drained-workers.js';
import { decideJoin, joinAnswer, requireProtocol, unknownWorker } from './decide-join.js';
import { KnownWorkers } from './known-workers.js';
import type { ClaimingRemoteWorker, EndedWorker, WorkerRegistry } from './worker-registry.js';

/** The dependencies of a registry in memory. */
interface WorkerRegistryOptions {
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly leaseMs: number;
  /** The names that drain; in memory if absent. */
  readonly drained?: DrainedWorkers;
}

/** The registry of the only daemon, in memory: after a start of the daemon, the workers join again. */
export class MemoryWorkerRegistry implements WorkerRegistry {
  readonly #options: WorkerRegistryOptions;
  readonly #drained: DrainedWorkers;
  readonly #known: KnownWorkers;

  constructor(options: WorkerRegistryOptions) {
    this.#options = options;
    this.#drained = options.drained ?? drainedInMemory();
    this.#known = new KnownWorkers(options);
  }

  async join(request: JoinRequest): Promise<JoinAnswer> {
    requireProtocol(request);
    const { now, randomToken, leaseMs } = this.#options;
    const { name, removedIds, endedNames } = decideJoin(this.#known.sessions(), request, leaseMs);
    for (const id of removedIds) this.#known.remove(id);
    const id = randomToken();
    const times = { joinedAt: now(), lastSeenAt: now() };
    this.#known.add({ ...times, id, name, request, isDraining: this.#drained.has(name) });
    this.#known.emitEnded(endedNames, id);
    return joinAnswer(id, name, leaseMs);
  }

  async leave(workerId: string): Promise<void> {
    this.#known.remove(workerId);
  }

  async find(workerId: string): Promise<ClaimingRemoteWorker> {
    this.#known.seen(workerId);
    const found = this.#known.claiming(workerId);
    if (found === null) throw unknownWorker();
    return found;
  }

  seen(workerId: string): void {
    this.#known.seen(workerId);
  }

  async isDraining(workerId: string): Promise<boolean> {
    return this.#known.isDraining(workerId);
  }

  async setDraining(name: string, isDraining: boolean): Promise<boolean> {
    const isKnown = this.#known.list().some((worker) => worker.name === name);
    if (!isKnown && isDraining) return false;
    const wasDrained = await this.#drained.set(name, isDraining);
    return this.#known.setDraining(name, isDraining) || wasDrained;
  }

  list() {
    return this.#known.list();
  }

  abilities() {
    return this.#known.abilities();
  }

  availableAbilities(hasJob: (name: string) => boolean) {
    return this.#known.availableAbilities(hasJob);
  }

  watchEnded(listener: (ended: EndedWorker) => void): () => void {
    return this.#known.watchEnded(listener);
  }

  watchUnavailable(listener: () => void): () => void {
    return this.#known.watchUnavailable(listener);
  }

  async close(): Promise<void> {}
}
