/*
 * The messages between a remote worker and the daemon, in the version of `workerProtocol.current`. All are JSON. A
 * worker joins, then repeats: it asks for a claim and waits for one; while it holds a claim it sends heartbeats and
 * changes; at last it ends the claim. Members that a side does not know are ignored, so that neighbouring versions
 * understand each other. The fields of a message are those of its table in `src/shared/records/worker-messages.ts`.
 */
import type { RecordOf } from '../../src/shared/records/field.js';
import type {
  workerCredentialsFields,
  workerHeartbeatFields,
  workerJoinedFields,
  workerJoinFields,
} from '../../src/shared/records/worker-messages.js';
import type { Job } from './job.js';
import type { Change } from './legal-changes.js';
import type { StopReason } from './run.js';

/** Times of the protocol, in seconds. */
export const workerTiming = {
  /** A worker that does not report for this long loses its claims. */
  lease: 30,
  /** Between two heartbeats of a claim. */
  heartbeat: 2,
  /** How long the daemon waits for a job before it answers that there is none: less than common proxies wait. */
  poll: 20,
} as const;

/** A worker that joins. `services` are those of `Services` for which its environment has keys. */
export type JoinRequest = RecordOf<typeof workerJoinFields>;

/** What the ffmpeg of a worker supports: `Capabilities` as JSON. */
export type WorkerCapabilities = JoinRequest['capabilities'];

/** The answer to a worker that joins. */
export type JoinAnswer = RecordOf<typeof workerJoinedFields>;

/** A claim. `job` has no notifications and no idempotency key. */
export interface ClaimAnswer {
  readonly token: string;
  readonly job: Job;
}

/** The report of a worker about a job that it runs. */
export type HeartbeatRequest = RecordOf<typeof workerHeartbeatFields>;

/** The answer to a heartbeat. */
export interface HeartbeatAnswer {
  /** Why the worker must stop the run; null if it goes on. */
  readonly stop: StopReason | null;
  /** Whether the worker takes no further jobs and ends once it has no more. */
  readonly drain: boolean;
  /** Whether the programs of the run stand still until a later answer says otherwise; false if absent. */
  readonly frozen?: boolean;
}

/** A change of a job by the worker that holds its claim. */
export interface ChangeRequest {
  /** Numbers the changes of a claim from 1. A number that is stored already changes nothing. */
  readonly number: number;
  readonly change: Change;
}

/** A worker that asks for the credentials of a URL of its job. */
export type CredentialsRequest = RecordOf<typeof workerCredentialsFields>;

/** A time in which a worker takes no jobs because of its hours or of the load of its machine. */
export interface WorkerClosure {
  readonly by: 'hours' | 'load';
  /** When its hours begin; null if that is not known. */
  readonly until: string | null;
}

/** A worker as `venc workers` lists it. */
export interface WorkerState extends Omit<JoinRequest, 'protocol' | 'capabilities' | 'services' | 'isOnce'> {
  readonly jobIds: readonly number[];
  readonly isDraining: boolean;
  /** Whether it takes no jobs for now. */
  readonly isPaused: boolean;
  /** Why its own settings let it take no jobs now; null if they do. */
  readonly closed: WorkerClosure | null;
  readonly joinedAt: string;
  readonly lastSeenAt: string;
  /** How fast its encoders run now, as a multiple of real time; null if nothing is being encoded. */
  readonly speed: number | null;
}
