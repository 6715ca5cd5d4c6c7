/*
 * The messages between a remote worker and the daemon, in the version of `workerProtocol.current`. All are JSON. A
 * worker joins, then repeats: it asks for a claim and waits for one; while it holds a claim it sends heartbeats and
 * changes; at last it ends the claim. Members that a side does not know are ignored, so that neighbouring versions
 * understand each other.
 */
import type { LogEntry } from '../../src/shared/util/log.js';
import type { Job } from './job.js';
import type { Change } from './legal-changes.js';
import type { FileProgress } from './progress.js';
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

/** What the ffmpeg of a worker supports: `Capabilities` as JSON. */
export interface WorkerCapabilities {
  readonly version: number | null;
  readonly encoders: readonly string[];
  readonly filters: readonly string[];
  readonly muxers: readonly string[];
  readonly hasFpsMode: boolean;
}

/** A worker that joins. */
export interface JoinRequest {
  readonly protocol: number;
  readonly name: string;
  /** Version of venc. */
  readonly version: string;
  /** Version of its ffmpeg, as that prints it. */
  readonly ffmpeg: string;
  /** How many jobs it encodes at once. */
  readonly jobs: number;
  readonly labels: readonly string[];
  readonly capabilities: WorkerCapabilities;
  /** The storage services of `Services` for which its environment has keys. */
  readonly services: readonly string[];
  /**
   * Names the folder that it works in, which one process at a time uses, and that process. Absent for workers of other
   * programs.
   */
  readonly folderId?: string;
  readonly processId?: string;
  /** Whether the process has joined before. Absent in a first join, and for workers of earlier versions. */
  readonly hasJoined?: boolean;
  /** Whether it takes one job and ends. */
  readonly isOnce?: boolean;
}

/** The answer to a worker that joins. */
export interface JoinAnswer {
  /** Names this session of the worker in its further requests. */
  readonly workerId: string;
  /** Its name, with a number if another worker has the same. */
  readonly name: string;
  readonly leaseSeconds: number;
  readonly heartbeatSeconds: number;
  readonly pollSeconds: number;
}

/** A claim. `job` has no notifications and no idempotency key. */
export interface ClaimAnswer {
  readonly token: string;
  readonly job: Job;
}

/** The report of a worker about a job that it runs. */
export interface HeartbeatRequest {
  readonly workerId: string;
  /** The progress of files, by id, as far as it has changed. */
  readonly progress: readonly (FileProgress & { readonly id: number })[];
  /** Lines for the log of the job. */
  readonly log: readonly Pick<LogEntry, 'level' | 'message' | 'outputId' | 'isDetail' | 'stderr'>[];
}

/** The answer to a heartbeat. */
export interface HeartbeatAnswer {
  /** Why the worker must stop the run; null if it goes on. */
  readonly stop: StopReason | null;
  /** Whether the worker takes no further jobs and ends once it has no more. */
  readonly drain: boolean;
}

/** A change of a job by the worker that holds its claim. */
export interface ChangeRequest {
  /** Numbers the changes of a claim from 1. A number that is stored already changes nothing. */
  readonly number: number;
  readonly change: Change;
}

/** A worker that asks for the credentials of a URL of its job. */
export interface CredentialsRequest {
  readonly scheme: string;
  /** The name in the request; null without one. */
  readonly name: string | null;
}

/** A worker as `venc workers` lists it. */
export interface WorkerState extends Omit<JoinRequest, 'protocol' | 'capabilities' | 'services' | 'isOnce'> {
  readonly jobIds: readonly number[];
  readonly isDraining: boolean;
  readonly joinedAt: string;
  readonly lastSeenAt: string;
  /** How fast its encoders run now, as a multiple of real time; null if nothing is being encoded. */
  readonly speed: number | null;
}
