import type { VencError } from '../../src/shared/errors.js';
import type { LogSink } from '../../src/shared/util/log.js';
import type { EncodeLimits, SandboxMode } from '../ffmpeg/index.js';

/** The options of a daemon: the flags of `venc daemon`, with units in the names. */
export interface DaemonOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly dataFolder: string;
  /**
   * Address of the PostgreSQL database of the jobs, which may contain a password; null keeps them in the data folder.
   */
  readonly database: string | null;
  /** Number of concurrent encodes; null for one per two cores, at least one; 0 accepts jobs and runs none. */
  readonly jobs: number | null;
  /** Folders in which `file:` URLs may read and write; none disables the scheme. */
  readonly filesRoots: readonly string[];
  readonly allowPrivateNetwork: boolean;
  readonly graceSeconds: number;
  readonly stallTimeoutSeconds: number;
  /**
   * The bucket that keeps hosted files and uploads (`s3://bucket/prefix`); null for the data folder. May contain
   * secrets.
   */
  readonly hosted: string | null;
  /** Base URL of hosted files in answers; null for the address that the client used. */
  readonly publicUrl: string | null;
  /** Free bytes below which no job is accepted; null for 5 % of the volume, at most 1 GB. */
  readonly minFreeBytes: number | null;
  readonly maxOutputs: number;
  /**
   * Maximum requests per minute of one key, or of one remote address without a valid key; null for no limit.
   */
  readonly rateLimit: number | null;
  /** Reads every job file at the start and counts usage from them, instead of trusting the job index. */
  readonly isUsageRebuilt: boolean;
  /** Path of the program that sends e-mail notifications; null to send none. */
  readonly sendmail: string | null;
  /** The limits of each run of ffmpeg, of its input and of its outputs. */
  readonly encodeLimits: EncodeLimits;
  readonly sandbox: SandboxMode;
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** The owner's key; null creates one at the first start. */
  readonly apiKey: string | null;
  /** Days after which jobs that have ended are removed; null to keep them. */
  readonly keepDays: number | null;
  /** Maximum number of jobs that have ended, of which the oldest are removed; null for no limit. */
  readonly keepJobs: number | null;
  readonly log: LogSink;
}

/** A running daemon. */
export interface RunningDaemon {
  readonly url: string;
  /** Resolves to the error if another daemon takes the data folder. The process must end at once then. */
  readonly lost: Promise<VencError>;
  /**
   * Stops gracefully: accepts no more jobs, gives running ones the grace period and puts the rest back to
   * `waiting`. A second call ends the grace period at once.
   */
  stop(): Promise<void>;
}
