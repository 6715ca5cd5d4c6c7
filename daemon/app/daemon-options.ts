import type { VencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';

/** How a daemon is started: the flags of `venc daemon`, with their units in the names. */
export interface DaemonOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly dataFolder: string;
  /** Jobs encoded at once; null for one per two cores, at least one; 0 takes jobs and starts none. */
  readonly jobs: number | null;
  /** Folders below which `file:` URLs may read and write; none turns the scheme off. */
  readonly filesRoots: readonly string[];
  readonly allowPrivateNetwork: boolean;
  readonly graceSeconds: number;
  readonly stallTimeoutSeconds: number;
  /** Address that hosted files are announced under; null for the one that the client used. */
  readonly publicUrl: string | null;
  /** Free bytes below which nothing more is taken; null for 5 % of the volume, at most 1 GB. */
  readonly minFreeBytes: number | null;
  readonly maxOutputs: number;
  /** Requests a minute that one key may make, or one remote address without a good key; null for any number. */
  readonly rateLimit: number | null;
  /** Reads every job's file anew at the start, and counts usage from what they say, instead of trusting the index of the jobs. */
  readonly isUsageRebuilt: boolean;
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** A key to be taken as the owner's; null makes one at the first start. */
  readonly apiKey: string | null;
  readonly log: Log;
}

/** A daemon that runs. */
export interface RunningDaemon {
  readonly url: string;
  /** Resolves to the reason should another daemon take the data folder from this one: the process has to end then, and at once. */
  readonly lost: Promise<VencError>;
  /**
   * Stops in good order: no more jobs, the grace for running ones, the rest back to `waiting`. Called again, it ends the
   * grace at once.
   */
  stop(): Promise<void>;
}
