import type { JoinRequest } from '../jobs/worker-protocol.js';

/** What decides about a join: a worker that has joined before. */
export interface WorkerSession extends Pick<JoinRequest, 'folderId' | 'processId'> {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since it was last seen. */
  readonly seenAgoMs: number;
}

/** The result of a join. */
export interface JoinDecision {
  readonly name: string;
  /** The ids of the sessions that it ends. */
  readonly removedIds: readonly string[];
  /** The names of the workers whose process has ended: the one that joins has replaced it. */
  readonly endedNames: readonly string[];
}

/** A stored worker. Its times are durations, because the clocks of daemons differ. */
export interface StoredWorker {
  readonly id: string;
  readonly name: string;
  readonly request: JoinRequest;
  readonly isDraining: boolean;
  readonly isPaused: boolean;
  readonly joinedAgoMs: number;
  readonly seenAgoMs: number;
}

/** Why a worker takes no jobs: it ends after those that it has, or waits until it may take some again. */
export type WorkerHalt = Pick<StoredWorker, 'isDraining' | 'isPaused'>;

/** When a worker was last seen by any daemon, and whether it drains or is paused. */
export type WorkerPresence = Pick<StoredWorker, 'id' | 'seenAgoMs'> & WorkerHalt;

/** Under which name a paused worker is stored, among the names of those that drain. No worker has such a name. */
export function pausedName(name: string): string {
  return `pause:${name}`;
}

/** What another daemon has changed. */
export type WorkerTableChange =
  | { readonly type: 'joined'; readonly id: string; readonly endedNames: readonly string[] }
  | { readonly type: 'left'; readonly ids: readonly string[] }
  | { readonly type: 'draining'; readonly name: string; readonly isDraining: boolean }
  | { readonly type: 'pausing'; readonly name: string; readonly isPaused: boolean };

/** Receives the changes by other daemons. */
export interface WorkerTableListener {
  onChange(change: WorkerTableChange): void;
  /** Changes may be missing: the connection to the database was lost. */
  onGap(): void;
}

/**
 * The workers that several daemons share. All methods reject with `UnavailableError` while the database cannot be
 * reached.
 */
export interface WorkerTable {
  /** Stores a worker. No other join happens between the decision and its storage. */
  join(
    worker: Pick<StoredWorker, 'id' | 'request'>,
    decide: (sessions: readonly WorkerSession[]) => JoinDecision,
  ): Promise<StoredWorker & JoinDecision>;
  /** Removes a worker. No-op if it is not stored. */
  leave(id: string): Promise<void>;
  /** The workers with these ids, as far as they are stored. */
  find(ids: readonly string[]): Promise<readonly StoredWorker[]>;
  /**
   * Makes the workers of a name drain, also those that join later, or lets them take jobs again. Returns whether there
   * is such a worker that was seen within that time, or the name drained.
   */
  setDraining(name: string, isDraining: boolean, seenWithinMs: number): Promise<boolean>;
  /** The same for workers that take no jobs for now. */
  setPaused(name: string, isPaused: boolean, seenWithinMs: number): Promise<boolean>;
  /**
   * Stores how long ago this daemon has seen workers, removes those that no daemon has seen for that long, and returns
   * the others: one statement.
   */
  sync(seenAgoMs: ReadonlyMap<string, number>, forgottenAfterMs: number): Promise<readonly WorkerPresence[]>;
  /** Calls the listener until the returned function is called. */
  watch(listener: WorkerTableListener): Promise<() => void>;
}
