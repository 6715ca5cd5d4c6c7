import type { JoinAnswer, JoinRequest, WorkerState } from '../../jobs/worker-protocol.js';
import type { WorkerAbilities } from './machine-abilities.js';

/** What a claim needs to know of its worker. */
export interface ClaimingRemoteWorker {
  readonly name: string;
  readonly isDraining: boolean;
  readonly abilities: WorkerAbilities;
  /** Aborted when the worker drains. */
  readonly stopped: AbortSignal;
}

/** A worker whose process has ended. */
export interface EndedWorker {
  readonly name: string;
  /** The session of the process that has replaced it, under the same name or another one. */
  readonly replacedBy: string;
}

/** A worker that has joined, as the registry knows it. */
export type ListedWorker = Omit<WorkerState, 'jobIds' | 'speed'>;

/** A worker that has not been seen for this many leases is forgotten. */
export const forgottenAfterLeases = 4;

/**
 * The remote workers that have joined. A worker that has not been seen for {@link forgottenAfterLeases} is forgotten, and joins again.
 * Operations of a registry that several daemons share may reject with `UnavailableError`.
 */
export interface WorkerRegistry {
  /**
   * Admits a worker. Rejects with `ConflictError` if its protocol is too old or too new. A name that another worker has gets a number,
   * unless that worker is silent: it has lost its jobs, so it is forgotten. A worker that joins from the same folder replaces its earlier
   * session; if that was another process, which must have ended, the listeners of `watchEnded` are called. If a process has joined before and another one has joined from its
   * folder since, both run: then the join rejects with `ConflictError`, so that they do not replace each other in turn.
   */
  join(request: JoinRequest): Promise<JoinAnswer>;
  /** The worker leaves. No-op if it is not known. */
  leave(workerId: string): Promise<void>;
  /** Records that a worker asked for a job. Rejects with `NotFoundError` if no worker with this id has joined: it must join again. */
  find(workerId: string): Promise<ClaimingRemoteWorker>;
  /** Records that a worker reported. No-op if it is not known, as after a start of the daemon. */
  seen(workerId: string): void;
  /** Whether a worker drains; false if it is not known. Never rejects. */
  isDraining(workerId: string): Promise<boolean>;
  /**
   * Makes the workers of a name take no further jobs and end, or take jobs again. This lasts until it is changed, also after they or the daemon have
   * started again.
   * Resolves to whether there is such a worker.
   */
  setDraining(name: string, isDraining: boolean): Promise<boolean>;
  /** The workers that have joined, by name. */
  list(): readonly ListedWorker[];
  /** What the connected workers can do, for checks of requests. */
  abilities(): readonly WorkerAbilities[];
  /**
   * What the connected workers can do that take jobs, each set of abilities once: they do not drain, have been seen within a lease, and are
   * none that take one job and have it. `hasJob` returns whether the worker of a name runs a job.
   */
  availableAbilities(hasJob: (name: string) => boolean): ReadonlySet<WorkerAbilities>;
  /** Calls a listener for each worker whose process has ended, in every daemon that shares the registry. */
  watchEnded(listener: (ended: EndedWorker) => void): () => void;
  /** Calls a listener when a worker no longer takes jobs: it has left, drains, or has not been seen within a lease. */
  watchUnavailable(listener: () => void): () => void;
  /** Ends what the registry does in the background. */
  close(): Promise<void>;
}
