import type { VencError } from '../../src/shared/errors.js';
import type { Log, LogSink } from '../../src/shared/util/log.js';
import type { AppContext } from '../actions/app-context.js';
import type { EncodeLimits, Ffmpeg, FfmpegReport, openFfmpeg, SandboxMode } from '../ffmpeg/index.js';
import type { ConcurrencyLimits } from '../pipeline/concurrency-limits.js';
import type { WorkerAbilities } from '../queue/parts/part-selection.js';
import type { SlotTimes } from '../queue/slot-schedule.js';
import type { DaemonObservers, ObserverHooks } from './daemon-observers.js';
import type { Records } from './records/records.js';

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
  | 'isVerbose'
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
  readonly hostedHours?: number;
  readonly outputFolder?: string | null;
  readonly keepDays?: number | null;
  readonly keepJobs?: number | null;
  readonly page?: DaemonOptions['page'];
  /** When this machine takes jobs; always if absent. */
  readonly slotTimes?: SlotTimes;
  /** Lets `file:` URLs name any file: for a user's own files in a one-shot run (`venc run`). */
  readonly isOwnFiles?: boolean;
  /** Whether the MD5 of local files is computed, or only that of outputs. It is by default. */
  readonly hasMd5?: boolean | 'outputs';
  /** Ends the cleanup at destinations of a run that was cancelled; absent in a daemon. */
  readonly cleanupEnd?: AbortSignal;
  /** What shares the encodes of this process with others; by default it has its own turns. */
  readonly encodeTurns?: ConcurrencyLimits['encodes'];
  /**
   * Whether this is a part of another program (the library): then nothing of the process is changed, such as its handlers
   * of errors and signals.
   */
  readonly isEmbedded?: boolean;
  /** Changes how ffmpeg is run. */
  readonly wrapFfmpeg?: (ffmpeg: Ffmpeg) => Ffmpeg;
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

/** The programs of ffmpeg, and what is known about them. */
export type Programs = Awaited<ReturnType<typeof openFfmpeg>>;

/** What the parts of a daemon share. */
export interface AppBase extends Programs {
  readonly options: AppOptions;
  readonly records: Records;
  /** What this machine can do; null without ffmpeg. */
  readonly ownMachine: WorkerAbilities | null;
  readonly hooks: ObserverHooks;
  readonly log: Log;
  readonly now: () => Date;
  readonly minFreeBytes: number;
  readonly stallTimeoutMs: number;
  /** Adds a step of the close, before all earlier ones. */
  readonly onClose: (step: () => Promise<unknown>) => void;
}

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
  /** The longest time that a job can ask for with `keep`. */
  readonly hostedHours: number;
  /** The folder that keeps hosted outputs after they expire; null for none. Not with `hosted`. */
  readonly outputFolder: string | null;
  /** Base URL of hosted files in answers; null for the address that the client used. */
  readonly publicUrl: string | null;
  /** Free bytes below which no job is accepted; null for 5 % of the volume, at most 1 GB. */
  readonly minFreeBytes: number | null;
  readonly maxOutputs: number;
  /**
   * Maximum requests per minute of one key, or of one remote address without a valid key; null for no limit.
   */
  readonly rateLimit: number | null;
  /** How the page at `/ui` is served; null to serve none. */
  readonly page: {
    /** Names under which browsers may open it, besides those that are known. */
    readonly hosts: readonly string[];
    /** The header in which a proxy names the account of the visitor; null for none. */
    readonly userHeader: string | null;
    /** The networks of proxies whose headers count. */
    readonly trustedProxies: readonly {
      readonly address: string;
      /** The bits that all its addresses share. */
      readonly prefix: number;
      readonly type: 'ipv4' | 'ipv6';
    }[];
  } | null;
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
  /** When this machine takes jobs. */
  readonly slotTimes: SlotTimes;
  readonly log: LogSink;
  /** Whether the log has the command lines of ffmpeg, other details of jobs, and requests. Not by default. */
  readonly isVerbose?: boolean;
}
