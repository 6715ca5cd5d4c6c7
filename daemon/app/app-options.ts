import type { VencError } from '../../src/shared/errors.js';
import type { AppContext } from '../actions/app-context.js';
import type { FfmpegReport } from '../ffmpeg/index.js';
import type { DaemonObservers } from './daemon-observers.js';
import type { DaemonOptions } from './daemon-options.js';

/** The options of `createAppContext`: those of a daemon, except the ones for its address. */
export type AppOptions = Pick<
  DaemonOptions,
  | 'dataFolder'
  | 'filesRoots'
  | 'allowPrivateNetwork'
  | 'stallTimeoutSeconds'
  | 'minFreeBytes'
  | 'maxOutputs'
  | 'ffmpeg'
  | 'ffprobe'
  | 'apiKey'
  | 'log'
> & {
  /** The number of concurrent encodes, for the memory of each. 1 if absent. */
  readonly encodes?: number;
  readonly encodeLimits?: DaemonOptions['encodeLimits'];
  readonly sandbox?: DaemonOptions['sandbox'];
  readonly isUsageRebuilt?: boolean;
  /** Address of the database; without one, the records are in the data folder. */
  readonly database?: string | null;
  readonly sendmail?: string | null;
  readonly hosted?: string | null;
  readonly keepDays?: number | null;
  readonly keepJobs?: number | null;
  /** Lets `file:` URLs name any file: for a user's own files in a one-shot run (`venc run`). */
  readonly isOwnFiles?: boolean;
  /** What observes the daemon; absent in a one-shot run. */
  readonly observers?: DaemonObservers;
};

/** An `AppContext` that holds the lock of its data folder. */
export interface OpenAppContext {
  readonly appContext: AppContext;
  readonly report: FfmpegReport;
  /** Resolves to the error if another daemon takes the folder (`DataLock`). The process must end then. */
  readonly lost: Promise<VencError>;
  /**
   * Recovers the jobs of an earlier start and begins to run jobs. `encodes` is the number of concurrent
   * encodes.
   */
  start(encodes: number): Promise<void>;
  /**
   * Stops the runs after a grace period, closes the store and releases the folder. A second call ends the
   * grace period at once.
   */
  close(graceMs: number): Promise<void>;
}
